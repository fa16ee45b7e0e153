"""What is exported of a release, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True)
class Format:
    """What a release is to be written as."""

    name: str
    """jsonl, csv, fimi or parquet."""
    part: str | None = None
    """Which table, of a release that has two: its rows, or its counts."""
    raw: bool = False
    """Whether CSV holds texts that a spreadsheet would take for formulas as they are."""


@dataclass(frozen=True)
class Export:
    """A release in a format."""

    write: Callable[[BinaryIO], None]
    formulas: Callable[[], int] | None = None
    """How many texts of a CSV file a spreadsheet would take for formulas."""
    texts: str = "texts"
    """What these are called."""
    notes: tuple[str, ...] = ()
    """What would be read wrongly."""
