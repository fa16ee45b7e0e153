"""What an adversary can learn from a release: attacks, and the search for sets of items that too few records hold."""
