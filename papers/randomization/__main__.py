"""``python -m papers.randomization``."""

from papers.program import main

if __name__ == "__main__":
    main("randomization")
