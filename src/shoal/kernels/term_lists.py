"""The contents of term chunks for refining: by node, and by record.

The list of a node (a cluster or a joint cluster) has the contents of the term chunks below: item ranks in ascending
order, each with its support and the first of its leaf entries. A *leaf entry* is an item in the term chunk of
one cluster; entries of one item below one node are linked by ``next_entry``; the records of an entry are its postings.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, kernel, types
from shoal.kernels.keys import sort_keys


@kernel(types.Tuple((I8_OUT, I4_OUT)), I8, I4, I8, I8, INT, I8, I4)
def term_postings(
    offsets: Int64, items: Int32, rows: Int64, bounds: Int64, n_items: int, term_offsets: Int64, term_items: Int32
) -> tuple[Int64, Int32]:
    """Which records of its cluster hold each item of a term chunk: the places i of rows[i], ascending, and offsets."""
    entry_of = np.full(n_items, -1, np.int64)
    upto = np.zeros(len(term_items) + 1, np.int64)
    places = np.empty(0, np.int32)
    at = np.zeros(len(term_items), np.int64)
    for fill in range(2):
        if fill == 1:
            for e in range(len(term_items)):
                upto[e + 1] = upto[e] + at[e]
                at[e] = upto[e]
            places = np.empty(upto[-1], np.int32)
        for p in range(len(bounds) - 1):
            for e in range(term_offsets[p], term_offsets[p + 1]):
                entry_of[term_items[e]] = e
            for i in range(bounds[p], bounds[p + 1]):
                for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                    e = entry_of[items[j]]
                    if e >= 0:
                        if fill == 1:
                            places[at[e]] = i
                        at[e] += 1
            for e in range(term_offsets[p], term_offsets[p + 1]):
                entry_of[term_items[e]] = -1
    return upto, places


@kernel(types.void, I8, I8, I4_OUT, I4_OUT, I4_OUT, I4)
def relabel_lists(nodes: Int64, offsets: Int64, ranks: Int32, supports: Int32, heads: Int32, label: Int32) -> None:
    """Give every item in the lists of the nodes its new rank, and sort the lists by it."""
    longest = 1
    for v in range(len(nodes)):
        longest = max(longest, offsets[nodes[v] + 1] - offsets[nodes[v]])
    keys = np.empty(longest, np.int64)
    old_supports = np.empty(longest, np.int32)
    old_heads = np.empty(longest, np.int32)
    for v in range(len(nodes)):
        start = offsets[nodes[v]]
        size = offsets[nodes[v] + 1] - start
        for i in range(size):
            keys[i] = label[ranks[start + i]] * size + i
            old_supports[i] = supports[start + i]
            old_heads[i] = heads[start + i]
        sort_keys(keys, size)
        for i in range(size):
            ranks[start + i] = keys[i] // size
            supports[start + i] = old_supports[keys[i] % size]
            heads[start + i] = old_heads[keys[i] % size]


@kernel(types.Tuple((I8_OUT, I4_OUT, I4_OUT, I4_OUT)), I8, I8, I8, I8, I8, I8, I4, I4, I4, I4_OUT)
def merge_lists(
    left: Int64,
    right: Int64,
    shared_offsets: Int64,
    left_at: Int64,
    right_at: Int64,
    list_offsets: Int64,
    ranks: Int32,
    supports: Int32,
    heads: Int32,
    next_entry: Int32,
) -> tuple[Int64, Int32, Int32, Int32]:
    """The lists of joints: what their two nodes have without the items they share, which stand where the lists say.

    Returns, flat, the length of each list, its ranks, supports and first entries.
    """
    listed = 0
    for joint in range(len(left)):
        listed += list_offsets[left[joint] + 1] - list_offsets[left[joint]]
        listed += list_offsets[right[joint] + 1] - list_offsets[right[joint]]
    out_listed = np.empty(len(left), np.int64)
    out_ranks = np.empty(listed, np.int32)
    out_supports = np.empty(listed, np.int32)
    out_heads = np.empty(listed, np.int32)
    n_listed = 0
    for joint in range(len(left)):
        before = n_listed
        t, end_t = shared_offsets[joint], shared_offsets[joint + 1]
        i, end_i = list_offsets[left[joint]], list_offsets[left[joint] + 1]
        j, end_j = list_offsets[right[joint]], list_offsets[right[joint] + 1]
        while i < end_i or j < end_j:
            if t < end_t and i == left_at[t] and j == right_at[t]:
                i += 1
                j += 1
                t += 1
                continue
            from_left = j == end_j or (i < end_i and ranks[i] <= ranks[j])
            from_right = i == end_i or (j < end_j and ranks[j] <= ranks[i])
            source = i if from_left else j
            out_ranks[n_listed] = ranks[source]
            out_heads[n_listed] = heads[source]
            out_supports[n_listed] = supports[source]
            if from_left and from_right:
                out_supports[n_listed] += supports[j]
                e = heads[i]
                while next_entry[e] >= 0:
                    e = next_entry[e]
                next_entry[e] = heads[j]
            n_listed += 1
            i += from_left
            j += from_right
        out_listed[joint] = n_listed - before
    return out_listed, out_ranks[:n_listed].copy(), out_supports[:n_listed].copy(), out_heads[:n_listed].copy()
