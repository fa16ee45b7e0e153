"""What data are like, and what publishing costs."""
