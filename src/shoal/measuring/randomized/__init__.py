"""What publishing randomized baskets cost."""
