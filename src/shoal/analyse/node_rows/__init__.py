"""What rows of nodes of a hierarchy tell: generalized baskets, and baskets with noisy counts."""
