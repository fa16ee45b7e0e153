"""Generators of synthetic data: baskets and people, for demonstrations and measurements."""
