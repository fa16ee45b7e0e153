"""Reads generalized baskets."""
