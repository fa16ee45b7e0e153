"""``shoal show``: what a release holds, drawn."""
