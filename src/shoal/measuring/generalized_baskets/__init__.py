"""What publishing generalized baskets cost."""
