"""Attacks that use knowledge of the algorithm."""
