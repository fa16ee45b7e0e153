"""``shoal measure``: what publishing cost, a file a shape of release."""
