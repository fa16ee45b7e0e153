"""Rows of a ragged array in lexicographic order: the canonical order of everything that is published."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, kernel, types


@kernel(types.boolean, I8, I4, INT, INT)
def row_precedes(offsets: Int64, values: Int32, a: int, b: int) -> bool:
    """Whether row a comes before row b, a shorter row before a longer one that starts with it."""
    i, end_i = offsets[a], offsets[a + 1]
    j, end_j = offsets[b], offsets[b + 1]
    while i < end_i and j < end_j:
        if values[i] != values[j]:
            return bool(values[i] < values[j])
        i += 1
        j += 1
    return bool(i == end_i and j < end_j)


@kernel(types.void, I8, I4, I8_OUT, INT, INT, INT, I8_OUT)
def merge_rows(offsets: Int64, values: Int32, rows: Int64, low: int, middle: int, high: int, scratch: Int64) -> None:
    """Merge the sorted row numbers rows[low:middle] and rows[middle:high], in place and stably."""
    if middle >= high or not row_precedes(offsets, values, rows[middle], rows[middle - 1]):
        return
    i, j, out = low, middle, low
    while i < middle or j < high:
        if i == middle or (j < high and row_precedes(offsets, values, rows[j], rows[i])):
            scratch[out] = rows[j]
            j += 1
        else:
            scratch[out] = rows[i]
            i += 1
        out += 1
    for i in range(low, high):
        rows[i] = scratch[i]


@kernel(types.void, I8, I4, I8_OUT, INT, INT, I8_OUT)
def sort_rows(offsets: Int64, values: Int32, rows: Int64, start: int, end: int, scratch: Int64) -> None:
    """Sort the row numbers rows[start:end] by the rows' contents, in place and stably; scratch is as long as rows."""
    # Runs of up to 8 by insertion, then merged bottom-up: clusters are small, so most calls end with the first part.
    run = 8
    for low in range(start, end, run):
        high = min(low + run, end)
        for i in range(low + 1, high):
            moving = rows[i]
            j = i - 1
            while j >= low and row_precedes(offsets, values, moving, rows[j]):
                rows[j + 1] = rows[j]
                j -= 1
            rows[j + 1] = moving
    while run < end - start:
        for low in range(start, end, 2 * run):
            merge_rows(offsets, values, rows, low, min(low + run, end), min(low + 2 * run, end), scratch)
        run *= 2


def sorted_rows(offsets: Int64, values: Int32) -> Int64:
    """The numbers of all rows in lexicographic order of their contents."""
    rows = np.arange(len(offsets) - 1)
    sort_rows(offsets, values, rows, 0, len(rows), np.empty_like(rows))
    return rows


@kernel(I8_OUT, I8, I4, I8)
def row_ranks(offsets: Int64, values: Int32, order: Int64) -> Int64:
    """The place of each row among the different rows in lexicographic order."""
    ranks = np.empty(len(order), np.int64)
    rank = 0
    for i in range(len(order)):
        if i > 0 and row_precedes(offsets, values, order[i - 1], order[i]):
            rank += 1
        ranks[order[i]] = rank
    return ranks


@kernel(types.Tuple((I8_OUT, I4_OUT)), I8, I4, I8)
def take_rows(offsets: Int64, values: Int32, rows: Int64) -> tuple[Int64, Int32]:
    """The given rows, in the given order, as a new ragged array."""
    taken = np.empty(len(rows) + 1, np.int64)
    taken[0] = 0
    for r in range(len(rows)):
        taken[r + 1] = taken[r] + offsets[rows[r] + 1] - offsets[rows[r]]
    out = np.empty(taken[-1], np.int32)
    at = 0
    for r in range(len(rows)):
        for j in range(offsets[rows[r]], offsets[rows[r] + 1]):
            out[at] = values[j]
            at += 1
    return taken, out


@kernel(types.void, I4_OUT, I8_OUT, I8, I4)
def lay_rows(out: Int32, at: Int64, offsets: Int64, values: Int32) -> None:
    """Copy row r to out[at[r]:] for every r, and move at[r] past it."""
    for r in range(len(offsets) - 1):
        to = at[r] - offsets[r]
        for j in range(offsets[r], offsets[r + 1]):
            out[to + j] = values[j]
        at[r] = to + offsets[r + 1]
