"""What an adversary can make of a release: its possible originals, searched for a set that too few records hold."""
