"""Sort many rows lexicographically, and copy each once: by their first values as a number, then by all values."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types
from shoal.kernels.rows import lay_rows, sort_rows, take_rows


@kernel(I8_OUT, I8, I4, INT)
def leading_values(offsets: Int64, values: Int32, bits: int) -> Int64:
    """The first values of each row as one number, as many as fit: different numbers have the order of their rows."""
    fit = 63 // bits
    keys = np.zeros(len(offsets) - 1, np.int64)
    for r in range(len(keys)):
        key = np.int64(0)
        for v in range(offsets[r], offsets[r] + fit):
            key = key << bits
            if v < offsets[r + 1]:
                key |= np.int64(values[v])
        keys[r] = key
    return keys


@kernel(types.void, I8, I4, I8, I8_OUT)
def sort_ties(offsets: Int64, values: Int32, keys: Int64, rows: Int64) -> None:
    """Sort adjacent row numbers with equal keys by the contents of the rows."""
    scratch = np.empty(len(rows), np.int64)
    start = 0
    for r in range(1, len(rows) + 1):
        if r == len(rows) or keys[rows[r]] != keys[rows[start]]:
            if r - start > 1:
                sort_rows(offsets, values, rows, start, r, scratch)
            start = r


def lay_in_order(parts: list[tuple[Int64, Int32]]) -> tuple[Int64, Int32, Int64]:
    """The rows of several ragged arrays as one, in lexicographic order, with the original number of each row.

    Rows are copied once, straight to their places: of large arrays every further copy takes as long as all the rest.
    """
    bits = _bits_of([values for _, values in parts])
    keys = np.concatenate([leading_values(offsets, values, bits) for offsets, values in parts])
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in parts])
    order = np.argsort(keys, kind="stable").astype(np.int64, copy=False)
    keys = keys[order]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[order])])
    place = np.empty(len(order), np.int64)
    place[order] = starts[:-1]
    laid = np.empty(starts[-1], np.int32)
    first = 0
    for offsets, values in parts:
        lay_rows(laid, place[first : first + len(offsets) - 1], offsets, values)
        first += len(offsets) - 1
    # What the first values do not decide is decided, and moved, in place.
    rows = np.arange(len(order))
    sort_ties(starts, laid, keys, rows)
    moved = np.flatnonzero(rows != np.arange(len(rows)))
    if len(moved):
        tied = np.flatnonzero(np.isin(keys, keys[moved]))
        ends, values = take_rows(starts, laid, rows[tied])
        order = order[rows]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[order])])
        lay_rows(laid, starts[tied], ends, values)
    return starts, laid, order


def _bits_of(parts: list[Int32]) -> int:
    """How many bits a value of these takes."""
    return max(1, max(int(values.max(initial=0)) for values in parts).bit_length())
