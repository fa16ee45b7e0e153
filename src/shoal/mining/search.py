"""Run the itemset search over all first items: in parts, by several threads, within limits."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Literal

import numpy as np

from shoal.data.arrays import Bools, Int32, Int64
from shoal.mining.index import Index
from shoal.run import Run

Kind = Literal["all", "closed", "maximal"]
# Parts of the search between which it reports and can be interrupted; their number does not depend on the threads.
_PARTS = 256


@dataclass(frozen=True)
class Limits:
    """Limits of a search's output."""

    sets: int
    """The largest number of sets."""
    numbers: int
    """The largest total of numbers: the items of each set, and its count."""


@dataclass(frozen=True, eq=False)
class Found:
    """Itemsets in the order in which they were found; the codes of a set are in any order."""

    offsets: Int64
    items: Int32
    counts: Int64
    complete: bool
    """Whether these are all; otherwise there are more than the limits allow."""

    def only(self, keep: Bools) -> Found:
        """The sets whose flag is true."""
        sizes = np.diff(self.offsets)
        offsets = np.append(0, np.cumsum(sizes[keep]))
        return Found(offsets, self.items[np.repeat(keep, sizes)], self.counts[keep], self.complete)

    def with_others(self, others: Found) -> Found:
        """These sets, and others after them."""
        return Found(
            np.append(self.offsets, self.offsets[-1] + others.offsets[1:]),
            np.append(self.items, others.items),
            np.append(self.counts, others.counts),
            self.complete and others.complete,
        )


def search(
    index: Index,
    least: int,
    kind: Kind,
    *,
    max_length: int | None,
    limits: Limits,
    run: Run,
) -> Found:
    """All itemsets of a kind in at least ``least`` records, or a part of them if the limits do not allow all."""
    parts = _even_parts(index)
    stop = np.zeros(1, np.int64)
    mine = _searcher(index, least, kind, max_length, limits, stop)
    lengths, items, counts = [np.empty(0, np.int64)], [np.empty(0, np.int32)], [np.empty(0, np.int64)]
    sets, numbers, done = 0, 0, 0

    def report() -> None:
        run.report("mine itemsets", done, len(parts))

    try:
        for found in run.map(mine, parts, waiting=report):
            done += 1
            lengths.append(found[0])
            items.append(found[1])
            counts.append(found[2])
            sets += len(found[0])
            numbers += len(found[0]) + len(found[1])
            if stop[0] or sets > limits.sets or numbers > limits.numbers:
                break
            report()
        complete = not stop[0] and sets <= limits.sets and numbers <= limits.numbers
    finally:
        stop[0] = 1  # whoever still works on a part, after an interruption, need not end it
    offsets = np.zeros(sets + 1, np.int64)
    np.cumsum(np.concatenate(lengths), out=offsets[1:])
    return Found(offsets, np.concatenate(items), np.concatenate(counts), complete)


def search_in_order(index: Index, least: int, max_length: int, enough: Callable[[Int64, Int64], bool]) -> Found:
    """The sets with the item of highest rank, then with the next one, and so on, until ``enough`` were found.

    With an index by code, sets of one length are found in lexicographic order from one item to the next.
    """
    unlimited = Limits(2**62, 2**62)
    mine = _searcher(index, least, "all", max_length, unlimited, np.zeros(1, np.int64))
    lengths, items, counts = [np.empty(0, np.int64)], [np.empty(0, np.int32)], [np.empty(0, np.int64)]
    for item in range(len(index.codes) - 1, -1, -1):
        found = mine((item, item + 1))
        lengths.append(found[0])
        items.append(found[1])
        counts.append(found[2])
        if enough(found[0], found[2]):
            break
    offsets = np.append(0, np.cumsum(np.concatenate(lengths)))
    return Found(offsets, np.concatenate(items), np.concatenate(counts), complete=True)


def _searcher(
    index: Index, least: int, kind: Kind, max_length: int | None, limits: Limits, stop: Int64
) -> Callable[[tuple[int, int]], tuple[Int64, Int32, Int64]]:
    """A function that finds the sets whose last item is in a range: their lengths, items, and counts."""
    from shoal.kernels.itemsets import ALL, CLOSED, MAXIMAL, mine_prefixes

    length = index.longest if max_length is None else min(max_length, index.longest)
    code = {"all": ALL, "closed": CLOSED, "maximal": MAXIMAL}[kind]
    most_perfect = np.array([_fewest_items(limits.sets, more) for more in range(min(length, 63) + 1)], np.int64)
    # A search gives up only if its size certainly exceeds the allowed number of sets.
    room = min(limits.numbers, limits.sets * (length + 1))

    def mine(part: tuple[int, int]) -> tuple[Int64, Int32, Int64]:
        found = mine_prefixes(
            index.offsets,
            index.items,
            index.holder_offsets,
            index.holders,
            *part,
            index.longest,
            least,
            code,
            length,
            most_perfect,
            room,
            stop,
        )
        heads = np.flatnonzero(found < 0)
        lengths = np.diff(heads, append=len(found)) - 1
        return lengths, index.codes[found[found >= 0]], -found[heads]

    return mine


def _fewest_items(most: int, more: int) -> int:
    """With so many items, more than ``most`` sets of up to ``more`` of them can be chosen."""
    if more == 0:
        return 2**62  # never: there is only the empty set
    return bisect_left(range(most + 1), True, key=lambda n: _subsets(n, more, most) > most)


def _subsets(n: int, more: int, most: int) -> int:
    """How many sets of up to ``more`` of n items there are; counting ends above ``most``."""
    total = 0
    for size in range(min(n, more) + 1):
        total += comb(n, size)
        if total > most:
            break
    return total


def _even_parts(index: Index) -> list[tuple[int, int]]:
    """Ranges of items with similar numbers of occurrences; the rarest first, so that explosions happen early."""
    wanted = np.linspace(0, len(index.holders), _PARTS + 1)
    bounds = np.unique(np.append(np.searchsorted(index.holder_offsets, wanted), len(index.codes))).tolist()
    return list(pairwise(bounds))[::-1]
