"""Remove certain links from chunks: no item is in all records, and none occurs only together with another.

An item that is in all records of a cluster is linked to every other item there, and an item all of whose subrecords
hold another one is linked to that one. Striking one occurrence out of one subrecord removes either link. If that would
leave a set of up to m items with fewer than k records, an item gets its own chunk. Every set of up to m items that
occurs in a chunk before occurs at least k times in it afterwards, or its items are in different chunks.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64, UInt8
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, U1, U1_OUT, kernel, types

# Of the numbers of a cluster: the subrecords that it could lose before Lemma 2 fails, and its record chunks.
SPARE, CHUNKS, NUMBERS = 0, 1, 2
# As many as any cluster could lose: a term chunk can fill its records, or it is a joint cluster.
PLENTY = 1 << 60
# The fate of an occurrence: it stays, it is struck out, or it goes to its item's own chunk or to the term chunk.
STAYS, STRUCK, APART, TO_TERMS = 1, 2, 3, 4


@kernel(types.boolean, U1, INT, INT, INT, INT, I8, INT, INT)
def _may_strike(fate: UInt8, n_rows: int, width: int, row: int, item: int, counts: Int64, k: int, m: int) -> bool:
    """Whether every set of up to m items of the row with the item is in more than k rows.

    For m > 3 the whole row must be in more than k rows, which is sufficient.
    """
    if counts[item * width + item] <= k:
        return False
    if m == 1:
        return True
    for j in range(width):
        if fate[row * width + j] == STAYS and counts[item * width + j] <= k:
            return False
    if m == 2:
        return True
    if m == 3:
        for i in range(width):
            for j in range(i):
                if i == item or j == item or fate[row * width + i] != STAYS or fate[row * width + j] != STAYS:
                    continue
                holding = 0
                for other in range(0, n_rows * width, width):
                    holding += fate[other + item] == STAYS and fate[other + i] == STAYS and fate[other + j] == STAYS
                if holding <= k:
                    return False
        return True
    holding = 0
    for other in range(n_rows):
        holds = True
        for j in range(width):
            if fate[row * width + j] == STAYS and fate[other * width + j] != STAYS:
                holds = False
                break
        holding += holds
    return holding > k


@kernel(INT, U1, INT, INT, INT, INT, I8, I8, INT, INT)
def _row_to_strike(
    fate: UInt8, n_rows: int, width: int, item: int, shortest: int, counts: Int64, lengths: Int64, k: int, m: int
) -> int:
    """The row that may lose the item and removes most links to it, the shortest of several, or -1."""
    best, best_unlinked = -1, 0
    for r in range(n_rows):
        if fate[r * width + item] != STAYS or lengths[r] < shortest:
            continue
        unlinked = 0
        for j in range(width):
            linked = j != item and counts[j * width + item] == counts[j * width + j]
            unlinked += linked and fate[r * width + j] == STAYS
        if best >= 0 and (unlinked < best_unlinked or (unlinked == best_unlinked and lengths[r] >= lengths[best])):
            continue
        if _may_strike(fate, n_rows, width, r, item, counts, k, m):
            best, best_unlinked = r, unlinked
    return best


@kernel(types.void, U1_OUT, INT, INT, INT, INT, I8_OUT, I8_OUT)
def _take_out(fate: UInt8, width: int, row: int, item: int, becomes: int, counts: Int64, lengths: Int64) -> None:
    """Take one occurrence out of its row, and out of the counts."""
    for j in range(width):
        if fate[row * width + j] == STAYS:
            counts[item * width + j] -= 1
            if j != item:
                counts[j * width + item] -= 1
    fate[row * width + item] = becomes
    lengths[row] -= 1


@kernel(types.void, U1_OUT, INT, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT)
def _set_apart(
    fate: UInt8, n_rows: int, width: int, item: int, k: int, m: int, counts: Int64, lengths: Int64, cluster: Int64
) -> None:
    """Give an item its own chunk: rows with other items then count as two, and Lemma 2 requires k more."""
    for r in range(n_rows):
        if fate[r * width + item] == STAYS:
            cluster[SPARE] += lengths[r] > 1
            _take_out(fate, width, r, item, APART, counts, lengths)
    cluster[SPARE] -= k if cluster[CHUNKS] < m else 0
    cluster[CHUNKS] += 1


@kernel(types.void, U1_OUT, INT, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT)
def _uncover_item(
    fate: UInt8, n_rows: int, width: int, item: int, k: int, m: int, counts: Int64, lengths: Int64, cluster: Int64
) -> None:
    """Ensure that an item is not in all records (more than k).

    It is struck out of one row; or it gets its own chunk and is struck out there; or it goes to the term chunk, which
    can then fill any record.
    """
    shortest = 1 if cluster[SPARE] > 0 else 2
    row = _row_to_strike(fate, n_rows, width, item, shortest, counts, lengths, k, m)
    if row >= 0:
        cluster[SPARE] -= lengths[row] == 1
        _take_out(fate, width, row, item, STRUCK, counts, lengths)
        return
    more = 0
    for r in range(n_rows):
        more += fate[r * width + item] == STAYS and lengths[r] > 1
    if more == 0 or cluster[SPARE] + more - 1 < (k if cluster[CHUNKS] < m else 0):
        for r in range(n_rows):
            if fate[r * width + item] == STAYS:
                _take_out(fate, width, r, item, TO_TERMS, counts, lengths)
        cluster[SPARE] = PLENTY
        return
    _set_apart(fate, n_rows, width, item, k, m, counts, lengths, cluster)
    cluster[SPARE] -= 1
    for r in range(n_rows):
        if fate[r * width + item] == APART:
            fate[r * width + item] = STRUCK
            return


@kernel(types.void, U1_OUT, INT, INT, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT)
def _unlink_item(
    fate: UInt8,
    n_rows: int,
    width: int,
    item: int,
    copies: int,
    k: int,
    m: int,
    counts: Int64,
    lengths: Int64,
    cluster: Int64,
) -> None:
    """Ensure that no other item occurs only together with an item.

    If nothing may be struck out, the item or the others get their own chunks, whichever splits fewer pairs; for equal
    numbers, the others do, since they may be linked to more items.
    ``copies``: the rows must stay copies of each other, so nothing is struck out.
    """
    while True:
        linked, pairs_of_linked, first = 0, 0, -1
        for j in range(width):
            if j != item and counts[j * width + j] > 0 and counts[j * width + item] == counts[j * width + j]:
                linked += 1
                first = j if first < 0 else first
                for other in range(width):
                    pairs_of_linked += counts[j * width + other] if other != j else 0
        if linked == 0:
            return
        row = -1 if copies else _row_to_strike(fate, n_rows, width, item, 2, counts, lengths, k, m)
        unlinks = False
        if row >= 0:
            for j in range(width):
                unlinks |= (
                    j != item and fate[row * width + j] == STAYS and (counts[j * width + item] == counts[j * width + j])
                )
        if unlinks:
            _take_out(fate, width, row, item, STRUCK, counts, lengths)
            continue
        pairs = 0
        for other in range(width):
            pairs += counts[item * width + other] if other != item else 0
        apart = item if pairs < pairs_of_linked else first
        _set_apart(fate, n_rows, width, apart, k, m, counts, lengths, cluster)


@kernel(types.void, U1_OUT, INT, INT, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT)
def _uncover(
    fate: UInt8,
    n_rows: int,
    width: int,
    everywhere: int,
    shared: int,
    k: int,
    m: int,
    counts: Int64,
    lengths: Int64,
    cluster: Int64,
) -> None:
    """Strike out and separate until nothing is linked.

    ``fate`` has a cell for every row and item: STAYS if the row holds the item, otherwise 0; ``everywhere`` is the
    support at which an item is in all records (more than k), or -1; ``counts`` and ``lengths`` are scratch space, and
    ``cluster`` has the numbers of the cluster.
    """
    for j in range(width * width):
        counts[j] = 0
    for r in range(n_rows):
        lengths[r] = 0
        for i in range(width):
            if fate[r * width + i] == STAYS:
                lengths[r] += 1
                for j in range(width):
                    counts[i * width + j] += fate[r * width + j] == STAYS
    # A shared chunk of copies of one subrecord stays one (Property 1).
    copies = shared
    for j in range(width):
        copies &= counts[j * width + j] == n_rows
    for j in range(width):
        if counts[j * width + j] == everywhere:
            _uncover_item(fate, n_rows, width, j, k, m, counts, lengths, cluster)
    # Striking an item out may link it to others: repeat until nothing is removed any more.
    taken_out = True
    while taken_out:
        before = 0
        for r in range(n_rows):
            before += lengths[r]
        for j in range(width):
            if counts[j * width + j] > 0:
                _unlink_item(fate, n_rows, width, j, copies, k, m, counts, lengths, cluster)
        after = 0
        for r in range(n_rows):
            after += lengths[r]
        taken_out = after < before


@kernel(U1_OUT, I8, I8, I4, I8, I8, I8, I8_OUT, INT, INT, INT)
def uncover_chunks(
    chunk_offsets: Int64,
    row_offsets: Int64,
    items: Int32,
    owner: Int64,
    shared: Int64,
    everywhere: Int64,
    clusters: Int64,
    n_items: int,
    k: int,
    m: int,
) -> UInt8:
    """The fate of each occurrence in the chunks, so that no link is certain.

    ``everywhere`` is the support at which an item of a chunk is in all records, or -1 if that links it to nothing;
    ``clusters`` has the numbers of each owner, one owner after the other, and is changed.
    """
    fates = np.empty(len(items), np.uint8)
    place = np.full(n_items, -1, np.int64)
    domain = np.empty(n_items, np.int64)
    fate = np.empty(1024, np.uint8)
    counts = np.empty(1024, np.int64)
    lengths = np.empty(1024, np.int64)
    for chunk in range(len(everywhere)):
        first, end = chunk_offsets[chunk], chunk_offsets[chunk + 1]
        n_rows, width = end - first, 0
        for j in range(row_offsets[first], row_offsets[end]):
            if place[items[j]] < 0:
                place[items[j]] = width
                domain[width] = items[j]
                width += 1
        if n_rows * width > len(fate):
            fate = np.empty(2 * n_rows * width, np.uint8)
        if width * width > len(counts):
            counts = np.empty(2 * width * width, np.int64)
        if n_rows > len(lengths):
            lengths = np.empty(2 * n_rows, np.int64)
        for j in range(n_rows * width):
            fate[j] = 0
        for r in range(n_rows):
            for j in range(row_offsets[first + r], row_offsets[first + r + 1]):
                fate[r * width + place[items[j]]] = STAYS
        cluster = clusters[owner[chunk] * NUMBERS : (owner[chunk] + 1) * NUMBERS]
        _uncover(fate, n_rows, width, everywhere[chunk], shared[chunk], k, m, counts, lengths, cluster)
        for r in range(n_rows):
            for j in range(row_offsets[first + r], row_offsets[first + r + 1]):
                fates[j] = fate[r * width + place[items[j]]]
        for j in range(width):
            place[domain[j]] = -1
    return fates
