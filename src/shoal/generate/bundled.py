"""The small data sets that come with Shoal: a thousand baskets and a thousand people, all synthetic.

This module generated them, and ``python -m shoal.generate.bundled`` generates the same bytes again.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

from shoal.errors import InputError
from shoal.quoting import shown

_FILES = {"baskets": "baskets.dat", "people": "people.csv"}
_SEED = 1994  # the year of the paper behind quest


def path(name: str) -> Path:
    """The path of a data set that comes with Shoal.

    Args:
        name: ``baskets`` (1,000 shopping baskets, one in each line) or ``people`` (1,000 rows of CSV).

    Returns:
        The path of a file that can be opened and read.

    Raises:
        InputError: There is no data set of that name.

    Example:
        >>> path("baskets").name
        'baskets.dat'
    """
    if name not in _FILES:
        raise InputError(f"no bundled data set is called {shown(name)}: there are {', '.join(sorted(_FILES))}")
    return _folder() / _FILES[name]


def regenerate(folder: Path | None = None) -> list[Path]:
    """Generate the bundled data sets again, by default in their place.

    Args:
        folder: Where to; it must exist.

    Returns:
        The files that were written.

    Raises:
        InputError: A file cannot be written.
    """
    from shoal.generate.people import write_people  # slow to import, and only the path is needed far more often
    from shoal.generate.quest import write_quest

    folder = _folder() if folder is None else folder
    baskets, people = (folder / _FILES[name] for name in ("baskets", "people"))
    # Fewer and more popular patterns than by default: a thousand baskets are enough to find them.
    write_quest(baskets, 1_000, mean_length=6, n_items=150, n_patterns=100, mean_pattern=3, corruption=0.3, seed=_SEED)
    write_people(people, 1_000, seed=_SEED)
    return [baskets, people]


def _folder() -> Path:
    return Path(str(files("shoal.generate"))) / "data"


if __name__ == "__main__":
    sys.stdout.writelines(f"{written}\n" for written in regenerate())
