"""Horizontal partitioning (VLDB 2012, Algorithm HORPART): records that share their most frequent items together.

One node of the recursion is one pass: along the chain of 'without the item' parts the counts only fall, so a posting
list per item and a lazy heap peel off every 'with the item' part of the chain in time linear in the node's items.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types
from shoal.kernels.heap import heapify, sift_down


@kernel(types.UniTuple(I8_OUT, 2), I8, I4, INT, INT, INT)
def split_records(offsets, items, n_items, limit, least):
    """Split until parts have at most ``limit`` records or no unused item reaches ``least`` of them.

    Returns the record numbers, part after part, and where the parts end. Parts may be larger than ``limit`` (nothing
    left to split on) or smaller than ``least`` (what no item took): the caller chops and folds them. With least = 1
    the parts are those of the printed algorithm.
    """
    n = len(offsets) - 1
    rows = np.arange(n)
    moved = np.empty(n, np.int64)
    taken = np.zeros(n, np.uint8)
    count = np.zeros(n_items, np.int64)
    used_at = np.full(n_items, -1, np.int64)
    start = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int64)
    postings = np.empty(len(items), np.int32)
    heap = np.empty(n_items, np.int64)
    ends = np.empty(n + 1, np.int64)
    n_parts = 0

    # The stack holds disjoint, non-empty ranges of rows, so it never has more than n entries. A range carries the item
    # that brought its records together and its depth; -1 marks what no item took, which is not split again. Ranges come
    # off the stack depth first, so path[:depth] always holds the items used above the one at hand.
    low_of = np.empty(n + 1, np.int64)
    high_of = np.empty(n + 1, np.int64)
    item_of = np.empty(n + 1, np.int64)
    depth_of = np.empty(n + 1, np.int64)
    path = np.empty(n_items + 1, np.int64)
    low_of[0], high_of[0], item_of[0], depth_of[0] = 0, n, -1, 0
    stacked = 1 if n > 0 else 0
    node = 0
    while stacked > 0:
        stacked -= 1
        low, high, depth = low_of[stacked], high_of[stacked], depth_of[stacked]
        if depth > 0:
            path[depth - 1] = item_of[stacked]
        if high - low <= limit or depth < 0:
            ends[n_parts] = high
            n_parts += 1
            continue

        node += 1
        for d in range(depth):
            used_at[path[d]] = node
        n_touched = 0
        for i in range(low, high):
            row = rows[i]
            for j in range(offsets[row], offsets[row + 1]):
                item = items[j]
                if count[item] == 0:
                    touched[n_touched] = item
                    n_touched += 1
                count[item] += 1

        # Only items that reach ``least`` can ever be chosen: the others need neither postings nor a place in the heap.
        size = 0
        total = 0
        for t in range(n_touched):
            item = touched[t]
            start[item] = -1
            if count[item] >= least and used_at[item] != node:
                start[item] = total
                total += count[item]
                heap[size] = count[item] * n_items + (n_items - 1 - item)
                size += 1
        heapify(heap, size)
        for i in range(low, high):
            row = rows[i]
            for j in range(offsets[row], offsets[row + 1]):
                item = items[j]
                if start[item] >= 0:
                    postings[start[item]] = row
                    start[item] += 1

        first_child = stacked
        out = low
        while size > 0 and high - out > limit:
            item = n_items - 1 - heap[0] % n_items
            listed = heap[0] // n_items
            if count[item] < listed:
                if count[item] >= least:
                    heap[0] = count[item] * n_items + (n_items - 1 - item)
                else:
                    size -= 1
                    heap[0] = heap[size]
                sift_down(heap, size, 0)
                continue
            size -= 1
            heap[0] = heap[size]
            sift_down(heap, size, 0)
            child_low = out
            # start[item] stands at the end of its postings now, and count[item] tells how many are not yet taken:
            # walk back until all of them are found.
            left = count[item]
            p = start[item] - 1
            while left > 0:
                row = postings[p]
                p -= 1
                if taken[row]:
                    continue
                taken[row] = 1
                moved[out] = row
                out += 1
                left -= 1
                for j in range(offsets[row], offsets[row + 1]):
                    count[items[j]] -= 1
            low_of[stacked], high_of[stacked] = child_low, out
            item_of[stacked], depth_of[stacked] = item, depth + 1
            stacked += 1

        if out < high:
            low_of[stacked], high_of[stacked], depth_of[stacked] = out, high, -1
            stacked += 1
        for i in range(low, high):
            row = rows[i]
            if taken[row]:
                taken[row] = 0
            else:
                moved[out] = row
                out += 1
        for i in range(low, high):
            rows[i] = moved[i]
        for t in range(n_touched):
            count[touched[t]] = 0
        # The first part peeled off comes off the stack first.
        i, j = first_child, stacked - 1
        while i < j:
            low_of[i], low_of[j] = low_of[j], low_of[i]
            high_of[i], high_of[j] = high_of[j], high_of[i]
            item_of[i], item_of[j] = item_of[j], item_of[i]
            depth_of[i], depth_of[j] = depth_of[j], depth_of[i]
            i += 1
            j -= 1
    return rows, ends[:n_parts].copy()
