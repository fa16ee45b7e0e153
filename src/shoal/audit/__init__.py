"""Checks of a release, written from the definitions. Imports nothing that publishes."""
