"""Reads randomized rows, with chance undone: estimates with their errors."""
