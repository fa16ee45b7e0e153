"""``shoal info``: summarize a data file or a release."""
