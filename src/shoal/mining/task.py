"""Mining tasks and their results, for baskets and for releases of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.mining.itemsets import closed_itemsets, frequent_itemsets, maximal_itemsets
from shoal.mining.rules import association_rules
from shoal.mining.support import least_count
from shoal.mining.top import top_itemsets
from shoal.plural import counted
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.transactions import Transactions
    from shoal.mining.itemsets import Itemsets
    from shoal.mining.rules import Rules
    from shoal.mining.search import Kind

DEFAULT_SUPPORT = 0.001


@dataclass(frozen=True)
class Task:
    """The kind of itemsets to find, or of itemsets between which rules are found."""

    min_support: float | None = None
    """A share of the records up to 1., or (as a whole number) a number of records; None: the default."""
    top: int | None = None
    """Only the most frequent ones, this many."""
    kind: Kind = "all"
    min_confidence: float | None = None
    """The least confidence of rules; None: find itemsets."""
    max_length: int | None = None
    """How many items a set may have; None: any number."""

    @property
    def support(self) -> float:
        """The minimum support of a set: by default .001 of the records, and one record for the most frequent sets."""
        return self.min_support or (DEFAULT_SUPPORT if self.top is None else 1)


@dataclass(frozen=True, eq=False)
class Mined:
    """Itemsets or rules, with remarks on their numbers."""

    found: Any
    """The result of the algorithm."""
    rows: pa.Table
    """The same as a table, one row for each set or rule."""
    summary: str
    """A sentence with their number, and where they occur."""
    said: dict[str, Any] = field(default_factory=dict)
    """The assumptions of the numbers, if these depend on a model."""
    notes: tuple[str, ...] = ()
    """What was not searched, and why."""
    warnings: tuple[str, ...] = ()
    """A warning where random error is about as large as the numbers."""

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Mined({self.summary})"

    def to_arrow(self) -> pa.Table:
        """One row for each set or rule."""
        return self.rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)


def mine_baskets(
    data: Transactions,
    task: Task,
    *,
    run: Run = DEFAULT_RUN,
) -> Mined:
    """The itemsets of baskets, or the rules between them.

    Example:
        >>> import shoal
        >>> mine_baskets(shoal.read([{"tea", "milk"}] * 3 + [{"tea"}]), Task(min_support=2, max_length=1))
        Mined(2 itemsets in at least 2 of 4 records)
    """
    found: Itemsets | Rules
    if task.top is not None:
        found = top_itemsets(data, task.top, min_support=task.support, max_length=task.max_length, run=run)
    else:
        search = {"all": frequent_itemsets, "closed": closed_itemsets, "maximal": maximal_itemsets}[task.kind]
        found = search(data, task.support, max_length=task.max_length, run=run)
        if task.min_confidence is not None:
            found = association_rules(found, task.min_confidence)
    rows = found.to_arrow()
    kind = "itemset" if task.kind == "all" else f"{task.kind} itemset"
    what = kind if task.min_confidence is None else "rule"
    least = least_count(task.support, len(data))
    return Mined(found, rows, f"{counted(len(rows), what)} in at least {least:,} of {len(data):,} records")
