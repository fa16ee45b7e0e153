"""Releases that keep every condition of their promise and are worthless: no utility, or no protection.

Both are found from the published data alone, whatever made the release. Under differential privacy this is
post-processing: it reads only what is published. What it reads depends on the shape of release (``emptiness.py`` in the
folder of each).

* Total loss: nothing published distinguishes one record from another, although some of it was changed.
* Empty promise: the promise is about sensitive values, and most rows have a unique one. Any rows then have different
  values, which is all that l-diversity requires, and no value or rule is frequent, which is all that hiding requires;
  and a value of one person, published exactly, may identify them. Most means more than half: below that the promise has
  an effect on at least every other row.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.audit.residual import percent
from shoal.errors import EmptyKind


@dataclass(frozen=True)
class Emptiness:
    """Why a release is worthless.

    Example:
        >>> print(Emptiness("total loss", "no basket is published"))
        total loss: no basket is published
    """

    kind: EmptyKind
    words: str
    """The fact, with the numbers of the release."""

    def as_dict(self) -> dict[str, str]:
        """The entry as plain values."""
        return {"kind": self.kind, "words": self.words}

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


def nearly_unique(rows: int, alone: int) -> bool:
    """Whether most rows have a value that no other row has."""
    return 2 * alone > rows


def share_of_rows(part: int, rows: int) -> str:
    """A part of the rows, as a number and as a share."""
    return f"{part:,} of {rows:,} rows ({percent(part / rows)})"
