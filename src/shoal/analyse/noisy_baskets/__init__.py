"""What a release of noisy counts tells its reader."""
