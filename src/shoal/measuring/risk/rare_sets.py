"""Count the itemsets that few records hold, over all records or by cluster, within limits of work and memory.

X. Liu, X. Feng, Y. Zhu: Transactional Data Anonymization for Privacy and Information Preservation via Disassociation
and Local Suppression, Symmetry 14, 2022: definitions 6 and 7 (problematic and minimal problematic itemsets), figure 5.

Deviation: Algorithm 1 makes candidates length by length. Here sets grow depth first along the records that hold them,
so only sets that occur are visited, and a set in only one record is not extended: the rest is a binomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np

from shoal.data.arrays import Int32, Int64, UInt8
from shoal.measuring.risk.equal_records import Distinct, distinct_records
from shoal.memory import available_memory
from shoal.mining.index import index_rows
from shoal.run import Run

WORK, WORK_A_RECORD = 1 << 30, 1 << 10
"""Maximum number of items of records visited in one search: half a minute for up to a million records."""
NONE = 255
"""The number of items needed, if no number is enough."""
_PARTS = 64
_CLUSTERS = 4096
_MOST = 2**62


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct records, and how often each of them occurs."""

    offsets: Int64
    items: Int32
    weights: Int64
    supports: Int64
    """The number of records with each item, with repetitions."""

    @property
    def total(self) -> int:
        """The number of records, with repetitions."""
        return int(self.weights.sum())


def merged(offsets: Int64, items: Int32, n_items: int) -> tuple[Records, Distinct]:
    """Records with equal ones merged, and the mapping."""
    from shoal.kernels.rows import take_rows

    distinct = distinct_records(offsets, items, n_items)
    supports = np.bincount(items, minlength=n_items).astype(np.int64)
    return Records(*take_rows(offsets, items, distinct.rows), distinct.counts, supports), distinct


def with_first(records: Records, rows: Int64) -> Records:
    """The same records with some of them at the front."""
    from shoal.kernels.rows import take_rows

    rest = np.ones(len(records.weights), bool)
    rest[rows] = False
    order = np.append(rows, np.flatnonzero(rest))
    taken = take_rows(records.offsets, records.items, order)
    return Records(*taken, records.weights[order], records.supports)


@dataclass(frozen=True, eq=False)
class RareSets:
    """The result of a search for sets of up to m items."""

    sets: Int64
    """The number of sets that occur: a row for each group of items, a column for each length from 1 on."""
    common: Int64
    """The number of them in k records or more."""
    minimal: Int64
    """The number of them that are minimal problematic."""
    parts: Int64
    """The number of minimal problematic sets with each item."""
    fewest: UInt8
    """The least number of items of each record that are in fewer than k records; NONE if m are not enough."""
    fewest_alone: UInt8
    """The least number of its items that are in no other record."""


