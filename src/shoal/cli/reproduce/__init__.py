"""``shoal reproduce``: what the papers claim, measured, a file a paper."""
