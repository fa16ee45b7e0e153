"""``python -m papers.hidden_associations``."""

from papers.program import main

if __name__ == "__main__":
    main("hidden_associations")
