"""Releases as files that other programs read, a module a shape."""
