"""The records of each item: a transposed ragged array, and sets of records as bit masks."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.bits import BITS, ones
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, kernel, types


@kernel(types.Tuple((I8_OUT, I4_OUT)), I8, I4, I4, INT)
def inverted(offsets: Int64, values: Int32, label: Int32, n_labels: int) -> tuple[Int64, Int32]:
    """For each label the rows that hold a value of that label, ascending; values with a negative label are left out."""
    # Counts stand two places on, so that they are starts after adding up, and ends after the rows are laid.
    starts = np.zeros(n_labels + 2, np.int64)
    for c in range(len(values)):
        if label[values[c]] >= 0:
            starts[label[values[c]] + 2] += 1
    for v in range(n_labels):
        starts[v + 2] += starts[v + 1]
    rows = np.empty(starts[n_labels + 1], np.int32)
    for row in range(len(offsets) - 1):
        for c in range(offsets[row], offsets[row + 1]):
            to = label[values[c]]
            if to >= 0:
                rows[starts[to + 1]] = row
                starts[to + 1] += 1
    return starts[: n_labels + 1], rows


@kernel(types.void, I8, I4, I8, INT, INT, INT, I8, I8_OUT)
def _mark_records(
    offsets: Int64,
    items: Int32,
    records: Int64,
    start: int,
    end: int,
    bound: int,
    mask_of: Int64,
    masks: Int64,
) -> None:
    """Set bit b of the mask at mask_of[i], if that is not 0, for the items i < bound of the b-th record of a range."""
    for b in range(end - start):
        word, bit = b // BITS, 1 << (b % BITS)
        for c in range(offsets[records[start + b]], offsets[records[start + b] + 1]):
            if items[c] >= bound:
                break
            if mask_of[items[c]] > 0:
                masks[mask_of[items[c]] + word] |= bit


@kernel(INT, I8_OUT, INT, INT, INT, INT)
def _meet(masks: Int64, a: int, b: int, to: int, words: int) -> int:
    """Write the common bits of the masks at a and b to ``to``, and count them."""
    total = 0
    for w in range(words):
        shared = masks[a + w] & masks[b + w]
        masks[to + w] = shared
        total += ones(shared)
    return total


@kernel(I8_OUT, I8_OUT, INT)
def _longer(values: Int64, needed: int) -> Int64:
    """The array itself if it has room for so many values, otherwise a copy of at least twice its length."""
    if needed <= len(values):
        return values
    grown = np.empty(max(needed, 2 * len(values)), np.int64)
    for v in range(len(values)):
        grown[v] = values[v]
    return grown
