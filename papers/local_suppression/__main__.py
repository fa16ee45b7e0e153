"""``python -m papers.local_suppression``."""

from papers.program import main

if __name__ == "__main__":
    main("local_suppression")
