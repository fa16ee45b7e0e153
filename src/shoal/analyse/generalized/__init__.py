"""What a generalized release tells its reader."""
