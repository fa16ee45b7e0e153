"""Reading and writing of formats. Nothing here decides anything about privacy."""
