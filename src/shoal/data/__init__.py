"""Data that Shoal works on: baskets, tables, hierarchies."""
