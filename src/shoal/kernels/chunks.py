"""Chunks of a handful of records (VLDB 2012, Algorithm VERPART): which items share one, and what it then holds.

A chunk is k^m-anonymous when every set of up to m of its items that occurs, occurs k times. Whether an item may join
is decided from the *distinct* sets of records in which up to m - 1 items of the chunk occur together: the joining item
must meet each of them never or at least k times. Equal sets count once, so long identical records cost no more than
short ones.

The records are rows[start:end] of a ragged array, ``place`` numbers the items that are candidates for a chunk (-1: not
one), and the records that hold candidate c are a bit mask of ``words`` words.
"""

from __future__ import annotations

from shoal.kernels.bits import BITS, common_ones
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, Int32, Int64, kernel, types
from shoal.kernels.rows import sort_rows

# How many distinct record sets a chunk may have before no further item is let in. A bound on time and memory, not on
# safety: an item that is turned away opens a chunk of its own.
FAMILY_CAP = 8192
# The hash table of the family has a power of two of slots, sparse at the cap, and one cell that counts the families so
# far: an entry of an earlier family counts as empty, so that the table is never cleared.
SLOTS = 32768


@kernel(INT, I8_OUT, I8_OUT, I8_OUT, INT, INT, I8, INT, INT)
def _remember(
    family: Int64, level: Int64, table: Int64, size: int, words: int, mask: Int64, at: int, new_level: int
) -> int:
    """Add mask number ``at`` to the family, or if it is there keep the lower level; returns the family's new size."""
    key = 1469598103934665603
    for w in range(words):
        key = (key ^ mask[at * words + w]) & 0x7FFFFFFFFFFF
        key = (key * 32749 + (key >> 21)) & 0x7FFFFFFFFFFF
    slot = key & (SLOTS - 1)
    base = table[SLOTS] * FAMILY_CAP
    while table[slot] >= base:
        known = table[slot] - base
        same = True
        for w in range(words):
            if family[known * words + w] != mask[at * words + w]:
                same = False
                break
        if same:
            level[known] = min(level[known], new_level)
            return size
        slot = (slot + 1) & (SLOTS - 1)
    for w in range(words):
        family[size * words + w] = mask[at * words + w]
    level[size] = new_level
    table[slot] = base + size
    return size + 1


@kernel(INT, I8, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT, I8_OUT, I8_OUT)
def group_items(
    masks: Int64,
    n_candidates: int,
    words: int,
    k: int,
    m: int,
    chunk_of: Int64,
    family: Int64,
    level: Int64,
    table: Int64,
    meet: Int64,
) -> int:
    """Greedily group the candidates (in order) into k^m-anonymous chunks; fills chunk_of, returns their number."""
    for c in range(n_candidates):
        chunk_of[c] = -1
    placed = 0
    chunk = 0
    while placed < n_candidates:
        size = 0
        table[SLOTS] += 1
        for c in range(n_candidates):
            if chunk_of[c] >= 0:
                continue
            fits = True
            for f in range(size):
                shared = common_ones(family, f, masks, c, words)
                if 0 < shared < k:
                    fits = False
                    break
            if not fits:
                continue
            if m > 1:
                growing = 1
                if m > 2:
                    for f in range(size):
                        if level[f] <= m - 2:
                            growing += 1
                if size + growing > FAMILY_CAP:
                    continue
                before = size
                if m > 2:
                    for f in range(before):
                        if level[f] <= m - 2:
                            occurs = False
                            for w in range(words):
                                meet[w] = family[f * words + w] & masks[c * words + w]
                                if meet[w] != 0:
                                    occurs = True
                            if occurs:
                                size = _remember(family, level, table, size, words, meet, 0, level[f] + 1)
                size = _remember(family, level, table, size, words, masks, c, 1)
            chunk_of[c] = chunk
            placed += 1
        chunk += 1
    return chunk


@kernel(INT, I8, INT, INT, INT, INT, I8_OUT)
def group_equal(masks: Int64, first: int, n_candidates: int, words: int, n_chunks: int, chunk_of: Int64) -> int:
    """Group the candidates from ``first`` on that are in the same records; returns the number of all chunks."""
    for c in range(first, n_candidates):
        chunk_of[c] = -1
        for other in range(first, c):
            same = True
            for w in range(words):
                if masks[c * words + w] != masks[other * words + w]:
                    same = False
                    break
            if same:
                chunk_of[c] = chunk_of[other]
                break
        if chunk_of[c] < 0:
            chunk_of[c] = n_chunks
            n_chunks += 1
    return n_chunks


@kernel(types.void, I8, I4, I8, INT, INT, I8, INT, INT, I8_OUT)
def mark_records(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    start: int,
    end: int,
    place: Int64,
    n_candidates: int,
    words: int,
    masks: Int64,
) -> None:
    """Fill the masks: which of the records hold each candidate."""
    for c in range(n_candidates * words):
        masks[c] = 0
    if n_candidates == 0:
        return
    for i in range(start, end):
        bit = i - start
        for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
            c = place[items[j]]
            if c >= 0:
                masks[c * words + bit // BITS] |= 1 << (bit % BITS)


@kernel(
    types.void,
    *(I8, I4, I8, INT, INT, I8, I8, INT, INT),
    *(I8_OUT, I4_OUT, I4_OUT, I4_OUT, I8_OUT),
    *(I8_OUT, I4_OUT, I8_OUT, I8_OUT),
)
def lay_chunks(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    start: int,
    end: int,
    place: Int64,
    chunk_of: Int64,
    n_chunks: int,
    owner: int,
    out_owner: Int64,
    out_subrecords: Int32,
    out_length: Int32,
    out_items: Int32,
    filled: Int64,
    cell_start: Int64,
    cell_item: Int32,
    order: Int64,
    scratch: Int64,
) -> None:
    """Append the subrecords of every chunk, sorted, to the flat arrays, and count them in ``filled``.

    ``filled`` holds how many chunks, subrecords and items the arrays have so far. The last four are room to work in:
    for all records, and all items that they hold.
    """
    for chunk in range(n_chunks):
        n_rows, n_cells = 0, 0
        cell_start[0] = 0
        for i in range(start, end):
            before = n_cells
            for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                c = place[items[j]]
                if c >= 0 and chunk_of[c] == chunk:
                    cell_item[n_cells] = items[j]
                    n_cells += 1
            if n_cells > before:
                order[n_rows] = n_rows
                n_rows += 1
                cell_start[n_rows] = n_cells
        if n_rows == 0:  # its only item stepped back
            continue
        sort_rows(cell_start, cell_item, order, 0, n_rows, scratch)
        n_subrecords, n_placed = filled[1], filled[2]
        for r in range(n_rows):
            row = order[r]
            out_length[n_subrecords] = cell_start[row + 1] - cell_start[row]
            n_subrecords += 1
            for j in range(cell_start[row], cell_start[row + 1]):
                out_items[n_placed] = cell_item[j]
                n_placed += 1
        out_owner[filled[0]] = owner
        out_subrecords[filled[0]] = n_rows
        filled[0] += 1
        filled[1] = n_subrecords
        filled[2] = n_placed
