"""Atomic file writes: even if a run dies, a name leads to the old contents, or to all of the new contents."""
