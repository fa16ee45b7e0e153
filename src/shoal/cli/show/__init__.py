"""``shoal show``: what a release holds, a file a shape."""
