"""Count the rows that contain sets of items, or exact subsets of them, with items as bit masks over a block of rows."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.bits import BITS, ones
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types


@kernel(types.void, I8, I4, INT, INT, I8, INT, I8_OUT)
def mark_rows(offsets: Int64, items: Int32, first: int, last: int, place: Int64, words: int, masks: Int64) -> None:
    """Set bit r - first of the mask of each item of the rows r = first, ..., last - 1; masks are zero before.

    The mask of item i is place[i], ``words`` words long; an item whose place is negative has none.
    """
    for r in range(first, last):
        word, bit = (r - first) // BITS, 1 << ((r - first) % BITS)
        for c in range(offsets[r], offsets[r + 1]):
            at = place[items[c]]
            if at >= 0:
                masks[at * words + word] |= bit


@kernel(INT, I8, I8, INT)
def _count_both(left: Int64, right: Int64, words: int) -> int:
    """How many bits two masks share."""
    total = 0
    for w in range(words):
        total += ones(left[w] & right[w])
    return total


@kernel(types.void, I8, I8, INT, I8_OUT)
def _keep_both(left: Int64, right: Int64, words: int, shared: Int64) -> None:
    """Write the bits that two masks share."""
    for w in range(words):
        shared[w] = left[w] & right[w]


@kernel(types.void, I8, INT, I4, INT, I8_OUT)
def count_sets_in_masks(masks: Int64, words: int, members: Int32, size: int, counts: Int64) -> None:
    """Add to counts[s] the number of rows in all masks members[s * size], ..., members[s * size + size - 1].

    Sets that follow one another and begin alike share what their first masks have in common.
    """
    # What the masks 0, ..., d of a set share stands at d - 1; that of the last one is only counted.
    shared = np.empty(max(1, size - 2) * words, np.int64)
    for s in range(len(counts)):
        base = s * size
        alike = 0
        if s > 0:
            while alike < size - 1 and members[base + alike] == members[base - size + alike]:
                alike += 1
        # Views of the masks, of which the compiler knows that no place is negative: twice as fast.
        left = masks[members[base] * words : (members[base] + 1) * words]
        for d in range(max(1, alike), size - 1):
            if d > 1:
                left = shared[(d - 2) * words : (d - 1) * words]
            right = masks[members[base + d] * words : (members[base + d] + 1) * words]
            _keep_both(left, right, words, shared[(d - 1) * words : d * words])
        if size > 2:
            left = shared[(size - 3) * words : (size - 2) * words]
        last = members[base + size - 1]
        counts[s] += _count_both(left, masks[last * words : (last + 1) * words], words)


@kernel(types.void, I8, INT, INT, I4, INT, I8_OUT)
def count_patterns_in_masks(masks: Int64, words: int, n_rows: int, members: Int32, size: int, counts: Int64) -> None:
    """Add to counts[(s << size) + x] how many rows are in mask t of set s where bit t of x is set, and only there."""
    patterns = 1 << size
    parts = np.empty(patterns, np.int64)
    for s in range(len(counts) // patterns):
        for w in range(words):
            rows = min(BITS, n_rows - w * BITS)
            if rows <= 0:
                break
            parts[0] = (1 << rows) - 1
            n = 1
            for t in range(size):
                mask = masks[members[s * size + t] * words + w]
                for x in range(n):
                    parts[n + x] = parts[x] & mask
                    parts[x] = parts[x] & ~mask
                n *= 2
            for x in range(patterns):
                counts[s * patterns + x] += ones(parts[x])
