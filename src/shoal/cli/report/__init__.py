"""``shoal report``, and the options by which other commands make reports of what they did."""
