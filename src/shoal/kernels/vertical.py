"""Vertical partitioning (VLDB 2012, Algorithm VERPART and Lemma 2): each cluster into record chunks and a term chunk.

A chunk is k^m-anonymous when every set of up to m of its items that occurs, occurs k times. Whether an item may join
is decided from the *distinct* sets of records in which up to m - 1 items of the chunk occur together: the joining item
must meet each of them never or at least k times. Equal sets count once, so long identical records cost no more than
short ones.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.bits import BITS, common_ones, ones
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, U1, Int32, Int64, UInt8, kernel, types
from shoal.kernels.keys import sort_keys
from shoal.kernels.rows import sort_rows

# How many distinct record sets a chunk may have before no further item is let in. A bound on time and memory, not on
# safety: an item that is turned away opens a chunk of its own.
FAMILY_CAP = 8192
# The hash table of the family has a power of two of slots, sparse at the cap, and one cell that counts the families so
# far: an entry of an earlier family counts as empty, so that the table is never cleared.
_SLOTS = 32768


@kernel(INT, I8_OUT, I8_OUT, I8_OUT, INT, INT, I8, INT, INT)
def _remember(
    family: Int64, level: Int64, table: Int64, size: int, words: int, mask: Int64, at: int, new_level: int
) -> int:
    """Add mask number ``at`` to the family, or if it is there keep the lower level; returns the family's new size."""
    key = 1469598103934665603
    for w in range(words):
        key = (key ^ mask[at * words + w]) & 0x7FFFFFFFFFFF
        key = (key * 32749 + (key >> 21)) & 0x7FFFFFFFFFFF
    slot = key & (_SLOTS - 1)
    base = table[_SLOTS] * FAMILY_CAP
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
        slot = (slot + 1) & (_SLOTS - 1)
    for w in range(words):
        family[size * words + w] = mask[at * words + w]
    level[size] = new_level
    table[slot] = base + size
    return size + 1


