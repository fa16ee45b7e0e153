"""``python -m papers.disassociation``."""

from papers.program import main

if __name__ == "__main__":
    main("disassociation")
