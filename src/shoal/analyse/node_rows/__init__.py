"""Counts in rows of nodes of a hierarchy: generalized baskets, and baskets with noisy counts."""
