"""What a report says of releases of one shape: how they are read, what they look like, risk and cost."""
