"""What a release of generalized baskets tells its reader."""
