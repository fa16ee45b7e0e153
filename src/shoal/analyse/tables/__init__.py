"""How many rows of a released table meet conditions, and what its original may have been."""
