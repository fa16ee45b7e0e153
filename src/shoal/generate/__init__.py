"""Data made up: baskets and people, for demonstrations and measurements."""
