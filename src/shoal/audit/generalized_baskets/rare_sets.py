"""Find a set of up to m items that some row holds, but fewer than k rows: by counting all such sets.

Equal rows occur once, with a weight. Sets are counted by their prefixes: the rest of the rows that hold a prefix makes
a sparse matrix, rows by items, and its product with itself has the number of rows of every pair that can complete the
set. A set that fewer than k rows hold is only in rows of a weight below k, so prefixes that no such row holds are
skipped. All other sets are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from shoal.audit.budget import Budget
from shoal.audit.parts import expand
from shoal.data.arrays import Int32, Int64

CELLS = 8_000_000
"""How many counts may be held together; one item's with all others always are."""
PRODUCT = 60_000
"""The cost of a product beyond the pairs that it counts, in pairs."""
LEAST_WORK, WORK_AN_ITEM = 6_000_000_000, 2_000
"""How many pairs may be counted in total, for any release, and for each item of a row."""


@dataclass(frozen=True)
class RareSet:
    """The first of the smallest sets that some row holds, and fewer than k do."""

    items: tuple[int, ...]
    count: int


class SetCounter:
    """The sets of a release's rows, counted size by size."""

    def __init__(self, offsets: Int64, items: Int32, n_items: int, k: int) -> None:
        self._offsets, self._items, self._weight = merged(offsets, items)
        self._n_items, self._k = n_items, k
        self._budget = Budget(max(LEAST_WORK, WORK_AN_ITEM * len(items)))

    def find(self, m: int) -> RareSet | None:
        """Count all sets of up to m items; rows ascend.

        Raises:
            OutOfBudget: it would take too much work.
        """
        lengths = np.diff(self._offsets)
        counts = np.zeros(self._n_items, np.int64)
        np.add.at(counts, self._items, np.repeat(self._weight, lengths))
        rare = np.flatnonzero((counts > 0) & (counts < self._k))
        if len(rare):
            return RareSet((int(rare[0]),), int(counts[rare[0]]))
        for size in range(2, min(m, int(lengths.max(initial=0))) + 1):
            found = next(self._rare((), self._offsets[:-1], self._offsets[1:], self._weight, size), None)
            if found is not None:
                return found
        return None

    def _rare(self, prefix: tuple[int, ...], at: Int64, end: Int64, weight: Int64, left: int) -> Iterator[RareSet]:
        """Rare sets that begin with a prefix; after it, the rows that hold it have the places at, ..., end - 1."""
        there = end - at >= left
        at, end, weight = at[there], end[there], weight[there]
        if not np.any(weight < self._k):
            return
        row, place = expand(at, end)
        if left == 2:
            yield from self._rare_pairs(prefix, row, self._items[place], weight)
            return
        order = np.argsort(self._items[place], kind="stable")
        row, place = row[order], place[order]
        bounds = np.flatnonzero(np.diff(self._items[place], prepend=-1, append=-1))
        for first, last in pairwise(bounds.tolist()):
            rows = row[first:last]
            item = int(self._items[place[first]])
            yield from self._rare((*prefix, item), place[first:last] + 1, end[rows], weight[rows], left - 1)

    def _rare_pairs(self, prefix: tuple[int, ...], row: Int64, items: Int32, weight: Int64) -> Iterator[RareSet]:
        lengths = np.bincount(row, minlength=len(weight))
        self._budget.spend(PRODUCT + float((lengths.astype(np.float64) ** 2).sum()))
        starts, shape = np.concatenate([[0], np.cumsum(lengths)]), (len(weight), self._n_items)
        count = np.int32 if weight.sum() < 2**31 else np.int64  # half the memory
        flat = csr_array((np.ones(len(items), count), items, starts), shape=shape)
        # By item: the rows that hold each, with their weights.
        heavy = csr_array((weight.astype(count)[row], items, starts), shape=shape).T.tocsr()
        for first, last in self._blocks(items, lengths[row]):
            pairs = (heavy[first:last] @ flat).tocoo()
            one, other = pairs.row + first, pairs.col
            rare = np.flatnonzero((other > one) & (pairs.data < self._k))
            if len(rare):
                which = rare[np.lexsort((other[rare], one[rare]))[0]]
                yield RareSet((*prefix, int(one[which]), int(other[which])), int(pairs.data[which]))

    def _blocks(self, items: Int32, lengths: Int64) -> Iterator[tuple[int, int]]:
        """Ranges of items whose counts with all others fit in memory."""
        cells = np.minimum(np.bincount(items, lengths, self._n_items), self._n_items)
        block = (np.cumsum(cells) // CELLS).astype(np.int64)
        yield from pairwise(np.flatnonzero(np.diff(block, prepend=-1, append=-1)).tolist())


def merged(offsets: Int64, items: Int32) -> tuple[Int64, Int32, Int64]:
    """The rows without repetitions of the previous row, and how often each occurs there.

    Example:
        >>> offsets, items, weight = merged(np.array([0, 1, 2, 4]), np.array([3, 3, 3, 4], np.int32))
        >>> offsets.tolist(), items.tolist(), weight.tolist()
        ([0, 1, 3], [3, 3, 4], [2, 1])
    """
    lengths = np.diff(offsets)
    alike = np.flatnonzero(lengths[1:] == lengths[:-1]) + 1
    row, place = expand(offsets[alike], offsets[alike + 1])
    differ = items[place] != items[place - lengths[alike][row]]
    new = np.ones(len(lengths), bool)
    new[alike] = np.bincount(row, differ, len(alike)) > 0
    kept = np.flatnonzero(new)
    _, place = expand(offsets[kept], offsets[kept + 1])
    weight = np.diff(kept, append=len(lengths))
    return np.concatenate([[0], np.cumsum(lengths[kept])]), items[place], weight
