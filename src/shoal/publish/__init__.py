"""What leaves the steward: publishing methods, one a file or folder."""
