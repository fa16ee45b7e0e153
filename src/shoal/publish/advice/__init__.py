"""What to change where a release would be worth nothing: a file a shape of release, with the numbers of the data."""
