"""What publishing a generalized table cost."""
