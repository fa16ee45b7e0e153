"""What an analyst gets out of a release: supports, itemsets and possible originals, from what is published alone."""
