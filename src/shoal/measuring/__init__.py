"""Descriptions of data, and the cost of publishing."""
