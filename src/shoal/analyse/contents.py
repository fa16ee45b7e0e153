"""The contents of a release as plain data: a sentence and tables to be drawn, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import InputError


@dataclass(frozen=True)
class Wanted:
    """Which parts of a release are wanted (clusters or groups), and how much of each."""

    number: int | None = None
    """This part only."""
    limit: int = 5
    """How many parts, where no number is given."""
    rows: int = 20
    """How many different subrecords of a chunk, or rows of a group, or rows of a release that has no parts."""

    def numbers(self, part: str, n_parts: int) -> range:
        """The numbers of the wanted parts, of so many."""
        if self.number is None:
            return range(min(self.limit, n_parts))
        if not 0 <= self.number < n_parts:
            raise InputError(f"there is no {part} {self.number}: they are numbered 0 to {n_parts - 1}")
        return range(self.number, self.number + 1)


@dataclass(frozen=True)
class Items:
    """Items in one line."""

    names: Sequence[str]
    stand_for: Sequence[int] | None = None
    """For how many items each stands, where some are groups."""
    times: int = 1
    """How often this set of items is there."""
    at_least: bool = False
    """Whether it may be there more often."""
    is_set: bool = True
    """Whether these are the items of one record or subrecord, rather than a list."""


Cell = str | int | Items


@dataclass(frozen=True)
class Table:
    """A table; a row may end early."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Column:
    """A column of lines, which need not match those of its neighbours."""

    heading: str
    lines: Sequence[Cell]
    enough_width: int
    """It is drawn below its neighbours, rather than beside them, only where it would get less than this."""


@dataclass(frozen=True)
class SideBySide:
    """Columns below a title."""

    title: str
    columns: Sequence[Column]


@dataclass(frozen=True)
class AnswerTables:
    """Answers to queries: a heading, tables, and a paragraph on their numbers."""

    heading: str
    tables: Sequence[Table]
    words: str


@dataclass(frozen=True)
class Contents:
    """What a release holds, as far as it was wanted."""

    summary: str
    """How much there is."""
    tables: Iterable[Table | SideBySide]
    """To be gone through once."""
    as_json: dict[str, Any]
    """The same for a machine."""
    n_parts: int
    """How many clusters, groups or rows there are."""
    n_hidden: int
    """How many of them are left out."""
    closing: str | None = None
    """What else there is."""
