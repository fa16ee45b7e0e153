"""Reads baskets with noisy counts."""
