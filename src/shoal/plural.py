"""Numbers with a noun, singular or plural."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """A number with its noun, in the singular or plural.

    Example:
        >>> counted(1, "row"), counted(2000, "row")
        ('1 row', '2,000 rows')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"
