"""Itemsets that an analysis needs: clustering and chunking try to keep them together.

Liu, Feng, Zhu 2022 name utility constraints, "specific itemsets satisfying intended analysis requirements", as future
work. Here, records that hold a wanted set form clusters of their own. In such a cluster its items are in all records:
no set of them is rare, and they fit into one chunk for every k and m. In other clusters the items of wanted sets are
put into chunks first, set by set.

The set in the fewest records comes first: a record with {a, b, c} then also keeps {a, b}; the reverse does not hold.
Sets in too few records for a cluster come last, and are kept only by chance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from shoal.data.arrays import Int32, Int64, UInt8
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.quoting import listed, shown


@dataclass(frozen=True, eq=False)
class Wanted:
    """The wanted sets, in the order of their processing."""

    holders: tuple[Int64, ...]
    """The records that hold each set."""
    rank: Int32
    """The number of the first set that has each item; items of none come after all of them."""

    @classmethod
    def of(cls, data: Transactions, itemsets: Iterable[Iterable[str]], sensitive: UInt8, least: int) -> Wanted:
        """Build from the names of items; a cluster needs ``least`` records.

        Raises:
            InputError: a set has fewer than two items, one that is not in the data, or a sensitive one.
        """
        sets = []
        for names in sorted({frozenset(items) for items in itemsets}, key=sorted):
            if len(names) < 2:
                raise InputError(f"an itemset to keep must have two items or more, not {listed(sorted(names))}")
            codes = np.sort(data.codes_of(names))
            if sensitive[codes].any():
                item = data.vocabulary[int(codes[sensitive[codes] > 0][0])].as_py()
                raise InputError(
                    f"{shown(item)} is sensitive, so it must not be linked to other items: it cannot be kept in a set"
                )
            sets.append(codes)
        holders = _holders(data, sets)
        counts = [len(records) for records in holders]
        order = sorted(range(len(sets)), key=lambda at: (counts[at] < least, counts[at], sets[at].tolist()))
        rank = np.full(data.n_items, min(len(sets), max(data.n_items - 1, 0)), np.int32)
        for number, at in reversed(list(enumerate(order))):
            rank[sets[at]] = min(number, data.n_items - 1)
        return cls(tuple(holders[at] for at in order), rank)

    def among(self, records: Int64) -> Wanted:
        """The same for some records, given by ascending number, which include all records that hold the sets."""
        return replace(self, holders=tuple(np.searchsorted(records, holders) for holders in self.holders))

    def groups(self, n_records: int, least: int) -> Int64 | None:
        """The groups of records to cluster separately, by number; None if all records are one group.

        A set gets a group if enough remaining records hold it, and if enough records remain for the last group, if any.
        """
        group = np.full(n_records, -1, np.int64)
        n_groups, rest = 0, n_records
        for holders in self.holders:
            free = holders[group[holders] < 0]
            left = rest - len(free)
            if len(free) >= least and (left >= least or left == 0):
                group[free] = n_groups
                n_groups, rest = n_groups + 1, left
        group[group < 0] = n_groups
        return group if n_groups else None


def _holders(data: Transactions, sets: list[Int32]) -> list[Int64]:
    """The records that hold each set, ascending."""
    if not sets:
        return []
    needed = np.zeros(data.n_items, bool)
    needed[np.concatenate(sets)] = True
    at = np.flatnonzero(needed[data.items])
    record = np.searchsorted(data.offsets, at, side="right") - 1
    by_item = np.argsort(data.items[at], kind="stable")
    codes, starts = np.unique(data.items[at[by_item]], return_index=True)
    records_of = dict(zip(codes.tolist(), np.split(record[by_item], starts[1:]), strict=True))
    found = []
    for codes in sets:
        holders = records_of[int(codes[0])]
        for code in codes[1:].tolist():
            holders = np.intersect1d(holders, records_of[code], assume_unique=True)
        found.append(holders)
    return found
