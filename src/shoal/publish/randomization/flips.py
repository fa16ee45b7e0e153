"""Flip items of rows at random, by drawing the gaps between flips.

S. Rizvi, J. Haritsa: Maintaining Data Privacy in Association Rule Mining, VLDB 2002.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.kernels.flips import GUIDE_BITS, SHORT_BITS, draw_flips, flip_rows
from shoal.randomness import Numbers
from shoal.run import Run

FLIPS_A_PART = 1_000_000
"""The approximate number of cells that a thread holds at a time."""
_MOST_THRESHOLDS = 65_536
_REST = 1 / 1024
"""The probability that a gap is longer than the thresholds cover: then the draw begins again after them."""
_DIGITS = 128


def flip(
    offsets: Int64,
    items: Int32,
    n_items: int,
    keep_prob: float,
    *,
    run: Run,
) -> list[tuple[Int64, Int32]]:
    """The same rows in parts; each of ``n_items`` items, present or absent, is kept with probability ``keep_prob``."""
    thresholds = _thresholds(keep_prob)
    guide = _guide(thresholds)
    n_rows = len(offsets) - 1
    step = max(1, int(FLIPS_A_PART / (n_items * (1 - keep_prob) + 1)))
    firsts = range(0, n_rows, step)

    def flipped(first: int) -> tuple[Int64, Int32]:
        last = min(first + step, n_rows)
        chance = Numbers(run.chance, purpose=f"flips {first}")
        flips = _draw((last - first) * n_items, 1 - keep_prob, thresholds, guide, chance)
        return flip_rows(offsets, items, first, last, n_items, flips, len(flips))

    parts = []
    for part in run.map(flipped, firsts):
        parts.append(part)
        run.report("flip", len(parts), len(firsts))
    return parts


def _draw(n_cells: int, flip_prob: float, thresholds: Int64, guide: Int64, chance: Numbers) -> Int64:
    """Which cells are flipped, ascending."""
    # One random number is used for each flip, and for each maximal gap without a flip.
    draws = n_cells * (flip_prob / (1 - (1 - flip_prob) ** len(thresholds)))
    flips = np.empty(0, np.int64)
    state = np.zeros(2, np.int64)
    cell = 0
    while cell < n_cells:
        left = draws * (1 - cell / n_cells)
        numbers = chance.take_short(int(left + 4 * math.sqrt(left)) + 16)
        room = np.empty(int(state[0]) + len(numbers), np.int64)
        room[: state[0]] = flips[: state[0]]
        flips = room
        state[1] = 0
        cell = draw_flips(numbers, chance.take(64), thresholds, guide, state, cell, n_cells, flips)
    return flips[: state[0]]


def _thresholds(keep_prob: float) -> Int64:
    """How many of 2^63 numbers mean that one of the first 1, 2, ... cells is flipped."""
    # In whole numbers of 128 bits: the rounding error is far below one of 2^63 numbers, so each cell is flipped with
    # the stated probability up to a part in 2^40, independently of the others.
    one = 1 << _DIGITS
    numerator, denominator = keep_prob.as_integer_ratio()
    keep = (one * numerator) // denominator
    most = min(_MOST_THRESHOLDS, math.ceil(math.log(_REST) / math.log(keep_prob)))
    thresholds = []
    stays = one
    for _ in range(max(1, most)):
        stays = (stays * keep) >> _DIGITS
        thresholds.append((one - stays) >> (_DIGITS - 63))
    return np.array(thresholds, np.int64)


def _guide(thresholds: Int64) -> Int64:
    """How many thresholds are below all numbers with given first bits, even if only zeros follow these."""
    firsts = np.arange(1 << GUIDE_BITS, dtype=np.int64) << (SHORT_BITS - GUIDE_BITS)
    return np.searchsorted(thresholds >> (63 - SHORT_BITS), firsts, side="left").astype(np.int64)
