"""``shoal info``: what is in a file, or in a release."""
