"""Reads bucketized releases."""