@kernel(INT, I8, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT, I8_OUT, I8_OUT)
def _group_items(
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
        table[_SLOTS] += 1
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


_PARTS = types.Tuple((I8_OUT, I4_OUT, I4_OUT, I4_OUT, I4_OUT, I4_OUT))


@kernel(_PARTS, I8, I4, I8, I8, INT, U1, INT, INT)
def partition_clusters(
    offsets: Int64, items: Int32, rows: Int64, bounds: Int64, n_items: int, sensitive: UInt8, k: int, m: int
) -> tuple[Int64, Int32, Int32, Int32, Int32, Int32]:
    """Chunks of the clusters rows[bounds[p]:bounds[p + 1]], in the canonical order of subrecords.

    Returns, flat: the cluster of each chunk, its number of subrecords, the length of each subrecord, the items of the
    subrecords, the size of each cluster's term chunk, the items of the term chunks.
    """
    n_clusters = len(bounds) - 1
    total, widest, largest = 0, 0, 0
    for p in range(n_clusters):
        width = 0
        for i in range(bounds[p], bounds[p + 1]):
            width += offsets[rows[i] + 1] - offsets[rows[i]]
        total += width
        widest = max(widest, width)
        largest = max(largest, bounds[p + 1] - bounds[p])
    max_words = largest // BITS + 1
    max_candidates = widest // k + 1

    out_cluster = np.empty(total // k + 1, np.int64)
    out_subrecords = np.empty(total // k + 1, np.int32)
    out_length = np.empty(total, np.int32)
    out_items = np.empty(total, np.int32)
    out_terms = np.zeros(n_clusters, np.int32)
    out_term_items = np.empty(total, np.int32)
    n_chunks, n_subrecords, n_placed, n_terms = 0, 0, 0, 0

    support = np.zeros(n_items, np.int64)
    place = np.full(n_items, -1, np.int64)  # candidate number of an item in the cluster at hand, or -1
    domain = np.empty(min(widest, n_items), np.int64)
    keys = np.empty(max(max_candidates, 1), np.int64)
    terms = np.empty(min(widest, n_items) + 1, np.int64)
    masks = np.empty(max_candidates * max_words, np.int64)
    chunk_of = np.empty(max_candidates, np.int64)
    family = np.empty(FAMILY_CAP * max_words, np.int64)
    level = np.empty(FAMILY_CAP, np.int64)
    table = np.full(_SLOTS + 1, -1, np.int64)
    table[_SLOTS] = 0
    meet = np.empty(max_words, np.int64)
    cell_start = np.empty(largest + 2, np.int64)
    cell_item = np.empty(widest, np.int32)
    order = np.empty(largest + 1, np.int64)
    scratch = np.empty(largest + 1, np.int64)

    for p in range(n_clusters):
        start, end = bounds[p], bounds[p + 1]
        s = end - start
        words = s // BITS + 1
        n_domain = 0
        for i in range(start, end):
            for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                item = items[j]
                if support[item] == 0:
                    domain[n_domain] = item
                    n_domain += 1
                support[item] += 1

        n_candidates, n_cluster_terms = 0, 0
        names_sensitive = False
        plain_term = False
        for d in range(n_domain):
            item = domain[d]
            if sensitive[item]:
                names_sensitive = True
                terms[n_cluster_terms] = item
                n_cluster_terms += 1
            elif support[item] < k:
                plain_term = True
                terms[n_cluster_terms] = item
                n_cluster_terms += 1
            else:
                keys[n_candidates] = (s - support[item]) * n_items + item
                n_candidates += 1
        sort_keys(keys, n_candidates)
        for c in range(n_candidates):
            place[keys[c] % n_items] = c
            for w in range(words):
                masks[c * words + w] = 0
        if n_candidates > 0:
            for i in range(start, end):
                bit = i - start
                for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                    c = place[items[j]]
                    if c >= 0:
                        masks[c * words + bit // BITS] |= 1 << (bit % BITS)
        n_cluster_chunks = _group_items(masks, n_candidates, words, k, m, chunk_of, family, level, table, meet)

        # Lemma 2: without a term chunk to fill records from, the subrecords must suffice. Sensitive items do not count:
        # if they did, a record could be possible only with one of them. The least frequent item steps back.
        backed = plain_term or (n_cluster_terms > 0 and not names_sensitive)
        if not backed and n_candidates > 0:
            subrecords = 0
            for chunk in range(n_cluster_chunks):
                for w in range(words):
                    covered = 0
                    for c in range(n_candidates):
                        if chunk_of[c] == chunk:
                            covered |= masks[c * words + w]
                    subrecords += ones(covered)
            if subrecords < s + k * (min(m, n_cluster_chunks) - 1):
                n_candidates -= 1
                item = keys[n_candidates] % n_items
                place[item] = -1
                terms[n_cluster_terms] = item
                n_cluster_terms += 1

        sort_keys(terms, n_cluster_terms)
        for t in range(n_cluster_terms):
            out_term_items[n_terms + t] = terms[t]
        n_terms += n_cluster_terms
        out_terms[p] = n_cluster_terms

        for chunk in range(n_cluster_chunks):
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
            for r in range(n_rows):
                row = order[r]
                out_length[n_subrecords] = cell_start[row + 1] - cell_start[row]
                n_subrecords += 1
                for j in range(cell_start[row], cell_start[row + 1]):
                    out_items[n_placed] = cell_item[j]
                    n_placed += 1
            out_cluster[n_chunks] = p
            out_subrecords[n_chunks] = n_rows
            n_chunks += 1

        for c in range(n_candidates):
            place[keys[c] % n_items] = -1
        for d in range(n_domain):
            support[domain[d]] = 0

    return (
        out_cluster[:n_chunks].copy(),
        out_subrecords[:n_chunks].copy(),
        out_length[:n_subrecords].copy(),
        out_items[:n_placed].copy(),
        out_terms,
        out_term_items[:n_terms].copy(),
    )
