"""Chunks in which nothing gives everything away: no item in all records, none that occurs only with all the others.

An item that is in all records of a cluster is linked with certainty to each item of its term chunk, and an item each of
whose subrecords equals the whole domain of a chunk gives away that domain (the cover problem). Either is undone by
striking one occurrence out of one subrecord, or where that would leave an itemset with fewer than k records, by giving
the item a chunk of its own. Every itemset that occurs in a chunk before occurs at least k times in it afterwards, or
its items are in different chunks.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiling import I4, I8, I8_OUT, INT, U1, U1_OUT, Int32, Int64, UInt8, kernel, types

# How a chunk is treated: its cluster has a term chunk with an item that may fill any record; it has one of sensitive
# items only, so that no subrecord may vanish; or the chunk is shared by a joint cluster.
BACKED, UNBACKED, SHARED = 0, 1, 2
# What becomes of an occurrence: it stays, it is struck out, it goes to its item's own chunk or to the term chunk.
STAYS, STRUCK, APART, TO_TERMS = 1, 2, 3, 4


@kernel(INT, U1, INT, INT, INT, INT, INT, I8)
def _row_to_strike(fate: UInt8, n_rows: int, width: int, item: int, shortest: int, k: int, lengths: Int64) -> int:
    """The shortest row with the item such that more than k rows hold all of it, or -1."""
    best = -1
    for r in range(n_rows):
        if fate[r * width + item] != STAYS or lengths[r] < shortest or (best >= 0 and lengths[r] >= lengths[best]):
            continue
        holding = 0
        for other in range(n_rows):
            holds = True
            for j in range(width):
                if fate[r * width + j] == STAYS and fate[other * width + j] != STAYS:
                    holds = False
                    break
            holding += holds
        if holding > k:
            best = r
    return best


@kernel(types.void, U1_OUT, INT, INT, INT, INT, INT, I8_OUT, I8_OUT)
def _uncover(
    fate: UInt8, n_rows: int, width: int, linked: int, kind: int, k: int, lengths: Int64, support: Int64
) -> None:
    """Strike out and set apart until nothing is covered.

    ``fate`` has a cell for every row and item, STAYS where the row holds the item and 0 elsewhere; ``linked`` is the
    support at which an item is in all records (more than k), or -1; the last two are room to work in.
    """
    n_items = width
    while n_items > 0:
        full = 0
        for j in range(width):
            support[j] = 0
        for r in range(n_rows):
            lengths[r] = 0
            for j in range(width):
                if fate[r * width + j] == STAYS:
                    lengths[r] += 1
                    support[j] += 1
            full += lengths[r] == n_items
        # The first item in all records, or else the first that is covered; and the most frequent of the others.
        found, other = -1, -1
        everywhere = False
        for j in range(width):
            if support[j] > 0 and not everywhere:
                everywhere = support[j] == linked
                if everywhere or (found < 0 and n_items > 1 and support[j] == full):
                    found = j
        if found < 0:
            return
        for j in range(width):
            if j != found and support[j] > 0 and (other < 0 or support[j] > support[other]):
                other = j
        # Out of a whole row, the item in all records leaves all others uncovered; a covered item, one that meets it.
        # A shared chunk of copies of one subrecord stays one (Property 1).
        strike_item, strike_row = found if everywhere else other, -1
        if n_items > 1 and full > k and not (kind == SHARED and full == n_rows):
            for r in range(n_rows):
                if lengths[r] == n_items:
                    strike_row = r
        elif everywhere:
            strike_row = _row_to_strike(fate, n_rows, width, found, 2 if kind == UNBACKED else 1, k, lengths)
        if strike_row >= 0:
            fate[strike_row * width + strike_item] = STRUCK
            continue
        last = -1
        for r in range(n_rows):
            if fate[r * width + found] == STAYS:
                fate[r * width + found] = TO_TERMS if everywhere and kind == UNBACKED else APART
                last = r
        if everywhere and kind != UNBACKED:
            fate[last * width + found] = STRUCK
        n_items -= 1


@kernel(U1_OUT, I8, I8, I4, I8, I8, INT, INT)
def uncover_chunks(
    chunk_offsets: Int64,
    row_offsets: Int64,
    items: Int32,
    linked: Int64,
    kind: Int64,
    n_items: int,
    k: int,
) -> UInt8:
    """What becomes of each occurrence in the chunks for nothing to be covered in them.

    ``linked`` is the support at which an item of a chunk is in all records, or -1.
    """
    fates = np.empty(len(items), np.uint8)
    place = np.full(n_items, -1, np.int64)
    domain = np.empty(n_items, np.int64)
    support = np.empty(n_items, np.int64)
    fate = np.empty(1024, np.uint8)
    lengths = np.empty(1024, np.int64)
    for chunk in range(len(linked)):
        first, end = chunk_offsets[chunk], chunk_offsets[chunk + 1]
        n_rows, width = end - first, 0
        for j in range(row_offsets[first], row_offsets[end]):
            if place[items[j]] < 0:
                place[items[j]] = width
                domain[width] = items[j]
                width += 1
        if n_rows * width > len(fate):
            fate = np.empty(2 * n_rows * width, np.uint8)
        if n_rows > len(lengths):
            lengths = np.empty(2 * n_rows, np.int64)
        for j in range(n_rows * width):
            fate[j] = 0
        for r in range(n_rows):
            for j in range(row_offsets[first + r], row_offsets[first + r + 1]):
                fate[r * width + place[items[j]]] = STAYS
        _uncover(fate, n_rows, width, linked[chunk], kind[chunk], k, lengths, support)
        for r in range(n_rows):
            for j in range(row_offsets[first + r], row_offsets[first + r + 1]):
                fates[j] = fate[r * width + place[items[j]]]
        for j in range(width):
            place[domain[j]] = -1
    return fates
