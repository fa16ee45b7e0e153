"""Formats in and out. Nothing here decides anything about privacy."""
