"""Settle one chunk with few different subrecords by the sets of subrecords that its itemsets occur in.

Terrovitis et al., VLDB 2012, section 2 (k^m-anonymity). How often an itemset occurs depends only on the subrecords that
hold all of it: the intersection of its items' sets of subrecords, a number of at most 63 bits here. A chunk may have
millions of itemsets, but they share few intersections; those of one item are extended one item at a time, and only new
ones are extended again. Exact.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.budget import Budget, OutOfBudget
from shoal.data.arrays import Int32, Int64

Found = tuple[list[int], int]

MAX_ROWS = 63
"""A set of subrecords is one number."""
_CELLS = 1_000_000
"""How many intersections are computed together."""
_MASKS = 2_000_000
"""How many different ones are remembered."""
_CHUNK_WORK = 100_000
_CELL_WORK = 100
"""The cost of a chunk, and of an intersection, in cells of the search that this module replaces."""


def settle(offsets: Int64, local: Int32, n_columns: int, weight: Int64, k: int, m: int, budget: Budget) -> Found | None:
    """Find an itemset of 1..m items that occurs in fewer than k rows, or show that there is none.

    Takes, returns and raises what ``km_wide.search`` does, for a chunk of at most ``MAX_ROWS`` different subrecords.
    """
    budget.spend(_CHUNK_WORK + len(local))
    row = np.repeat(np.arange(len(weight)), np.diff(offsets))
    columns = np.zeros(n_columns, np.int64)
    np.bitwise_or.at(columns, local, np.int64(1) << row)
    weights = _weights_by_byte(weight)
    items = _distinct(columns)
    levels = [items]
    known = items
    for _ in range(m):
        newest = levels[-1]
        counts = _weigh(newest, weights)
        few = np.flatnonzero(counts < k)
        if len(few):
            return _itemset(int(newest[few[0]]), levels, columns), int(counts[few[0]])
        if len(levels) == m:
            break
        # Any selection of subrecords that occur k times each is safe.
        open_masks = newest[_weigh(newest, _weights_by_byte((weight < k).astype(np.int64))) > 0]
        budget.spend(_CELL_WORK * float(len(open_masks)) * len(items))
        fresh = np.empty(0, np.int64)
        step = max(1, _CELLS // len(items))
        for first in range(0, len(open_masks), step):
            met = _distinct((open_masks[first : first + step, None] & items).ravel())
            place = np.minimum(np.searchsorted(known, met), len(known) - 1)
            fresh = _distinct(np.concatenate([fresh, met[(met != 0) & (known[place] != met)]]))
            if len(fresh) + len(known) > _MASKS:
                raise OutOfBudget
        if len(fresh) == 0:
            break
        known = _distinct(np.concatenate([known, fresh]))
        levels.append(fresh)
    return None


def _distinct(values: Int64) -> Int64:
    """The different values, ascending; np.unique would hash such numbers, and these collide."""
    values = np.sort(values)
    first = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return values[first]


def _weights_by_byte(weight: Int64) -> Int64:
    """For each byte of a mask and each of its values, the weight of the rows that it selects."""
    bits = np.zeros((8, 8), np.int64)
    bits.ravel()[: len(weight)] = weight
    named = (np.arange(256)[:, None] >> np.arange(8)) & 1
    table: Int64 = bits @ named.T
    return table


def _weigh(masks: Int64, weights: Int64) -> Int64:
    """The weight of the rows that each mask selects."""
    total = np.zeros(len(masks), np.int64)
    for byte in range(8):
        total += weights[byte][(masks >> (8 * byte)) & 255]
    return total


def _itemset(mask: int, levels: list[Int64], columns: Int64) -> list[int]:
    """Items whose intersection is the mask: one for each level that it took to reach it."""
    members = []
    for level in range(len(levels) - 1, 0, -1):
        before = levels[level - 1]
        for column in np.flatnonzero((columns & mask) == mask).tolist():
            match = np.flatnonzero((before & columns[column]) == mask)
            if len(match):
                members.append(column)
                mask = int(before[match[0]])
                break
    return [*members, int(np.flatnonzero(columns == mask)[0])]
