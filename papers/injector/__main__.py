"""``python -m papers.injector``."""

from papers.program import main

if __name__ == "__main__":
    main("injector")
