"""What ``shoal info`` reports on a release besides its promises and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.data.arrays import Int64


@dataclass(frozen=True)
class Described:
    """The same facts in numbers and in words."""

    numbers: dict[str, Any]
    """The part for JSON."""
    lines: tuple[str, ...]
    """The part for the terminal."""


NOTHING_MORE = Described({}, ())


SEEDED = "the random choices were made with a seed: do not publish"


def row_lengths(lengths: Int64) -> dict[str, Any]:
    """How many items rows have."""
    return {
        "shortest": int(lengths.min()) if len(lengths) else 0,
        "longest": int(lengths.max(initial=0)),
        "mean": float(lengths.mean()) if len(lengths) else 0.0,
        "empty": int((lengths == 0).sum()),
    }


def lengths_line(rows: dict[str, Any]) -> str:
    """The same as a line, without the number of empty rows."""
    return f"items per row: {rows['shortest']:,} to {rows['longest']:,}, mean {rows['mean']:.2f}"
