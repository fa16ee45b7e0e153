"""Reads generalized releases."""
