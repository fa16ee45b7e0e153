"""Flip items of rows at random, at the cost of the ones and the flips, not of all cells."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, kernel, types

GUIDE_BITS = 10
"""The number of first bits by which the guide finds a number's place among the thresholds."""
SHORT_BITS = 31
"""The bits of a short number; if a threshold begins with the same bits, more bits, up to 63, decide."""


@kernel(INT, I4, I8, I8, I8, I8_OUT, INT, INT, I8_OUT)
def draw_flips(
    numbers: Int32,
    more: Int64,
    thresholds: Int64,
    guide: Int64,
    state: Int64,
    start: int,
    end: int,
    flips: Int64,
) -> int:
    """Append the cells from ``start`` to ``end`` that are flipped to ``flips``, after its first state[0] entries.

    A number below thresholds[g], and below no earlier one, says that g cells stay and the next one is flipped; one
    below none, that as many cells stay as there are thresholds. The guide says how many thresholds are at most a number
    with given first bits. Of ``more``, whose last bits make short numbers long, state[1] were used. Returns the cell
    from which on more numbers are needed, or ``end``.
    """
    found, used = state[0], state[1]
    cell = start
    rest = 63 - SHORT_BITS
    for d in range(len(numbers)):
        if cell >= end or used == len(more):
            break
        number = np.int64(numbers[d])
        gap = guide[number >> (SHORT_BITS - GUIDE_BITS)]
        while gap < len(thresholds) and number > thresholds[gap] >> rest:
            gap += 1
        if gap < len(thresholds) and number == thresholds[gap] >> rest:
            number = number << rest | (more[used] & ((1 << rest) - 1))
            used += 1
            while gap < len(thresholds) and number >= thresholds[gap]:
                gap += 1
        cell += gap
        if gap < len(thresholds) and cell < end:
            flips[found] = cell
            found += 1
            cell += 1
    state[0], state[1] = found, used
    return min(cell, end)


@kernel(types.Tuple((I8_OUT, I4_OUT)), I8, I4, INT, INT, INT, I8, INT)
def flip_rows(
    offsets: Int64, items: Int32, first: int, last: int, n_items: int, flips: Int64, n_flips: int
) -> tuple[Int64, Int32]:
    """The rows first, ..., last - 1 with flipped cells: present items become absent, and absent items present.

    Cell ``(r - first) * n_items + i`` is item i of row r; the flips ascend.
    """
    lengths = np.empty(last - first + 1, np.int64)
    out = np.empty(offsets[last] - offsets[first] + n_flips, np.int32)
    lengths[0] = 0
    to, f = 0, 0
    for r in range(first, last):
        base = (r - first) * n_items
        c, end = offsets[r], offsets[r + 1]
        while f < n_flips and flips[f] < base + n_items:
            item = flips[f] - base
            f += 1
            while c < end and items[c] < item:
                out[to] = items[c]
                to += 1
                c += 1
            if c < end and items[c] == item:
                c += 1
            else:
                out[to] = item
                to += 1
        while c < end:
            out[to] = items[c]
            to += 1
            c += 1
        lengths[r - first + 1] = to
    return lengths, out[:to].copy()


@kernel(I4_OUT, I8, I8, I8)
def draw_subsets(sizes: Int64, of: Int64, numbers: Int64) -> Int32:
    """For each s a random subset of the numbers below of[s], with size sizes[s], ascending, concatenated.

    Takes one random number for each member (R. Floyd, in J. Bentley: Programming Pearls, CACM 30(9), 1987).
    """
    most = 0
    for s in range(len(of)):
        most = max(most, of[s])
    owner = np.full(most, -1, np.int64)
    out = np.empty(len(numbers), np.int32)
    start = 0
    for s in range(len(sizes)):
        end = start + sizes[s]
        # Members are sorted as they are drawn, or, if they are many, collected in order afterwards.
        few = sizes[s] * sizes[s] < 4 * of[s]
        for at in range(start, end):
            candidate = of[s] - end + at
            chosen = numbers[at] % (candidate + 1)
            if owner[chosen] == s:
                chosen = candidate
            owner[chosen] = s
            to = at
            while few and to > start and out[to - 1] > chosen:
                out[to] = out[to - 1]
                to -= 1
            out[to] = chosen
        if not few:
            at = start
            for member in range(of[s]):
                if owner[member] == s:
                    out[at] = member
                    at += 1
        start = end
    return out
