"""What ``shoal info`` shows of a release beside its promises and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.data.arrays import Int64


@dataclass(frozen=True)
class Described:
    """The same in numbers and in words."""

    numbers: dict[str, Any]
    """For JSON."""
    lines: tuple[str, ...]
    """For a terminal."""


NOTHING_MORE = Described({}, ())


SEEDED = "a seed stood in for chance: do not publish"


def row_lengths(lengths: Int64) -> dict[str, Any]:
    """How many items rows have."""
    return {
        "shortest": int(lengths.min()) if len(lengths) else 0,
        "longest": int(lengths.max(initial=0)),
        "mean": float(lengths.mean()) if len(lengths) else 0.0,
        "empty": int((lengths == 0).sum()),
    }


def lengths_line(rows: dict[str, Any]) -> str:
    """The same as a line, but for empty rows."""
    return f"items a row: {rows['shortest']:,} to {rows['longest']:,}, mean {rows['mean']:.2f}"
