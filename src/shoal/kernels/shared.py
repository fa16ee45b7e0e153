"""The shared items of joint clusters: records reduced to them, in parts that are then split into chunks."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64, UInt8
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, U1_OUT, kernel, types
from shoal.kernels.keys import sort_keys

# How many shared items of a joint are grouped into chunks together: grouping compares any two of them over all the
# records that hold one, so that its work would grow with their number to the power of three.
AT_ONCE = 256

_GATHERED = types.Tuple((I4_OUT, I8_OUT, I8_OUT, I4_OUT, I8_OUT, I4_OUT, I8_OUT))


@kernel(
    _GATHERED,
    *(I8, I8, I8, I8, I8, I8, I4, I4, I4),
    *(I4, I4, I8, I4, I8, I8, I4, I8, I8, I4, U1_OUT),
)
def gather_shared(
    left: Int64,
    right: Int64,
    shared_offsets: Int64,
    left_at: Int64,
    right_at: Int64,
    involved: Int64,
    ranks: Int32,
    supports: Int32,
    heads: Int32,
    next_entry: Int32,
    entry_leaf: Int32,
    post_offsets: Int64,
    post_places: Int32,
    bounds: Int64,
    base: Int64,
    item_of_rank: Int32,
    next_node: Int64,
    domain_offsets: Int64,
    domain_items: Int32,
    gone: UInt8,
) -> tuple[Int32, Int64, Int64, Int32, Int64, Int32, Int64]:
    """Collect the shared items of the two nodes of each joint, and mark the leaf entries that are moved.

    Returns, flat: the shared items of the joints, ascending. Then, for parts of up to AT_ONCE of them: the joint; how
    many of these items are in record or shared chunks below as well (T^r), and which; where the items of each record
    that has any start, and these; and how many such records there are.
    """
    n_shared_items, cells, longest, most_parts = len(left_at), 0, 1, 0
    for joint in range(len(left)):
        n_shared = shared_offsets[joint + 1] - shared_offsets[joint]
        longest = max(longest, involved[joint])
        most_parts += (n_shared + AT_ONCE - 1) // AT_ONCE
    for t in range(n_shared_items):
        cells += supports[left_at[t]] + supports[right_at[t]]
    out_domain = np.empty(n_shared_items, np.int32)
    out_part = np.empty(most_parts, np.int64)
    out_closed = np.empty(most_parts, np.int64)
    out_closed_items = np.empty(n_shared_items, np.int32)
    out_cell_offsets = np.zeros(cells + 1, np.int64)
    out_cells = np.empty(cells, np.int32)
    out_records = np.empty(most_parts, np.int64)
    n_parts, n_closed, n_records = 0, 0, 0
    by_code = np.empty(n_shared_items, np.int64)
    is_shared = np.zeros(len(item_of_rank), np.uint8)
    at = np.zeros(longest, np.int64)

    for joint in range(len(left)):
        first = shared_offsets[joint]
        n_shared = shared_offsets[joint + 1] - first
        for t in range(n_shared):
            by_code[t] = item_of_rank[ranks[left_at[first + t]]] * n_shared + t
        sort_keys(by_code, n_shared)
        for t in range(n_shared):
            out_domain[first + t] = by_code[t] // n_shared
            is_shared[out_domain[first + t]] = 1
        # Property 1: which of the shared items are in chunks below.
        for side in range(2):
            node = left[joint] if side == 0 else right[joint]
            while node >= 0:
                for d in range(domain_offsets[node], domain_offsets[node + 1]):
                    if is_shared[domain_items[d]]:
                        is_shared[domain_items[d]] = 2
                node = next_node[node]

        for start in range(0, n_shared, AT_ONCE):
            end = min(start + AT_ONCE, n_shared)
            # Once to count the items of each record that has any, once to fill them in.
            last = n_records
            for fill in range(2):
                if fill == 1:
                    for row in range(involved[joint]):
                        if at[row] > 0:
                            out_cell_offsets[last + 1] = out_cell_offsets[last] + at[row]
                            at[row] = out_cell_offsets[last]
                            last += 1
                for t in range(start, end):
                    e = heads[left_at[first + by_code[t] % n_shared]]
                    while e >= 0:
                        gone[e] = 1
                        shift = base[entry_leaf[e]] - bounds[entry_leaf[e]]
                        for q in range(post_offsets[e], post_offsets[e + 1]):
                            row = post_places[q] + shift
                            if fill == 1:
                                out_cells[at[row]] = by_code[t] // n_shared
                            at[row] += 1
                        e = next_entry[e]
            for row in range(involved[joint]):
                at[row] = 0
            out_records[n_parts] = last - n_records
            n_records = last
            before = n_closed
            for t in range(start, end):
                code = out_domain[first + t]
                if is_shared[code] == 2:
                    out_closed_items[n_closed] = code
                    n_closed += 1
                is_shared[code] = 0
            out_closed[n_parts] = n_closed - before
            out_part[n_parts] = joint
            n_parts += 1
    return (
        out_domain,
        out_part,
        out_closed,
        out_closed_items[:n_closed].copy(),
        out_cell_offsets[: n_records + 1].copy(),
        out_cells,
        out_records,
    )
