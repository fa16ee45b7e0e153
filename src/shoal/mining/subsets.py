"""Find subsets and supersets among itemsets: each set without one of its items, and with one more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.errors import InputError
from shoal.quoting import listed


class CountedSets(Protocol):
    """Itemsets with counts, which are whole numbers of records, or means of such numbers."""

    @property
    def offsets(self) -> Int64:
        """Where each set starts."""

    @property
    def items(self) -> Int32:
        """Item codes, set after set, ascending in each."""

    @property
    def counts(self) -> npt.NDArray[Any]:
        """In how many records each set is."""

    @property
    def sizes(self) -> Int64:
        """How many items each set has."""

    @property
    def vocabulary(self) -> pa.Array:
        """The items' names."""

    @property
    def n_records(self) -> int:
        """How many records there are."""

    @property
    def bounds(self) -> tuple[Int64, Int64] | None:
        """The certain bounds of each count, if counts are means; otherwise None."""

    def names(self) -> pa.Array:
        """The items of each set by name."""

    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Subsets:
    """The itemsets as a tree: the parent of a set is the set without its last item; the empty set is -1."""

    keys: Int64
    """(parent + 1) * n_items + last item, of each set, ascending."""
    sets: Int64
    """The set of each key."""
    without: Int64
    """For each item of each set, the number of the set without it."""
    n_items: int

    def extended(self, parent: Int64, item: Int64) -> Int64:
        """The numbers of sets with one more, greater item; -2 if there is no such set."""
        if len(self.keys) == 0:
            return np.full(len(parent), -2, np.int64)
        wanted = (parent + 1) * self.n_items + item
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where((self.keys[at] == wanted) & (parent > -2), self.sets[at], -2)


def subsets_of(itemsets: CountedSets) -> Subsets:
    """Find all of them, length by length; a missing subset is an InputError that names it."""
    sizes = itemsets.sizes
    n_items = max(1, len(itemsets.vocabulary))
    without = np.full(len(itemsets.items), -1, np.int64)
    tree = Subsets(np.empty(0, np.int64), np.empty(0, np.int64), without, n_items)
    for size in range(1, int(sizes.max(initial=0)) + 1):
        sets = np.flatnonzero(sizes == size)
        cells = itemsets.offsets[sets][:, None] + np.arange(size)
        items = itemsets.items[cells].astype(np.int64)
        parent = np.full(len(sets), -1, np.int64)
        for place in range(size - 1):
            parent = tree.extended(parent, items[:, place])
        _require(parent, itemsets, sets, size - 1)
        without[cells[:, -1]] = parent
        for place in range(size - 1):
            # Without an earlier item, it is the parent without that item, plus the last item.
            inner = without[itemsets.offsets[parent] + place]
            left = tree.extended(inner, items[:, -1])
            _require(left, itemsets, sets, place)
            without[cells[:, place]] = left
        keys = np.append(tree.keys, (parent + 1) * n_items + items[:, -1])
        order = np.argsort(keys, kind="stable")
        tree = Subsets(keys[order], np.append(tree.sets, sets)[order], without, n_items)
    return tree


def _require(found: Int64, itemsets: CountedSets, sets: Int64, place: int) -> None:
    if len(found) and found.min() == -2:
        start, end = itemsets.offsets[sets[np.argmin(found)]], itemsets.offsets[sets[np.argmin(found)] + 1]
        codes = np.delete(itemsets.items[start:end], place)
        words = listed(itemsets.vocabulary.take(codes).to_pylist())
        raise InputError(
            f"{{{words}}} is a subset of an itemset, but not among them: rules need all frequent itemsets, not only "
            "closed, maximal or top ones"
        )
