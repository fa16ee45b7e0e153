"""What publishing noisy counts of baskets cost."""
