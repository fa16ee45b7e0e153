"""Reads clusters, chunks and term chunks: supports, itemsets, possible originals."""
