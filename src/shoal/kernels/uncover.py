"""Chunks in which nothing gives everything away: no item in all records, none that occurs only with all the others.

An item that is in all records of a cluster is linked with certainty to each item of its term chunk, and an item each of
whose subrecords equals the whole domain of a chunk gives away that domain (the cover problem). Either is undone by
striking one occurrence out of one subrecord, or where that would leave an itemset with fewer than k records, by giving
the item a chunk of its own. Every itemset that occurs in a chunk before occurs at least k times in it afterwards, or
its items are in different chunks.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, U1, U1_OUT, Int32, Int64, UInt8, kernel, types
from shoal.kernels.keys import sort_keys

# How a chunk is treated: its cluster has a term chunk with an item that may fill any record; it has one of sensitive
# items only, so that no subrecord may vanish; or the chunk is shared by a joint cluster.
BACKED, UNBACKED, SHARED = 0, 1, 2


@kernel(INT, U1, INT, INT, INT, INT, INT, I8)
def _row_to_strike(member: UInt8, n_rows: int, width: int, item: int, shortest: int, k: int, lengths: Int64) -> int:
    """The shortest row with the item such that more than k rows hold all of it, or -1."""
    best = -1
    for r in range(n_rows):
        if member[r * width + item] == 0 or lengths[r] < shortest or (best >= 0 and lengths[r] >= lengths[best]):
            continue
        holding = 0
        for other in range(n_rows):
            holds = True
            for j in range(width):
                if member[r * width + j] and not member[other * width + j]:
                    holds = False
                    break
            holding += holds
        if holding > k:
            best = r
    return best


@kernel(types.boolean, U1, INT, INT, INT)
def _before(member: UInt8, width: int, a: int, b: int) -> bool:
    """Whether row a comes before row b as sequences of items."""
    for j in range(width):
        if member[a * width + j] != member[b * width + j]:
            # Whoever lacks the item comes first if it ends here, else second.
            lacking = b if member[a * width + j] else a
            for later in range(j + 1, width):
                if member[lacking * width + later]:
                    return lacking == b
            return lacking == a
    return False


@kernel(types.void, U1_OUT, INT, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT, I8_OUT)
def _uncover(
    member: UInt8,
    n_rows: int,
    width: int,
    linked: int,
    kind: int,
    k: int,
    lengths: Int64,
    support: Int64,
    apart: Int64,
    cost: Int64,
) -> None:
    """Strike out and set apart until nothing is covered.

    ``member`` says which row holds which item; ``linked`` is the support at which an item is in all records (more than
    k), or -1; ``apart`` is set to the remaining support of each item that gets a chunk of its own, and to -1 for an
    item that goes to the term chunk; ``cost`` counts occurrences struck out, and pairs of items torn apart.
    """
    for j in range(width):
        apart[j] = 0
    n_items = width
    while n_items > 0:
        full = 0
        for j in range(width):
            support[j] = 0
        for r in range(n_rows):
            lengths[r] = 0
            for j in range(width):
                lengths[r] += member[r * width + j]
                support[j] += member[r * width + j]
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
            strike_row = _row_to_strike(member, n_rows, width, found, 2 if kind == UNBACKED else 1, k, lengths)
        if strike_row >= 0:
            member[strike_row * width + strike_item] = 0
            cost[0] += 1
            cost[1] += lengths[strike_row] - 1
            continue
        for r in range(n_rows):
            if member[r * width + found]:
                member[r * width + found] = 0
                apart[found] += 1
                cost[1] += lengths[r] - 1
        if apart[found] == linked:
            if kind == UNBACKED:
                apart[found] = -1
            else:
                apart[found] -= 1
                cost[0] += 1
        n_items -= 1


_UNCOVERED = types.Tuple((I8_OUT, I4_OUT, I4_OUT, I4_OUT, I8_OUT, I4_OUT, I8_OUT))


@kernel(_UNCOVERED, I8, I4, I4, I4, I8, I8, INT, INT)
def uncover_chunks(
    owner: Int64,
    subrecords: Int32,
    lengths: Int32,
    items: Int32,
    linked: Int64,
    kind: Int64,
    n_items: int,
    k: int,
) -> tuple[Int64, Int32, Int32, Int32, Int64, Int32, Int64]:
    """The same chunks without covered items; ``linked`` is the support at which an item of a chunk is in all records.

    Returns, flat: the owner of each chunk, its number of subrecords, their lengths, their items; the clusters of which
    an item goes to the term chunk, and these items; and what it cost: occurrences struck out, pairs torn apart.
    """
    n_chunks, n_cells = len(owner), len(items)
    out_owner = np.empty(n_chunks + n_cells // k, np.int64)
    out_subrecords = np.empty(n_chunks + n_cells // k, np.int32)
    out_lengths = np.empty(n_cells, np.int32)
    out_items = np.empty(n_cells, np.int32)
    moved_from = np.empty(n_chunks, np.int64)
    moved_item = np.empty(n_chunks, np.int32)
    n_moved = 0
    cost = np.zeros(2, np.int64)
    place = np.full(n_items, -1, np.int64)
    domain = np.empty(n_items, np.int64)
    member = np.zeros(1024, np.uint8)
    row_lengths = np.empty(1024, np.int64)
    apart = np.empty(n_items, np.int64)
    support = np.empty(n_items, np.int64)
    order = np.empty(1024, np.int64)
    n_out, n_rows_out, n_items_out, row, cell = 0, 0, 0, 0, 0
    for chunk in range(n_chunks):
        n_rows = subrecords[chunk]
        width, end = 0, cell
        for r in range(n_rows):
            for j in range(end, end + lengths[row + r]):
                if place[items[j]] < 0:
                    place[items[j]] = width
                    domain[width] = items[j]
                    width += 1
            end += lengths[row + r]
        for j in range(width):
            place[domain[j]] = -1
        sort_keys(domain, width)
        for j in range(width):
            place[domain[j]] = j
        if n_rows * width > len(member):
            member = np.zeros(2 * n_rows * width, np.uint8)
        if n_rows > len(row_lengths):
            row_lengths = np.empty(2 * n_rows, np.int64)
            order = np.empty(2 * n_rows, np.int64)
        for r in range(n_rows):
            for j in range(width):
                member[r * width + j] = 0
            for j in range(cell, cell + lengths[row + r]):
                member[r * width + place[items[j]]] = 1
            cell += lengths[row + r]
        row += n_rows
        _uncover(member, n_rows, width, linked[chunk], kind[chunk], k, row_lengths, support, apart, cost)

        # Few rows have changed, so that inserting each where it belongs is cheap.
        for r in range(n_rows):
            at = r
            while at > 0 and _before(member, width, r, order[at - 1]):
                order[at] = order[at - 1]
                at -= 1
            order[at] = r
        kept = 0
        for r in range(n_rows):
            length = 0
            for j in range(width):
                if member[order[r] * width + j]:
                    out_items[n_items_out] = domain[j]
                    n_items_out += 1
                    length += 1
            if length > 0:
                out_lengths[n_rows_out] = length
                n_rows_out += 1
                kept += 1
        if kept > 0:
            out_owner[n_out] = owner[chunk]
            out_subrecords[n_out] = kept
            n_out += 1
        for j in range(width):
            if apart[j] < 0:
                moved_from[n_moved] = owner[chunk]
                moved_item[n_moved] = domain[j]
                n_moved += 1
            if apart[j] > 0:
                out_owner[n_out] = owner[chunk]
                out_subrecords[n_out] = apart[j]
                n_out += 1
                for _ in range(apart[j]):
                    out_items[n_items_out] = domain[j]
                    out_lengths[n_rows_out] = 1
                    n_items_out += 1
                    n_rows_out += 1
            place[domain[j]] = -1
    return (
        out_owner[:n_out].copy(),
        out_subrecords[:n_out].copy(),
        out_lengths[:n_rows_out].copy(),
        out_items[:n_items_out].copy(),
        moved_from[:n_moved].copy(),
        moved_item[:n_moved].copy(),
        cost,
    )
