"""What publishing disassociated baskets cost."""
