"""What publishing a bucketized table cost."""
