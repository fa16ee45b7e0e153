"""Releases that keep every condition of their promise and are worth nothing: nothing is left, or nothing is protected.

Both are told from what is published alone, so that they are found whoever made a release. Under differential privacy
this is post-processing: what is published is all that it looks at. What is looked at depends on the shape of release
(``emptiness.py`` in the folder of each).

* Total loss: nothing that is published tells one record from another, although not all of it is published as it was.
* Empty promise: the promise is about sensitive values, and most rows have one that nobody else has. Any rows have
  different values then, which is all that l-diversity asks for, and no value or rule is frequent, which is all that
  hiding asks for; and a value of one person, published exactly, may name them. Most means more than half: below that
  the promise says something of at least every other row.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.audit.residual import percent
from shoal.errors import EmptyKind


@dataclass(frozen=True)
class Emptiness:
    """Why a release is worth nothing.

    Example:
        >>> print(Emptiness("total loss", "no basket is published"))
        total loss: no basket is published
    """

    kind: EmptyKind
    words: str
    """What is so, with the numbers of the release."""

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
