"""The risk of re-identification in data, and what the groups of a release reveal."""
