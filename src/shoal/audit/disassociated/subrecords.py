"""The subrecords of all chunks, sorted, with equal ones merged and counted.

A chunk is a bag of sets (Terrovitis et al., VLDB 2012, section 3): counting uses its distinct subrecords and how often
each occurs. In a canonical release equal subrecords are adjacent, so merging costs one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Int32, Int64
from shoal.release.disassociated import Disassociated

_COMPARED = 1_000_000
"""How many items are compared with their neighbours together."""


@dataclass(frozen=True, eq=False)
class Bags:
    """Distinct non-empty subrecords, chunk after chunk; the items of each ascend."""

    chunk: Int64
    """The chunk of each distinct subrecord, ascending."""
    weight: Int64
    """How often it occurs in its chunk."""
    offsets: Int64
    items: Int32

    @property
    def lengths(self) -> Int64:
        """The number of items of each distinct subrecord."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Order:
    """Faults found while reading: each the number of the first faulty subrecord, or None."""

    descending: int | None
    """Its items do not ascend."""
    repeated: int | None
    """It holds an item twice."""
    misplaced: int | None
    """It should come before the previous subrecord."""


def read(release: Disassociated) -> tuple[Order, Bags]:
    """Sort what is not sorted, merge equal subrecords, and report what was out of order.

    An item that occurs twice in a subrecord remains twice: check ``repeated`` before counting.
    """
    offsets, items = release.subrecord_offsets, release.items
    chunk = np.repeat(np.arange(release.n_chunks, dtype=np.int64), np.diff(release.chunk_offsets))
    descending, repeated = None, None
    unsorted = _first_without_ascent(offsets, items)
    if unsorted is not None:
        items, repeated = _sort_inside(offsets, items, len(release.vocabulary))
        straightened = _first_without_ascent(offsets, release.items, allow_equal=True)
        descending = straightened
    equal, misplaced = _compare_neighbours(chunk, offsets, items)
    first_misplaced = int(misplaced[0]) if len(misplaced) else None
    if first_misplaced is not None or descending is not None:
        rows = _hash_order(chunk, offsets, items)
        chunk, (offsets, items) = chunk[rows], _take_rows(offsets, items, rows)
        equal, _ = _compare_neighbours(chunk, offsets, items)
    return Order(descending, repeated, first_misplaced), _merge(chunk, offsets, items, equal)


def _first_without_ascent(offsets: Int64, items: Int32, *, allow_equal: bool = False) -> int | None:
    if len(items) < 2:
        return None
    fine = items[1:] >= items[:-1] if allow_equal else items[1:] > items[:-1]
    starts = offsets[1:-1]
    fine[starts[(starts > 0) & (starts < len(items))] - 1] = True
    if fine.all():
        return None
    return int(np.searchsorted(offsets, int(np.argmin(fine)) + 1, side="right")) - 1


def _sort_inside(offsets: Int64, items: Int32, n_items: int) -> tuple[Int32, int | None]:
    row = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    keys = row * n_items + items
    keys.sort()
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    return (keys % n_items).astype(np.int32), int(row[twice[0]]) if len(twice) else None


def _compare_neighbours(chunk: Int64, offsets: Int64, items: Int32) -> tuple[Bools, Int64]:
    """Which subrecords equal the previous one in their chunk, and which should have come before it."""
    count = len(chunk)
    lengths = np.diff(offsets)
    same_chunk = np.zeros(count, bool)
    np.equal(chunk[1:], chunk[:-1], out=same_chunk[1:])
    before = np.zeros(count, np.int64)
    before[1:] = lengths[:-1]
    before[~same_chunk] = 0
    prefix, wrong = same_chunk.copy(), np.zeros(count, bool)
    start = 0
    while start < count:
        end = int(np.searchsorted(offsets, offsets[start] + _COMPARED, side="right")) - 1
        end = min(max(end, start + 1), count)
        _compare_block(start, end, lengths, before, offsets, items, prefix, wrong)
        start = end
    wrong |= prefix & (lengths < before)
    return prefix & (lengths == before), np.flatnonzero(wrong).astype(np.int64)


def _compare_block(
    start: int, end: int, lengths: Int64, before: Int64, offsets: Int64, items: Int32, prefix: Bools, wrong: Bools
) -> None:
    """Clear ``prefix`` where a subrecord differs from the previous one, and set ``wrong`` where it is less."""
    # Only places that both neighbours have are compared: the first min(length, length before) of each subrecord.
    compared = np.minimum(before[start:end], lengths[start:end])
    row = np.repeat(np.arange(start, end), compared)
    skipped = offsets[start:end] - (np.cumsum(compared) - compared)
    place = np.arange(len(row), dtype=np.int64) + np.repeat(skipped, compared)
    right = items[place]
    place -= before[row]
    left = items[place]
    differ = np.flatnonzero(left != right)
    differing_row = row[differ]
    first = np.ones(len(differ), bool)
    np.not_equal(differing_row[1:], differing_row[:-1], out=first[1:])
    decisive, decided_row = differ[first], differing_row[first]
    prefix[decided_row] = False
    wrong[decided_row[right[decisive] < left[decisive]]] = True


def _hash_order(chunk: Int64, offsets: Int64, items: Int32) -> Int64:
    """An order of the subrecords by chunk, then by a hash, so that equal ones become neighbours.

    Only the order comes from the hash; equality is still decided on the items. If two different subrecords collide,
    equal ones may remain separate and count as two: an error on the strict side.
    """
    mixed = items.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    return np.lexsort((sums[offsets[1:]] - sums[offsets[:-1]], chunk)).astype(np.int64)


def _take_rows(offsets: Int64, items: Int32, rows: Int64) -> tuple[Int64, Int32]:
    lengths = np.diff(offsets)[rows]
    taken = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=taken[1:])
    place = np.arange(taken[-1], dtype=np.int64) + np.repeat(offsets[:-1][rows] - taken[:-1], lengths)
    return taken, items[place]


def merge_chunks(bags: Bags, shortest: int) -> Bags:
    """The distinct subrecords of at least ``shortest`` items of all chunks, as if these were one chunk."""
    rows = np.flatnonzero(bags.lengths >= shortest)
    offsets, items = _take_rows(bags.offsets, bags.items, rows)
    one = np.zeros(len(rows), np.int64)
    order = _hash_order(one, offsets, items)
    offsets, items = _take_rows(offsets, items, order)
    equal, _ = _compare_neighbours(one, offsets, items)
    first = np.flatnonzero(~equal)
    if len(first) == 0:
        return Bags(one, one, offsets, items)
    weight = np.add.reduceat(bags.weight[rows[order]], first)
    return Bags(one[first], weight, *_take_rows(offsets, items, first))


def _merge(chunk: Int64, offsets: Int64, items: Int32, equal: Bools) -> Bags:
    first = np.flatnonzero(~equal)
    weight = np.diff(np.append(first, len(chunk)))
    keep = ~equal & (np.diff(offsets) > 0)
    filled = keep[first]
    if keep.all():
        return Bags(chunk, weight, offsets, items)
    lengths = np.diff(offsets)
    kept = np.zeros(int(np.count_nonzero(keep)) + 1, np.int64)
    np.cumsum(lengths[keep], out=kept[1:])
    return Bags(chunk[keep], weight[filled].astype(np.int64), kept, items[np.repeat(keep, lengths)])
