"""``shoal publish``: make a release, verify it, and only then let it appear; a file a family of methods."""
