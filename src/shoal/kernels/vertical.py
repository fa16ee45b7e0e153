"""Vertical partitioning (VLDB 2012, VERPART and Lemma 2): split each cluster into record chunks and a term chunk."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64, UInt8
from shoal.kernels.bits import BITS, fill_masks, ones
from shoal.kernels.chunks import FAMILY_CAP, SLOTS, group_equal, group_items
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, U1, kernel, types
from shoal.kernels.keys import sort_keys
from shoal.kernels.subrecords import lay_chunks


def partition_clusters(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    bounds: Int64,
    n_items: int,
    sensitive: UInt8,
    rank: Int32,
    last_offsets: Int64,
    last_items: Int32,
    shared: int,
    k: int,
    m: int,
) -> tuple[Int64, Int32, Int32, Int32, Int32, Int32]:
    """Chunks of the clusters rows[bounds[p]:bounds[p + 1]], in the canonical order of subrecords.

    Items are put into chunks by rank (from 0, below ``n_items``), the more frequent first. Each cluster may name items
    that come after all others. In joint clusters (``shared`` is not 0) these are closed to some record, and get chunks
    that hold copies of one subrecord; and Lemma 2 asks nothing there.

    Returns, flat: the cluster of each chunk, its number of subrecords, the length of each subrecord, the items of the
    subrecords, the size of each cluster's term chunk, the items of the term chunks.
    """
    clusters = offsets, items, rows, bounds, n_items
    placed_offsets, placed_items, placed_chunk, n_chunks, terms, term_items = group_clusters(
        *clusters, sensitive, rank, last_offsets, last_items, shared, k, m
    )
    return *lay_chunks(*clusters, placed_offsets, placed_items, placed_chunk, n_chunks), terms, term_items


@kernel(
    types.Tuple((I8_OUT, I4_OUT, I4_OUT, I4_OUT, I4_OUT, I4_OUT)), I8, I4, I8, I8, INT, U1, I4, I8, I4, INT, INT, INT
)
def group_clusters(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    bounds: Int64,
    n_items: int,
    sensitive: UInt8,
    rank: Int32,
    last_offsets: Int64,
    last_items: Int32,
    shared: int,
    k: int,
    m: int,
) -> tuple[Int64, Int32, Int32, Int32, Int32, Int32]:
    """Which items of each cluster share a chunk, and which are in its term chunk.

    Returns: where the items of each cluster that are in chunks start, these items, the number of each one's chunk in
    its cluster, how many chunks each cluster has (one of them may hold nothing); the size of each cluster's term chunk,
    and the items of the term chunks.
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
    max_candidates = min(widest // k, n_items) + 1

    out_offsets = np.zeros(n_clusters + 1, np.int64)
    out_items = np.empty(total // k, np.int32)
    out_chunk = np.empty(total // k, np.int32)
    out_chunks = np.empty(n_clusters, np.int32)
    out_terms = np.empty(n_clusters, np.int32)
    out_term_items = np.empty(total, np.int32)
    n_placed, n_terms = 0, 0

    support = np.zeros(n_items, np.int64)
    last = np.zeros(n_items, np.uint8)
    place = np.full(n_items, -1, np.int64)  # candidate number of an item in the cluster at hand, or -1
    domain = np.empty(min(widest, n_items), np.int64)
    keys = np.empty(max_candidates, np.int64)
    terms = np.empty(min(widest, n_items) + 1, np.int64)
    masks = np.empty(max_candidates * max_words, np.int64)
    chunk_of = np.empty(max_candidates, np.int64)
    family = np.empty(FAMILY_CAP * max_words, np.int64)
    level = np.empty(FAMILY_CAP, np.int64)
    table = np.full(SLOTS + 1, -1, np.int64)
    table[SLOTS] = 0
    meet = np.empty(max_words, np.int64)

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

        for i in range(last_offsets[p], last_offsets[p + 1]):
            last[last_items[i]] = 1
        n_candidates, n_free, n_cluster_terms = 0, 0, 0
        names_sensitive = False
        plain_term = False
        for d in range(n_domain):
            item = domain[d]
            if not sensitive[item] and support[item] >= k:
                turn = rank[item] + (n_items if last[item] else 0)
                keys[n_candidates] = (turn * s + s - support[item]) * n_items + item
                n_candidates += 1
                n_free += not (shared and last[item])
                continue
            if sensitive[item]:
                names_sensitive = True
            else:
                plain_term = True
            terms[n_cluster_terms] = item
            n_cluster_terms += 1
        sort_keys(keys, n_candidates)
        for c in range(n_candidates):
            place[keys[c] % n_items] = c
        fill_masks(offsets, items, rows, start, end, place, n_candidates, words, masks)
        n_chunks = group_items(masks, n_free, words, k, m, chunk_of, family, level, table, meet)
        n_chunks = group_equal(masks, n_free, n_candidates, words, n_chunks, chunk_of)

        # Lemma 2: without a term chunk to fill records from, the subrecords must suffice. Sensitive items do not count:
        # if they did, a record could be possible only with one of them. The least frequent item steps back.
        backed = plain_term or (n_cluster_terms > 0 and not names_sensitive)
        steps_back = False
        if not (backed or shared) and n_candidates > 0:
            subrecords = 0
            for chunk in range(n_chunks):
                for w in range(words):
                    covered = 0
                    for c in range(n_candidates):
                        if chunk_of[c] == chunk:
                            covered |= masks[c * words + w]
                    subrecords += ones(covered)
            steps_back = subrecords < s + k * (min(m, n_chunks) - 1)

        for c in range(n_candidates):
            item = keys[c] % n_items
            place[item] = -1
            if steps_back and c == n_candidates - 1:
                terms[n_cluster_terms] = item
                n_cluster_terms += 1
            else:
                out_items[n_placed] = item
                out_chunk[n_placed] = chunk_of[c]
                n_placed += 1
        out_offsets[p + 1] = n_placed
        out_chunks[p] = n_chunks
        sort_keys(terms, n_cluster_terms)
        for t in range(n_cluster_terms):
            out_term_items[n_terms] = terms[t]
            n_terms += 1
        out_terms[p] = n_cluster_terms
        for d in range(n_domain):
            support[domain[d]] = 0
            last[domain[d]] = 0

    return (
        out_offsets,
        out_items[:n_placed].copy(),
        out_chunk[:n_placed].copy(),
        out_chunks,
        out_terms,
        out_term_items[:n_terms].copy(),
    )
