"""What an auditor has beside a release."""

from __future__ import annotations

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
    """A text that is in a file of a release folder."""

    file: str
    text: str
    column: str | None = None
    """The column that it is a cell or a label of; None: it is any other text of the file."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that is at hand beside a release, as one value; what a shape of release can use, its entry in SHAPES says."""

    original: Transactions | Table | None = None
    """The data that the release was made from."""
    rules: Background | None = None
    """The negative rules that the promise speaks of, or that an adversary knows."""
    hierarchies: Mapping[str, Hierarchy] | None = None
    """Hierarchies by column: what the table was generalized with, or what rules are counted with."""
    hierarchy: Hierarchy | None = None
    """The hierarchy of items that baskets were generalized with."""
    others: tuple[Release, ...] = ()
    """Other releases of the same people."""
    trace: Trace | None = None
    """Which record of the original went to which cluster."""
    texts: Callable[[], Iterable[FileText]] | None = None
    """Reads every text of the release folder, to search it for what must not be there."""

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
        """The names of what is there, as SHAPES names it."""
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
"""Nothing but the release."""
