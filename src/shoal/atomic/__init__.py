"""Atomic writes: a name leads to what was there before, or to all of what is new, whenever a run dies."""
