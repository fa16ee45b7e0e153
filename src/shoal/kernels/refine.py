"""Refining (VLDB 2012, Algorithm REFINE): pairs of clusters whose term chunks have items in common share chunks.

A *node* is a cluster or a joint cluster: first the clusters (leaves), then the joints in the order of their making.
Its list and the postings of leaf entries are those of ``term_lists``.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, U1, U1_OUT, Int32, Int64, UInt8, kernel, types
from shoal.kernels.keys import sort_keys

# How many shared items of a joint are grouped into chunks together: grouping compares any two of them over all the
# records that hold one, so that its work would grow with their number to the power of three.
AT_ONCE = 256


@kernel(
    types.void,
    *(I8, I4, I4, I4, I4_OUT, I4, I8, U1, I8_OUT, I8_OUT, I8_OUT),
    *(INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT),
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
    left_at: Int64,
    right_at: Int64,
    chosen: Int64,
) -> None:
    """The items that two nodes share: in the lists of both, k times together, and not the last that a leaf relies on.

    Links the entries of each item, those of the right node behind those of the left, and fills: where it stands in the
    two lists; ``chosen`` with the number of items, their occurrences, their leaf entries, and the records of the leaves
    that have any; ``base`` with where the records of each such leaf start among these. ``attempt`` is a number that no
    other attempt has, and marks the leaves that this one has seen.
    """
    chosen[:] = 0
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
                left_at[chosen[0]] = i
                right_at[chosen[0]] = j
                chosen[0] += 1
                chosen[1] += supports[i] + supports[j]
        i += 1
        j += 1


@kernel(types.void, I4, I4_OUT, I4, I8, I8, INT, I8_OUT)
def _put_back(
    heads: Int32,
    next_entry: Int32,
    entry_leaf: Int32,
    left_at: Int64,
    right_at: Int64,
    n_shared: int,
    terms_left: Int64,
) -> None:
    """Undo the choice of items."""
    for t in range(n_shared):
        e = heads[left_at[t]]
        while e >= 0:
            terms_left[entry_leaf[e]] += 1
            following = next_entry[e]
            if following == heads[right_at[t]]:
                next_entry[e] = -1
            e = following


@kernel(
    INT,
    *(I8, INT, INT, INT, I4, I4, I4, I8, I4, I8, I8, I8),
    *(INT, U1_OUT, I8_OUT, I8_OUT, I4_OUT, INT),
)
def _gather_records(
    by_code: Int64,
    n_shared: int,
    start: int,
    end: int,
    heads: Int32,
    next_entry: Int32,
    entry_leaf: Int32,
    post_offsets: Int64,
    post_places: Int32,
    bounds: Int64,
    base: Int64,
    left_at: Int64,
    involved: int,
    gone: UInt8,
    at: Int64,
    cell_offsets: Int64,
    cell_items: Int32,
    first: int,
) -> int:
    """Append the records that hold some of the shared items, with nothing but these; returns how many.

    ``by_code`` has code * n_shared + number of each shared item, ascending: those from ``start`` to ``end`` are meant.
    ``first`` is how many records are there so far; ``at`` is zero before and after.
    """
    for fill in range(2):
        last = first
        if fill == 1:
            for row in range(involved):
                if at[row] > 0:
                    cell_offsets[last + 1] = cell_offsets[last] + at[row]
                    at[row] = cell_offsets[last]
                    last += 1
        for t in range(start, end):
            e = heads[left_at[by_code[t] % n_shared]]
            while e >= 0:
                gone[e] = 1
                shift = base[entry_leaf[e]] - bounds[entry_leaf[e]]
                for q in range(post_offsets[e], post_offsets[e + 1]):
                    row = post_places[q] + shift
                    if fill == 1:
                        cell_items[at[row]] = by_code[t] // n_shared
                    at[row] += 1
                e = next_entry[e]
    for row in range(involved):
        at[row] = 0
    return last - first


@kernel(
    INT,
    *(I8, I4, I4, I4, I4_OUT, INT, INT, I8, I8, INT),
    *(INT, I4_OUT, I4_OUT, I4_OUT),
)
def _merge_lists(
    list_offsets: Int64,
    ranks: Int32,
    supports: Int32,
    heads: Int32,
    next_entry: Int32,
    left: int,
    right: int,
    left_at: Int64,
    right_at: Int64,
    n_shared: int,
    n_listed: int,
    out_ranks: Int32,
    out_supports: Int32,
    out_heads: Int32,
) -> int:
    """Append what two nodes have in term chunks without the shared items; returns the new end."""
    i, j, t = list_offsets[left], list_offsets[right], 0
    end_i, end_j = list_offsets[left + 1], list_offsets[right + 1]
    while i < end_i or j < end_j:
        if t < n_shared and i == left_at[t] and j == right_at[t]:
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
        if from_left:
            i += 1
        if from_right:
            j += 1
    return n_listed


_JOINED = types.Tuple((*(I8_OUT,) * 3, *(I4_OUT,) * 3, I8_OUT, I4_OUT, I8_OUT, *(I8_OUT, I4_OUT) * 2, I8_OUT))


@kernel(
    _JOINED,
    *(I8, I8, I4, I4, I4, I4_OUT, I4, I8, I4, I8, I4),
    *(I8, I8, I8, I4, U1, I8_OUT, U1_OUT, I8_OUT, I8_OUT, I8_OUT, INT, INT),
)
def join_neighbours(
    order: Int64,
    list_offsets: Int64,
    ranks: Int32,
    supports: Int32,
    heads: Int32,
    next_entry: Int32,
    entry_leaf: Int32,
    post_offsets: Int64,
    post_places: Int32,
    bounds: Int64,
    item_of_rank: Int32,
    node_size: Int64,
    next_node: Int64,
    domain_offsets: Int64,
    domain_items: Int32,
    relies: UInt8,
    terms_left: Int64,
    gone: UInt8,
    seen_by: Int64,
    base: Int64,
    failed_with: Int64,
    first_attempt: int,
    k: int,
) -> tuple[Int64, Int64, Int64, Int32, Int32, Int32, Int64, Int32, Int64, Int64, Int32, Int64, Int32, Int64]:
    """Join neighbours in the order of nodes, from the front, where equation 1 says so, and gather what they share.

    ``seen_by``, ``base`` (of leaves) and ``terms_left``, ``gone``, ``next_entry``, ``failed_with`` are written to, each
    only where it concerns the given nodes: calls for different nodes may run side by side. Attempts are numbered from
    ``first_attempt`` on, one for each place in the order; no leaf may be in two attempts of one number.

    Returns, flat: the left and right node of each new joint; the length of its list, and the lists (ranks, supports,
    heads); the number of its shared items, and these. Then, for parts of up to AT_ONCE shared items of a joint: the
    joint; how many of these items are in record or shared chunks below as well (T^r), and which; where the items of
    each record that has any start, and these; and how many such records there are.
    """
    n_items = len(item_of_rank)
    listed, posted, longest = 0, 0, 1
    for v in range(len(order)):
        start, end = list_offsets[order[v]], list_offsets[order[v] + 1]
        listed += end - start
        longest = max(longest, end - start)
        for i in range(start, end):
            posted += supports[i]
    out_left = np.empty(len(order) // 2, np.int64)
    out_right = np.empty(len(order) // 2, np.int64)
    out_listed = np.empty(len(order) // 2, np.int64)
    out_ranks = np.empty(listed, np.int32)
    out_supports = np.empty(listed, np.int32)
    out_heads = np.empty(listed, np.int32)
    out_shared = np.empty(len(order) // 2, np.int64)
    out_domain = np.empty(listed // 2, np.int32)
    most_parts = len(order) // 2 + listed // (2 * AT_ONCE)
    out_part = np.empty(most_parts, np.int64)
    out_closed = np.empty(most_parts, np.int64)
    out_closed_items = np.empty(listed // 2, np.int32)
    out_cell_offsets = np.zeros(posted + 1, np.int64)
    out_cells = np.empty(posted, np.int32)
    out_records = np.empty(most_parts, np.int64)
    n_joints, n_listed, n_domain, n_parts, n_closed, n_records = 0, 0, 0, 0, 0, 0

    left_at = np.empty(longest, np.int64)  # where in the left and in the right list each shared item stands
    right_at = np.empty(longest, np.int64)
    chosen = np.zeros(4, np.int64)
    by_code = np.empty(longest, np.int64)
    is_shared = np.zeros(n_items, np.uint8)
    at = np.zeros(1024, np.int64)  # grows with the largest joint so far

    v = 0
    while v + 1 < len(order):
        left, right = order[v], order[v + 1]
        if failed_with[left] == right:
            v += 1
            continue
        _choose_items(
            *(list_offsets, ranks, supports, heads, next_entry, entry_leaf, bounds, relies),
            *(terms_left, seen_by, base),
            *(first_attempt + v, left, right, k),
            *(left_at, right_at, chosen),
        )
        n_shared, cells, entries, involved = chosen[0], chosen[1], chosen[2], chosen[3]
        # Equation 1, its two sides times both numbers of records.
        if n_shared == 0 or cells * involved < entries * (node_size[left] + node_size[right]):
            _put_back(heads, next_entry, entry_leaf, left_at, right_at, n_shared, terms_left)
            failed_with[left] = right
            v += 1
            continue

        for t in range(n_shared):
            by_code[t] = item_of_rank[ranks[left_at[t]]] * n_shared + t
        sort_keys(by_code, n_shared)
        # Property 1: which of the shared items are in chunks below.
        for t in range(n_shared):
            out_domain[n_domain + t] = by_code[t] // n_shared
            is_shared[out_domain[n_domain + t]] = 1
        for side in range(2):
            node = left if side == 0 else right
            while node >= 0:
                for d in range(domain_offsets[node], domain_offsets[node + 1]):
                    if is_shared[domain_items[d]]:
                        is_shared[domain_items[d]] = 2
                node = next_node[node]
        if involved > len(at):
            at = np.zeros(2 * involved, np.int64)
        for start in range(0, n_shared, AT_ONCE):
            end = min(start + AT_ONCE, n_shared)
            out_records[n_parts] = _gather_records(
                *(by_code, n_shared, start, end, heads, next_entry, entry_leaf, post_offsets, post_places, bounds),
                *(base, left_at, involved, gone, at, out_cell_offsets, out_cells, n_records),
            )
            n_records += out_records[n_parts]
            before = n_closed
            for t in range(start, end):
                code = out_domain[n_domain + t]
                if is_shared[code] == 2:
                    out_closed_items[n_closed] = code
                    n_closed += 1
                is_shared[code] = 0
            out_closed[n_parts] = n_closed - before
            out_part[n_parts] = n_joints
            n_parts += 1
        out_shared[n_joints] = n_shared
        n_domain += n_shared

        before = n_listed
        n_listed = _merge_lists(
            *(list_offsets, ranks, supports, heads, next_entry, left, right, left_at, right_at, n_shared),
            *(n_listed, out_ranks, out_supports, out_heads),
        )
        out_listed[n_joints] = n_listed - before
        out_left[n_joints] = left
        out_right[n_joints] = right
        n_joints += 1
        v += 2

    return (
        out_left[:n_joints].copy(),
        out_right[:n_joints].copy(),
        out_listed[:n_joints].copy(),
        out_ranks[:n_listed].copy(),
        out_supports[:n_listed].copy(),
        out_heads[:n_listed].copy(),
        out_shared[:n_joints].copy(),
        out_domain[:n_domain].copy(),
        out_part[:n_parts].copy(),
        out_closed[:n_parts].copy(),
        out_closed_items[:n_closed].copy(),
        out_cell_offsets[: n_records + 1].copy(),
        out_cells[: out_cell_offsets[n_records]].copy(),
        out_records[:n_parts].copy(),
    )
