"""The children of a node below which each record has items, as bits."""

from __future__ import annotations

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I8, I8_OUT, kernel, types


@kernel(types.void, I8, I4, I8, I4, I4, I4, I4, I8_OUT)
def mark_children(
    offsets: Int64,
    items: Int32,
    records: Int64,
    nodes: Int32,
    parents: Int32,
    ends: Int32,
    bits: Int32,
    masks: Int64,
) -> None:
    """Write to masks[i] the bits of those children of nodes[i] below which record records[i] has items.

    Items are nodes of a tree in the order of a walk: what is below node v are the nodes from v + 1 to ends[v] - 1.
    """
    for i in range(len(records)):
        top = nodes[i]
        mask = 0
        for c in range(offsets[records[i]], offsets[records[i] + 1]):
            node = items[c]
            if top < node < ends[top]:
                while parents[node] != top:
                    node = parents[node]
                mask |= 1 << bits[node]
        masks[i] = mask
