"""What an auditor has in addition to a release."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.release.base import Release

if TYPE_CHECKING:  # what checks a trace is not the auditor's
    from shoal.release.trace import Trace


class FileText(NamedTuple):
    """A text in a file of a release folder."""

    file: str
    text: str
    column: str | None = None
    """The column, if it is a cell or a label; None: any other text of the file."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything given in addition to a release, as one value; a shape's entry in SHAPES says what it can use."""

    original: Transactions | Table | None = None
    """The data that the release was made from."""
    rules: Background | None = None
    """The negative rules that the promise names, or that an adversary knows."""
    hierarchies: Mapping[str, Hierarchy] | None = None
    """Hierarchies by column: those the table was generalized with, or those that rules are counted with."""
    hierarchy: Hierarchy | None = None
    """The hierarchy of items that baskets were generalized with."""
    others: tuple[Release | str | os.PathLike[str], ...] = ()
    """Other releases of the same people, or their folders."""
    trace: Trace | None = None
    """Which record of the original went to which cluster."""
    texts: Callable[[], Iterable[FileText]] | None = None
    """Reads every text of the release folder, to search for content that must not be there."""

    def __post_init__(self) -> None:
        if isinstance(self.others, str | os.PathLike | Release):  # one is a sequence of one
            object.__setattr__(self, "others", (self.others,))

    @property
    def baskets(self) -> Transactions | None:
        """The original of a release of baskets."""
        assert not isinstance(self.original, Table)
        return self.original

    @property
    def table(self) -> Table | None:
        """The original of a release of a table."""
        assert not isinstance(self.original, Transactions)
        return self.original

    @property
    def given(self) -> frozenset[str]:
        """The names of the evidence given, as SHAPES names it."""
        named = {
            "original": self.original,
            "rules": self.rules,
            "hierarchies": self.hierarchies,
            "hierarchy": self.hierarchy,
            "others": self.others or None,
            "trace": self.trace,
        }
        return frozenset(name for name, value in named.items() if value is not None)


NOTHING = Evidence()
"""Only the release."""
