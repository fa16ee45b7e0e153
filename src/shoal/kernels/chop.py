"""Cut parts that are too large into balanced pieces, independently of the order of the records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types
from shoal.kernels.rows import row_precedes, sort_rows


@kernel(types.void, I8_OUT, INT, INT, I8, I8_OUT)
def _deal(rows: Int64, low: int, high: int, cuts: Int64, scratch: Int64) -> None:
    """Distribute rows[low:high] over the pieces that ``cuts`` defines: one to each in turn."""
    for i in range(low, high):
        scratch[i] = rows[i]
    first = 0
    while cuts[first + 1] <= low:
        first += 1
    taken = low
    turn = 0
    while taken < high:
        piece = first
        while piece + 1 < len(cuts) and cuts[piece] < high:
            slot = max(cuts[piece], low) + turn
            if slot < min(cuts[piece + 1], high):
                rows[slot] = scratch[taken]
                taken += 1
            piece += 1
        turn += 1


@kernel(I8_OUT, I8, I4, I8, I4, I8_OUT, I8, INT)
def chop_parts(
    offsets: Int64, items: Int32, spread_offsets: Int64, spread_items: Int32, rows: Int64, bounds: Int64, most: int
) -> Int64:
    """Cut every part of more than ``most`` rows into balanced pieces; returns the new bounds and reorders ``rows``.

    The rows of such a part are first sorted by their items. Equal rows are distributed over the pieces in the order of
    their ``spread`` items, so that equal spread items go to different pieces.
    """
    n = len(rows)
    n_parts = len(bounds) - 1
    scratch = np.empty(n, np.int64)
    n_pieces = 0
    for p in range(n_parts):
        n_pieces += (bounds[p + 1] - bounds[p] + most - 1) // most
    out = np.empty(n_pieces + 1, np.int64)
    out[0] = 0
    done = 0
    for p in range(n_parts):
        low, high = bounds[p], bounds[p + 1]
        pieces = (high - low + most - 1) // most
        for piece in range(pieces):
            out[done + piece + 1] = low + (high - low) * (piece + 1) // pieces
        if pieces > 1:
            # Two stable sorts: by the spread items first, then by the items that count.
            if len(spread_items) > 0:
                sort_rows(spread_offsets, spread_items, rows, low, high, scratch)
            sort_rows(offsets, items, rows, low, high, scratch)
            cuts = out[done : done + pieces + 1]
            start = low if len(spread_items) > 0 else high
            for i in range(start + 1, high + 1):
                if i == high or row_precedes(offsets, items, rows[start], rows[i]):
                    if i - start > 1:
                        _deal(rows, start, i, cuts, scratch)
                    start = i
        done += pieces
    return out
