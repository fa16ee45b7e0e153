"""What is to be found in baskets or in a release of them, whatever finds it; and what was found."""

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
    """The itemsets that are looked for, or the rules between them."""

    min_support: float | None = None
    """A share of the records up to 1., or (as a whole number) how many records it takes; None: the usual."""
    top: int | None = None
    """Only so many, the most frequent."""
    kind: Kind = "all"
    min_confidence: float | None = None
    """The smallest confidence of rules; None: itemsets are looked for."""
    max_length: int | None = None
    """How many items a set may have; None: any number."""

    @property
    def support(self) -> float:
        """What a set must reach: by default .001 of the records, and one record where the best are looked for."""
        return self.min_support or (DEFAULT_SUPPORT if self.top is None else 1)


@dataclass(frozen=True, eq=False)
class Mined:
    """Itemsets or rules, with what is to be known of their numbers."""

    found: Any
    """What the algorithm returned."""
    rows: pa.Table
    """The same as a table, one row for each set or rule."""
    summary: str
    """How many there are, and where, in a sentence."""
    said: dict[str, Any] = field(default_factory=dict)
    """What numbers take for granted, where they hold only if a model does."""
    notes: tuple[str, ...] = ()
    """What was not looked at, and why."""
    warnings: tuple[str, ...] = ()
    """Where chance is about as large as what is looked for."""

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
