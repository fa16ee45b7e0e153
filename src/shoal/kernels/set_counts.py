"""Count the records that contain given itemsets: sets with the same last item in one sweep over its records."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.bits import BITS
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types
from shoal.kernels.vertical_index import _longer, _mark_records, _meet


@kernel(types.void, I8, I4, I8, I8, I8, I4, I8, INT, INT, I8_OUT)
def count_sets(
    offsets: Int64,
    items: Int32,
    holder_offsets: Int64,
    holders: Int64,
    set_offsets: Int64,
    set_items: Int32,
    order: Int64,
    first: int,
    end: int,
    counts: Int64,
) -> None:
    """Write the counts of the sets order[first:end] to ``counts``.

    Records hold items in ascending order; ``holders`` lists the records of each item. The items of a set ascend, none
    is empty, and sets with the same last item stand together in ``order``.
    """
    mask_of = np.zeros(len(holder_offsets), np.int64)
    masks = np.zeros(2, np.int64)
    while first < end:
        last = set_items[set_offsets[order[first] + 1] - 1]
        words = (holder_offsets[last + 1] - holder_offsets[last] + BITS - 1) // BITS
        # No mask stands at 0, which says that an item has none; the one at 1 is for what the items so far share.
        after = first
        used = 1 + words
        while after < end and set_items[set_offsets[order[after] + 1] - 1] == last:
            for c in range(set_offsets[order[after]], set_offsets[order[after] + 1]):
                if mask_of[set_items[c]] == 0:
                    mask_of[set_items[c]] = used
                    used += words
            after += 1
        masks = _longer(masks, used)
        for w in range(used):
            masks[w] = 0
        start, stretch = holder_offsets[last], holder_offsets[last + 1]
        _mark_records(offsets, items, holders, start, stretch, last + 1, mask_of, masks)
        for s in range(first, after):
            begin = set_offsets[order[s]]
            common = _meet(masks, mask_of[last], mask_of[set_items[begin]], 1, words)
            for c in range(begin + 1, set_offsets[order[s] + 1] - 1):
                common = _meet(masks, 1, mask_of[set_items[c]], 1, words)
            counts[order[s]] = common
        for s in range(first, after):
            for c in range(set_offsets[order[s]], set_offsets[order[s] + 1]):
                mask_of[set_items[c]] = 0
        first = after
