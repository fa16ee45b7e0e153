"""Attacks by what the algorithm is known to do."""
