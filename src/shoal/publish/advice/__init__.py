"""Advice for releases that would be worth nothing: one file for each shape of release, with the numbers of the data."""
