"""Group the items of a few records into chunks (VLDB 2012, Algorithm VERPART).

A chunk is k^m-anonymous if every set of up to m of its items that occurs does so k times. An item may join if it occurs
never or at least k times in each *distinct* set of records in which up to m - 1 items of the chunk occur together.
Equal sets count once, so long identical records cost no more than short ones.

The items that are candidates for a chunk are numbered; the records that hold candidate c are a bit mask of ``words``
words.
"""

from __future__ import annotations

from shoal.kernels.arrays import Int64
from shoal.kernels.bits import common_ones
from shoal.kernels.compiling import I8, I8_OUT, INT, kernel

# How many distinct record sets a chunk may have before no further item may join. A limit on time and memory, not on
# safety: a refused item opens its own chunk.
FAMILY_CAP = 8192
# The hash table of the family has a power of two of slots, sparse at the cap, and one cell that counts the families so
# far: an entry of an earlier family counts as empty, so that the table is never cleared.
SLOTS = 32768


@kernel(INT, I8_OUT, I8_OUT, I8_OUT, INT, INT, I8, INT, INT)
def _remember(
    family: Int64, level: Int64, table: Int64, size: int, words: int, mask: Int64, at: int, new_level: int
) -> int:
    """Add mask number ``at`` to the family, or keep the lower level if it is present; returns the family's new size."""
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
