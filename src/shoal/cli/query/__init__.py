"""``shoal query``: how many records or rows there are."""
