"""``shoal publish``: make a release, verify it, then let it appear; one file per family of methods."""
