"""How baskets are split, by the promise: at which node, at what cost of epsilon, and which count is required.

R. Chen et al., PVLDB 2011 (DiffPart). A basket begins as the root. In each step the highest of its inner nodes, the
first of several, is replaced by the nodes directly below it that have items of the basket. A split spends the rest of
half of epsilon, divided by the number of inner nodes at or below the set; the one that leaves only items spends
everything that is left. A count must reach sqrt(2) C over the amount spent: C is 2.75 for a basket, and otherwise 6.75
times the height of the node. So everything follows from the hierarchy and epsilon. This code is not shared: the
publisher assigns records to sub-partitions, and readers compute paths from the items up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.audit.trees import heights, inner_nodes
from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.node_tree import NodeTree

UNIT = 2.0**-40
"""Budgets are whole multiples of this."""
_C_BASKET, _C_SPLIT = 2.75, 6.75
_ROUNDING = 2.0**-36
"""Rounding must not turn a threshold of n into n + 1."""


@dataclass(frozen=True, eq=False)
class Splits:
    """One split of each of some sets of nodes."""

    budgets: Float64
    """How much of epsilon it spends."""
    least: Int64
    """The least noisy count required."""
    done: Bools
    """Whether only items are left: then this is the count of a basket."""


@dataclass(frozen=True, eq=False)
class Descent:
    """Baskets on their way from the root down; one entry of ``rows``, ``cut`` and ``items`` for each item of each."""

    lines: Int64
    """Each node below the root by its parent and itself."""
    heights: Int64
    inner: Int64
    going: Int64
    """Which baskets."""
    rows: Int64
    """The basket of each item."""
    cut: Int64
    """The node that represents it now; ascending in each basket."""
    items: Int64
    half: Int64
    """The rest of half of epsilon, in units; of each basket."""
    rest: Int64
    """The rest of all of it."""

    @classmethod
    def of(cls, tree: NodeTree, epsilon: float, offsets: Int64, items: Int32) -> Descent:
        """Every basket at the root; no basket is empty."""
        n, total = len(offsets) - 1, math.floor(epsilon / UNIT)
        below = np.arange(1, len(tree))
        return cls(
            np.sort(tree.parents[1:].astype(np.int64) * len(tree) + below),
            heights(tree),
            inner_nodes(tree),
            np.arange(n),
            np.repeat(np.arange(n), np.diff(offsets)),
            np.zeros(len(items), np.int64),
            items.astype(np.int64),
            np.full(n, total // 2),
            np.full(n, total),
        )

    @property
    def starts(self) -> Int64:
        """Where each basket begins."""
        return np.flatnonzero(np.diff(self.rows, prepend=-1))

    def split(self) -> tuple[Descent, Splits]:
        """Split every basket once."""
        n, starts = len(self.heights), self.starts
        first = (np.diff(self.rows, prepend=-1) != 0) | (np.diff(self.cut, prepend=-1) != 0)
        # The highest node, and of several the first one, whose number is least.
        node = -np.maximum.reduceat(self.heights[self.cut] * n - self.cut, starts) % n
        spent = self.half // np.add.reduceat(np.where(first, self.inner[self.cut], 0), starts)
        gives_way = self.cut == np.repeat(node, np.diff(starts, append=len(self.rows)))
        # The child above an item is the last one that does not come after it.
        under = np.searchsorted(self.lines, self.cut[gives_way] * n + self.items[gives_way], side="right") - 1
        cut = self.cut.copy()
        cut[gives_way] = self.lines[under] % n
        done = np.maximum.reduceat(self.heights[cut], starts) == 0
        budgets = np.where(done, self.rest, spent) * UNIT
        wanted = math.sqrt(2) * np.where(done, _C_BASKET, _C_SPLIT * self.heights[node])
        least = np.ceil(wanted / budgets * (1 - _ROUNDING)).astype(np.int64)
        after = Descent(
            self.lines,
            self.heights,
            self.inner,
            self.going,
            self.rows,
            cut,
            self.items,
            self.half - spent,
            self.rest - spent,
        )
        return after, Splits(budgets, least, done)

    def only(self, which: Bools) -> Descent:
        """Some of the baskets."""
        kept = np.repeat(which, np.diff(self.starts, append=len(self.rows)))
        return Descent(
            self.lines,
            self.heights,
            self.inner,
            self.going[which],
            self.rows[kept],
            self.cut[kept],
            self.items[kept],
            self.half[which],
            self.rest[which],
        )


@dataclass(frozen=True, eq=False)
class LastCounts:
    """The final count of each published basket."""

    budgets: Float64
    """Its epsilon."""
    least: Int64
    """The least that it may be."""


def last_counts(tree: NodeTree, epsilon: float, offsets: Int64, items: Int32) -> LastCounts:
    """Follow baskets, no basket empty, to their last split.

    Example:
        >>> from shoal.audit.trees import tree_of
        >>> from shoal.data.item_hierarchies import neighbours
        >>> tree = tree_of(neighbours("abcd", fanout=2))
        >>> found = last_counts(tree, 1.0, np.array([0, 2]), np.array([2, 5], np.int32))
        >>> found.budgets.round(3).tolist(), found.least.tolist()
        ([0.667], [6])
    """
    budgets, least = np.zeros(len(offsets) - 1), np.zeros(len(offsets) - 1, np.int64)
    descent = Descent.of(tree, epsilon, offsets, items)
    while len(descent.going):
        descent, splits = descent.split()
        last = descent.going[splits.done]
        budgets[last], least[last] = splits.budgets[splits.done], splits.least[splits.done]
        descent = descent.only(~splits.done)
    return LastCounts(budgets, least)
