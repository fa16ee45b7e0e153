"""Frequent itemsets of baskets: all, closed, maximal, or top k; mined directly, within limits.

For the definitions see R. Agrawal, R. Srikant: Fast Algorithms for Mining Association Rules, VLDB 1994.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Float64, Int64
from shoal.data.item_sets import ItemSets
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.kernels.compiling import announced
from shoal.limits import require_whole
from shoal.memory import available_memory
from shoal.mining.index import indexed
from shoal.mining.search import Found, Kind, Limits, search
from shoal.mining.support import least_count
from shoal.run import DEFAULT_RUN, Run

MAX_ITEMSETS = 20_000_000
# The typical memory of a number while itemsets are found, sorted and returned.
_BYTES = 32


@dataclass(frozen=True, eq=False)
class Itemsets(ItemSets):
    """Sets of items and their counts: the most frequent first, then the shorter, then by items.

    Set ``i`` holds the items ``vocabulary[items[offsets[i]:offsets[i + 1]]]``, whose codes ascend.

    Example:
        >>> baskets = Transactions.from_records([{"bread", "milk"}, {"bread", "milk"}, {"bread"}])
        >>> [(sorted(items), count) for items, count in frequent_itemsets(baskets, 2)]
        [(['bread'], 3), (['milk'], 2), (['bread', 'milk'], 2)]
    """

    counts: Int64
    """In how many records each set occurs."""
    n_records: int
    """How many records the data have."""

    def __iter__(self) -> Iterator[tuple[frozenset[str], int]]:
        yield from zip(self.sets(), self.counts.tolist(), strict=True)

    def __repr__(self) -> str:
        return f"Itemsets({len(self):,} of {self.n_records:,} records)"

    @property
    def supports(self) -> Float64:
        """The share of the records that each set is in."""
        return self.counts / max(1, self.n_records)

    def take(self, rows: Int64) -> Itemsets:
        """The sets with the given numbers, in the given order."""
        from shoal.kernels.rows import take_rows

        offsets, items = take_rows(self.offsets, self.items, np.ascontiguousarray(rows, np.int64))
        return Itemsets(offsets, items, self.vocabulary, self.counts[rows], self.n_records)

    def to_arrow(self) -> pa.Table:
        """A table of the sets: items, size, count, support."""
        counted = super().to_arrow().append_column("count", pa.array(self.counts))
        return counted.append_column("support", pa.array(self.supports))


def frequent_itemsets(
    data: Transactions,
    min_support: float = 0.001,
    *,
    max_length: int | None = None,
    max_itemsets: int = MAX_ITEMSETS,
    run: Run = DEFAULT_RUN,
) -> Itemsets:
    """All sets of items that enough records contain; the empty set is not counted among them.

    Args:
        data: the baskets.
        min_support: a share of the records up to 1., or (as a whole number) a number of records.
        max_length: how many items a set may have; by default any number.
        max_itemsets: how many sets there may be; more are refused, as are those that do not fit into memory.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The itemsets, in their canonical order.

    Raises:
        InputError: an argument is out of range.
        Infeasible: there are too many.
    """
    return _mined(data, min_support, "all", max_length, max_itemsets, run)


def closed_itemsets(
    data: Transactions,
    min_support: float = 0.001,
    *,
    max_length: int | None = None,
    max_itemsets: int = MAX_ITEMSETS,
    run: Run = DEFAULT_RUN,
) -> Itemsets:
    """The frequent itemsets that lose a record with any further item; they determine the counts of all others.

    Arguments are those of :func:`frequent_itemsets`; ``max_length`` leaves out closed sets that are longer.

    Example:
        >>> baskets = Transactions.from_records([{"bread", "milk"}, {"bread", "milk"}, {"bread"}])
        >>> [(sorted(items), count) for items, count in closed_itemsets(baskets, 2)]
        [(['bread'], 3), (['bread', 'milk'], 2)]
    """
    return _mined(data, min_support, "closed", max_length, max_itemsets, run)


def maximal_itemsets(
    data: Transactions,
    min_support: float = 0.001,
    *,
    max_length: int | None = None,
    max_itemsets: int = MAX_ITEMSETS,
    run: Run = DEFAULT_RUN,
) -> Itemsets:
    """The frequent itemsets that become rare with any further item; all others are among their subsets.

    Arguments are those of :func:`frequent_itemsets`; ``max_length`` leaves out maximal sets that are longer.

    Example:
        >>> baskets = Transactions.from_records([{"bread", "milk"}, {"bread", "milk"}, {"bread"}])
        >>> [(sorted(items), count) for items, count in maximal_itemsets(baskets, 2)]
        [(['bread', 'milk'], 2)]
    """
    return _mined(data, min_support, "maximal", max_length, max_itemsets, run)


def _mined(
    data: Transactions,
    min_support: float,
    kind: Kind,
    max_length: int | None,
    max_itemsets: int,
    run: Run,
) -> Itemsets:
    least = least_count(min_support, len(data))
    require_options(max_length, max_itemsets)
    report = run.report
    with announced(lambda: report("compile", 0, 1)):
        index = indexed(data, least)
        limits = Limits(max_itemsets, max(1, available_memory() // 2 // _BYTES))
        found = search(index, least, kind, max_length=max_length, limits=limits, run=run)
        if not found.complete:
            raise Infeasible(_too_many(found, least, len(data), limits))
        return in_canonical_order(found, data)


def require_options(max_length: int | None, max_itemsets: int) -> None:
    """Refuse options out of range."""
    if max_length is not None:
        require_whole("max_length", max_length, least=1)
    require_whole("max_itemsets", max_itemsets, least=1)


def in_canonical_order(found: Found, data: Transactions) -> Itemsets:
    """Sets in an order that does not depend on how they were found."""
    from shoal.kernels.rows import sorted_rows

    sizes = np.diff(found.offsets)
    keys = np.repeat(np.arange(len(sizes)), sizes) * max(1, data.n_items)
    keys += found.items
    keys.sort()
    items = (keys % max(1, data.n_items)).astype(np.int32)
    order = sorted_rows(found.offsets, items)
    order = order[np.lexsort((sizes[order], -found.counts[order]))]
    return Itemsets(found.offsets, items, data.vocabulary, found.counts, len(data)).take(order)


def _too_many(found: Found, least: int, n_records: int, limits: Limits) -> str:
    mean = len(found.items) / max(1, len(found.counts)) + 1
    few = min(limits.sets, int(limits.numbers / mean))
    return (
        f"more than {few:,} itemsets are in at least {least:,} of the {n_records:,} records, and would take more than "
        f"{few * mean * _BYTES / 1e9:,.1f} GB of memory ({len(found.counts):,} found before giving up): raise "
        "the minimum support, limit the length of sets, or find only closed, maximal or the most frequent sets"
    )
