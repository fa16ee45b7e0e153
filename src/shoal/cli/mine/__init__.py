"""``shoal mine``: what is frequent, or never occurs, in data and releases."""
