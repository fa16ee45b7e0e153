"""What clusters, chunks and term chunks tell: supports, itemsets, possible originals."""
