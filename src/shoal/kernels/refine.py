"""Refining (VLDB 2012, Algorithm REFINE): pairs of clusters whose term chunks have items in common share chunks.

A *node* is a cluster or a joint cluster: first the clusters (leaves), then the joints in the order of their making.
Lists, leaf entries and postings are those of ``term_lists``.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64, UInt8
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, U1, kernel, types


@kernel(
    types.void,
    *(I8, I4, I4, I4, I4_OUT, I4, I8, U1, I8_OUT, I8_OUT, I8_OUT),
    *(INT, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT),
)
def _choose_items(
    list_offsets: Int64,
    ranks: Int32,
    supports: Int32,
    heads: Int32,
    next_entry: Int32,
    entry_leaf: Int32,
    bounds: Int64,
    relies: UInt8,
    terms_left: Int64,
    seen_by: Int64,
    base: Int64,
    attempt: int,
    left: int,
    right: int,
    k: int,
    first: int,
    left_at: Int64,
    right_at: Int64,
    chosen: Int64,
) -> None:
    """The items that two nodes share: in the lists of both, k times together, and not the last that a leaf relies on.

    Links the entries of each item, those of the right node behind those of the left, and fills: from ``first`` on,
    where it stands in the two lists; ``chosen`` with the number of items, their occurrences, their leaf entries, and
    the records of the leaves that have any; ``base`` with where the records of each such leaf start among these.
    ``attempt`` is a number that no other attempt has, and marks the leaves that this one has seen.
    """
    for c in range(len(chosen)):
        chosen[c] = 0
    i, j = list_offsets[left], list_offsets[right]
    while i < list_offsets[left + 1] and j < list_offsets[right + 1]:
        if ranks[i] < ranks[j]:
            i += 1
            continue
        if ranks[i] > ranks[j]:
            j += 1
            continue
        if supports[i] + supports[j] >= k:
            last, may = -1, True
            e = heads[i]
            while e >= 0:
                if next_entry[e] < 0 and last < 0:
                    last = e
                    next_entry[e] = heads[j]
                if relies[entry_leaf[e]] and terms_left[entry_leaf[e]] <= 1:
                    may = False
                e = next_entry[e]
            if not may:
                next_entry[last] = -1
            else:
                e = heads[i]
                while e >= 0:
                    leaf = entry_leaf[e]
                    terms_left[leaf] -= 1
                    chosen[2] += 1
                    if seen_by[leaf] != attempt:
                        seen_by[leaf] = attempt
                        base[leaf] = chosen[3]
                        chosen[3] += bounds[leaf + 1] - bounds[leaf]
                    e = next_entry[e]
                left_at[first + chosen[0]] = i
                right_at[first + chosen[0]] = j
                chosen[0] += 1
                chosen[1] += supports[i] + supports[j]
        i += 1
        j += 1


@kernel(types.void, I4, I4_OUT, I4, I8, I8, INT, INT, I8_OUT)
def _put_back(
    heads: Int32,
    next_entry: Int32,
    entry_leaf: Int32,
    left_at: Int64,
    right_at: Int64,
    first: int,
    n_shared: int,
    terms_left: Int64,
) -> None:
    """Undo the choice of items."""
    for t in range(first, first + n_shared):
        e = heads[left_at[t]]
        while e >= 0:
            terms_left[entry_leaf[e]] += 1
            following = next_entry[e]
            if following == heads[right_at[t]]:
                next_entry[e] = -1
            e = following


@kernel(
    types.UniTuple(I8_OUT, 6),
    *(I8, I8, I4, I4, I4, I4_OUT, I4, I8, I8),
    *(U1, I8_OUT, I8_OUT, I8_OUT, I8_OUT, INT, INT),
)
def choose_joints(
    order: Int64,
    list_offsets: Int64,
    ranks: Int32,
    supports: Int32,
    heads: Int32,
    next_entry: Int32,
    entry_leaf: Int32,
    bounds: Int64,
    node_size: Int64,
    relies: UInt8,
    terms_left: Int64,
    seen_by: Int64,
    base: Int64,
    failed_with: Int64,
    first_attempt: int,
    k: int,
) -> tuple[Int64, Int64, Int64, Int64, Int64, Int64]:
    """Which neighbours in the order of nodes are joined, from the front, where equation 1 says so.

    ``next_entry``, ``terms_left``, ``seen_by``, ``base``, ``failed_with`` are written to, each only where it concerns
    the given nodes: calls for different nodes may run side by side. Attempts are numbered from ``first_attempt`` on,
    one for each place in the order; no leaf may be in two attempts of one number.

    Returns the left and right node of each joint, where its shared items start and where these stand in the left and in
    the right list, and how many records the leaves have that hold any.
    """
    listed = 0
    for v in range(len(order)):
        listed += list_offsets[order[v] + 1] - list_offsets[order[v]]
    out_left = np.empty(len(order) // 2, np.int64)
    out_right = np.empty(len(order) // 2, np.int64)
    out_offsets = np.zeros(len(order) // 2 + 1, np.int64)
    out_involved = np.empty(len(order) // 2, np.int64)
    left_at = np.empty(listed // 2, np.int64)
    right_at = np.empty(listed // 2, np.int64)
    chosen = np.zeros(4, np.int64)
    n_joints = 0
    v = 0
    while v + 1 < len(order):
        left, right = order[v], order[v + 1]
        if failed_with[left] == right:
            v += 1
            continue
        first = out_offsets[n_joints]
        _choose_items(
            *(list_offsets, ranks, supports, heads, next_entry, entry_leaf, bounds, relies),
            *(terms_left, seen_by, base),
            *(first_attempt + v, left, right, k, first),
            *(left_at, right_at, chosen),
        )
        n_shared, cells, entries, involved = chosen[0], chosen[1], chosen[2], chosen[3]
        # Equation 1, its two sides times both numbers of records.
        if n_shared == 0 or cells * involved < entries * (node_size[left] + node_size[right]):
            _put_back(heads, next_entry, entry_leaf, left_at, right_at, first, n_shared, terms_left)
            failed_with[left] = right
            v += 1
            continue
        out_left[n_joints] = left
        out_right[n_joints] = right
        out_involved[n_joints] = involved
        n_joints += 1
        out_offsets[n_joints] = first + n_shared
        v += 2
    n_shared = out_offsets[n_joints]
    return (
        out_left[:n_joints].copy(),
        out_right[:n_joints].copy(),
        out_offsets[: n_joints + 1].copy(),
        left_at[:n_shared].copy(),
        right_at[:n_shared].copy(),
        out_involved[:n_joints].copy(),
    )
