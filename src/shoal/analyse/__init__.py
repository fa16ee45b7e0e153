"""What can be done with a release by those who did not make it."""
