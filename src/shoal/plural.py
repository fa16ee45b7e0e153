"""Numbers of things, in words."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """A number of things, in words.

    Example:
        >>> counted(1, "row"), counted(2000, "row")
        ('1 row', '2,000 rows')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"
