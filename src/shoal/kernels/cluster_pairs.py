"""Pairs of items inside clusters: how many records of the cluster hold each pair, and how many subrecords still do."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types


@kernel(types.void, I8, I4, INT, INT, I8_OUT, INT, I8_OUT, I8_OUT)
def _index(
    offsets: Int64, items: Int32, first: int, last: int, local: Int64, n_local: int, place: Int64, rows: Int64
) -> None:
    """The rows with each numbered item: those of item i become rows[place[i]:place[i + 1]]."""
    for i in range(n_local + 1):
        place[i] = 0
    for j in range(offsets[first], offsets[last]):
        if local[items[j]] >= 0:
            place[local[items[j]]] += 1
    for i in range(n_local):
        place[i + 1] += place[i]
    # Each place is now where its item's rows end, and moves to where they start.
    for row in range(first, last):
        for j in range(offsets[row], offsets[row + 1]):
            if local[items[j]] >= 0:
                place[local[items[j]]] -= 1
                rows[place[local[items[j]]]] = row


@kernel(INT, I8, I4, I8_OUT, INT, I8_OUT, I8_OUT, I8_OUT, I8_OUT)
def _count_beside(
    offsets: Int64, items: Int32, local: Int64, one: int, place: Int64, rows: Int64, together: Int64, met: Int64
) -> int:
    """Count the items with higher numbers in the rows that hold this one, and list them in ``met``."""
    n_met = 0
    for i in range(place[one], place[one + 1]):
        for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
            other = local[items[j]]
            if other > one:
                if together[other] == 0:
                    met[n_met] = other
                    n_met += 1
                together[other] += 1
    return n_met


@kernel(types.Tuple((I8_OUT, I8_OUT, I8_OUT)), I8, I4, I8, I8, I4, I8, INT, INT)
def count_cluster_pairs(
    offsets: Int64,
    items: Int32,
    bounds: Int64,
    kept_offsets: Int64,
    kept_items: Int32,
    kept_bounds: Int64,
    n_items: int,
    k: int,
) -> tuple[Int64, Int64, Int64]:
    """Pairs of items that are each in k records of a cluster, by the number of its records that hold both.

    Cluster p has the records bounds[p] to before bounds[p + 1] of (offsets, items), and of what is kept of it the
    subrecords kept_bounds[p] to before kept_bounds[p + 1].

    Returns: at bounds[p] + c - 1, how many pairs of cluster p are together in exactly c of its records, and in how many
    subrecords all these pairs are together; at p, how many pairs of cluster p are together in any subrecord.
    """
    n_clusters = len(bounds) - 1
    pairs = np.zeros(bounds[-1], np.int64)
    instances = np.zeros(bounds[-1], np.int64)
    held = np.zeros(n_clusters, np.int64)
    widest, widest_kept = 0, 0
    for p in range(n_clusters):
        widest = max(widest, offsets[bounds[p + 1]] - offsets[bounds[p]])
        widest_kept = max(widest_kept, kept_offsets[kept_bounds[p + 1]] - kept_offsets[kept_bounds[p]])

    support = np.zeros(n_items, np.int64)
    local = np.full(n_items, -1, np.int64)  # frequent items of the cluster count from 0; others are -1
    together = np.zeros(n_items, np.int64)
    together_kept = np.zeros(n_items, np.int64)
    place = np.empty(n_items + 1, np.int64)
    place_kept = np.empty(n_items + 1, np.int64)
    rows = np.empty(widest, np.int64)
    rows_kept = np.empty(widest_kept, np.int64)
    met = np.empty(n_items, np.int64)
    met_kept = np.empty(n_items, np.int64)
    for p in range(n_clusters):
        start, end = offsets[bounds[p]], offsets[bounds[p + 1]]
        n_frequent = 0
        for j in range(start, end):
            support[items[j]] += 1
            if support[items[j]] == k:
                local[items[j]] = n_frequent
                n_frequent += 1
        _index(offsets, items, bounds[p], bounds[p + 1], local, n_frequent, place, rows)
        _index(kept_offsets, kept_items, kept_bounds[p], kept_bounds[p + 1], local, n_frequent, place_kept, rows_kept)
        for one in range(n_frequent):
            n_met = _count_beside(offsets, items, local, one, place, rows, together, met)
            n_kept = _count_beside(kept_offsets, kept_items, local, one, place_kept, rows_kept, together_kept, met_kept)
            for i in range(n_met):
                at = bounds[p] + together[met[i]] - 1
                pairs[at] += 1
                instances[at] += together_kept[met[i]]
                held[p] += together_kept[met[i]] > 0
                together[met[i]] = 0
            for i in range(n_kept):
                together_kept[met_kept[i]] = 0
        for j in range(start, end):
            support[items[j]] = 0
            local[items[j]] = -1
    return pairs, instances, held
