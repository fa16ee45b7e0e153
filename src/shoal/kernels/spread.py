"""Spread sensitive items over clusters, so that no item exceeds its share of a cluster's records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64, UInt8
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, U1, U1_OUT, kernel, types


@kernel(types.void, I8, I4, U1, I8, INT, INT, INT, I8_OUT)
def _count(
    offsets: Int64, items: Int32, struck: UInt8, rows: Int64, low: int, high: int, change: int, count: Int64
) -> None:
    """Add ``change`` to the count of every item of rows[low:high] that was not struck out."""
    for i in range(low, high):
        for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
            if not struck[j]:
                count[items[j]] += change


@kernel(types.boolean, I8, I4, U1, INT, INT, I8, INT)
def _can_take(
    offsets: Int64, items: Int32, struck: UInt8, incoming: int, outgoing: int, count: Int64, allowed: int
) -> bool:
    """Whether a cluster with these counts may exchange row ``outgoing`` for ``incoming`` without a new excess."""
    for j in range(offsets[incoming], offsets[incoming + 1]):
        if struck[j]:
            continue
        item = items[j]
        after = count[item] + 1
        for i in range(offsets[outgoing], offsets[outgoing + 1]):
            if items[i] == item and not struck[i]:
                after -= 1
        if after > allowed:
            return False
    return True


@kernel(types.boolean, I8, I4, U1, I8_OUT, I8, U1, INT, INT, INT, INT, INT, I8_OUT, I8_OUT)
def _swap_away(
    offsets: Int64,
    items: Int32,
    struck: UInt8,
    rows: Int64,
    bounds: Int64,
    alike: UInt8,
    share: int,
    reach: int,
    p: int,
    at: int,
    item: int,
    here: Int64,
    there: Int64,
) -> bool:
    """Exchange the row at position ``at`` of cluster p for one without ``item`` in a nearby cluster, if one fits."""
    n_clusters = len(bounds) - 1
    row = rows[at]
    allowed = (bounds[p + 1] - bounds[p]) // share
    for step in range(1, reach + 1):
        for side in (-1, 1):
            q = p + side * step
            if q < 0 or q >= n_clusters:
                continue
            low, high = bounds[q], bounds[q + 1]
            _count(offsets, items, struck, rows, low, high, 1, there)
            found = -1
            for i in range(low, high):
                other = rows[i]
                if alike[other] != alike[row]:
                    continue
                holds = False
                for j in range(offsets[other], offsets[other + 1]):
                    if items[j] == item:
                        holds = True
                if holds:
                    continue
                if _can_take(offsets, items, struck, row, other, there, (high - low) // share) and _can_take(
                    offsets, items, struck, other, row, here, allowed
                ):
                    found = i
                    break
            _count(offsets, items, struck, rows, low, high, -1, there)
            if found >= 0:
                _count(offsets, items, struck, rows, at, at + 1, -1, here)
                _count(offsets, items, struck, rows, found, found + 1, 1, here)
                rows[at], rows[found] = rows[found], rows[at]
                return True
    return False


@kernel(U1_OUT, I8, I4, INT, I8_OUT, I8, U1, INT, INT)
def spread_items(
    offsets: Int64, items: Int32, n_items: int, rows: Int64, bounds: Int64, alike: UInt8, share: int, reach: int
) -> UInt8:
    """Keep every item to at most one in ``share`` rows of each cluster rows[bounds[p]:bounds[p + 1]].

    A row too many changes places with one of the ``reach`` clusters on either side that is ``alike`` (has the same
    flag); where none fits, the item is struck out of the row. Reorders ``rows``; returns a flag for every entry of
    ``items`` that was struck out.
    """
    struck = np.zeros(len(items), np.uint8)
    here = np.zeros(n_items, np.int64)
    there = np.zeros(n_items, np.int64)
    for p in range(len(bounds) - 1):
        low, high = bounds[p], bounds[p + 1]
        allowed = (high - low) // share
        _count(offsets, items, struck, rows, low, high, 1, here)
        for at in range(low, high):
            moved = True
            while moved:  # what comes in may itself hold an item that is over its share: look at the place again
                moved = False
                row = rows[at]
                for j in range(offsets[row], offsets[row + 1]):
                    if (
                        not struck[j]
                        and here[items[j]] > allowed
                        and _swap_away(
                            offsets, items, struck, rows, bounds, alike, share, reach, p, at, items[j], here, there
                        )
                    ):
                        moved = True
                        break
        # Rows with something else to say lose the item first; the flag tells which these are.
        for keeps in (1, 0):
            for at in range(low, high):
                row = rows[at]
                for j in range(offsets[row], offsets[row + 1]):
                    if not struck[j] and here[items[j]] > allowed and (alike[row] == 1) == (keeps == 1):
                        struck[j] = 1
                        here[items[j]] -= 1
        for i in range(low, high):
            for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                here[items[j]] = 0
    return struck
