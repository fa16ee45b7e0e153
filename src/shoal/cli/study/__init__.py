"""``shoal compare``, ``sweep`` and ``advise``: many runs, one table."""
