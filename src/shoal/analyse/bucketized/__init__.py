"""What a bucketized release tells its reader."""