def look(
    records: Records,
    k: int,
    m: int,
    *,
    groups: Int64 | None = None,
    n_marked: int | None = None,
    work: int | None = None,
    run: Run,
) -> RareSets | None:
    """Search all sets of up to m items, or those in the first ``n_marked`` records; None if that is too much.

    Args:
        records: the distinct records.
        k: sets in fewer than k records are rare.
        m: the longest sets.
        groups: the group of each item; no set may have items of two. By default all are in one.
        n_marked: if given, counts of sets are undefined, and ``fewest`` is for these records only.
        work: maximum number of steps.
        run: threads, progress and chance (:class:`shoal.Run`).
    """
    from shoal.kernels.rare_sets import count_rare_sets
    from shoal.kernels.set_table import EMPTY_TABLE

    n_items, n_records = len(records.supports), len(records.weights)
    n_frequent = int(np.count_nonzero(records.supports >= k))
    if n_frequent ** (m - 1) >= _MOST or _instances(records, m) >= _MOST:
        return None  # numbers that encode sets, or count them, would not fit
    codes = np.lexsort((np.arange(n_items), -records.supports)).astype(np.int32)
    index = index_rows(records.offsets, records.items, n_items, codes)
    group = np.zeros(n_items, np.int64) if groups is None else groups[codes]
    shape = (int(group.max(initial=0)) + 1, m + 1)
    sets, common, minimal = (np.zeros(shape, np.int64) for _ in range(3))
    parts = np.zeros(n_items, np.int64)
    marked = n_records if n_marked is None else n_marked
    fewest, alone = np.full(marked, NONE, np.uint8), np.full(marked, NONE, np.uint8)
    frequent = np.zeros(EMPTY_TABLE, np.int64)
    room = max(1 << 20, available_memory() // 8 // 8)  # a list may be copied while it grows; sets take as much
    left = np.array([max(WORK, WORK_A_RECORD * records.total) if work is None else work])
    bounds = np.searchsorted(index.holder_offsets, np.linspace(0, len(index.holders), _PARTS + 1))
    # Ranks ascend: the test whether a set is minimal looks up sets that were added before. Where that does not matter
    # the rarest items come first, because they are the most identifying.
    pieces = list(pairwise(np.unique(np.append(bounds, n_items)).tolist()))
    for done, (first, end) in enumerate(pieces if n_marked is None else reversed(pieces), start=1):
        frequent = count_rare_sets(
            index.offsets,
            index.items,
            records.weights,
            index.holder_offsets,
            index.holders,
            group,
            first,
            end,
            marked,
            k,
            m,
            n_frequent,
            frequent,
            room,
            left,
            sets.ravel(),
            common.ravel(),
            minimal.ravel(),
            parts,
            fewest,
            alone,
        )
        if left[0] < 0:
            return None
        run.report(f"search sets of up to {m}", done, len(pieces))
    by_code = np.zeros(n_items, np.int64)
    by_code[codes] = parts
    return RareSets(sets[:, 1:], common[:, 1:], minimal[:, 1:], by_code, fewest, alone)


def look_in_clusters(
    offsets: Int64, items: Int32, bounds: Int64, k: int, m: int, *, run: Run
) -> tuple[Int64, Int64, Int64] | None:
    """The number of all, common and minimal problematic sets of each cluster, by length; None if that is too much.

    Cluster p holds the records bounds[p], ..., bounds[p + 1] - 1.
    """
    n_clusters = len(bounds) - 1
    blocks = list(pairwise([*range(0, n_clusters, _CLUSTERS), n_clusters]))

    def counted(block: tuple[int, int]) -> RareSets | None:
        first, end = block
        rows = offsets[bounds[first] : bounds[end] + 1]
        cells = np.diff(offsets[bounds[first : end + 1]])
        cluster = np.repeat(np.arange(end - first), cells)
        # An item has a different code in each cluster, so that no set extends from one into the next.
        n_items = int(items.max(initial=0)) + 1
        names, labels = np.unique(cluster * n_items + items[rows[0] : rows[-1]], return_inverse=True)
        records, _ = merged(rows - rows[0], labels.astype(np.int32), len(names))
        return look(records, k, m, groups=names // n_items, run=run.reporting_to(lambda *_: None))

    found = []
    for done, block in enumerate(run.map(counted, blocks), start=1):
        if block is None:
            return None
        found.append(block)
        run.report(f"search sets of up to {m} in clusters", done, len(blocks))
    sets, common, minimal = ([getattr(one, name) for one in found] for name in ("sets", "common", "minimal"))
    return np.concatenate(sets), np.concatenate(common), np.concatenate(minimal)


def _instances(records: Records, m: int) -> int:
    """The number of sets of up to m items in records of these lengths, with repetitions."""
    lengths, counts = np.unique(np.diff(records.offsets), return_counts=True)
    each = zip(lengths.tolist(), counts.tolist(), strict=True)
    return sum(n * comb(length, size) for length, n in each for size in range(1, m + 1))
