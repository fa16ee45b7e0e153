"""Horizontal partitioning (VLDB 2012, Algorithm HORPART): group records that share their most frequent items.

One node of the recursion is one pass: along the chain of 'without the item' parts the counts only fall, so a posting
list per item and a lazy heap peel off every 'with the item' part of the chain in time linear in the node's items.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types
from shoal.kernels.heap import heapify, sift_down

_NUMBER = 40  # bits for the number of a record; what is above counts its items
_NUMBERS = (1 << _NUMBER) - 1
_HANDFUL = 32


@kernel(types.UniTuple(I8_OUT, 2), I8, I4, INT, INT, INT)
def split_records(offsets: Int64, items: Int32, n_items: int, limit: int, least: int) -> tuple[Int64, Int64]:
    """Split until parts have at most ``limit`` records or no unused item reaches ``least`` of them.

    Returns the record numbers, part after part, and where the parts end. Parts may be larger than ``limit`` (nothing
    left to split on) or smaller than ``least`` (rows no item took): the caller chops and joins them. With least = 1
    the parts are those of the printed algorithm.
    """
    n = len(offsets) - 1
    ends = np.empty(n, np.int64)
    n_parts = 0
    # A place holds a record: its number, and those of its items that still matter (neither used on the way here, nor
    # too rare to be used later), which stand in ``kept``. Two numbers side by side say so, because a place is met at
    # random and should cost one miss of the cache: where its items start; and their count, above the record's number.
    place = np.empty(2 * n, np.int64)
    for r in range(n):
        place[2 * r] = offsets[r]
        place[2 * r + 1] = ((offsets[r + 1] - offsets[r]) << _NUMBER) | r
    kept = items.copy()
    moved = np.empty(n, np.int64)
    moved_items = np.empty(len(items), np.int32)

    count = np.zeros(n_items, np.int64)
    upto = np.full(n_items, -1, np.int64)  # end of an item's postings, or -1 for an item that cannot be chosen
    touched = np.empty(n_items, np.int64)
    postings = np.empty(len(items), np.int32)
    heap = np.empty(n_items, np.int64)
    record_of = np.empty(_HANDFUL, np.int64)
    start_of = np.empty(_HANDFUL, np.int64)
    glance = np.empty(_HANDFUL, np.int32)

    # The stack holds disjoint, non-empty ranges of places, so it never has more than n entries. What no item took is
    # final; the first part peeled off lies on top.
    low_of = np.empty(n + 1, np.int64)
    high_of = np.empty(n + 1, np.int64)
    final = np.empty(n + 1, np.uint8)
    low_of[0], high_of[0], final[0] = 0, n, 0
    stacked = 1 if n > 0 else 0
    while stacked > 0:
        stacked -= 1
        low, high = low_of[stacked], high_of[stacked]
        if high - low <= limit or final[stacked]:
            ends[n_parts] = high
            n_parts += 1
            continue

        n_touched = 0
        for p in range(low, high):
            start = place[2 * p]
            for j in range(start, start + (place[2 * p + 1] >> _NUMBER)):
                item = kept[j]
                if count[item] == 0:
                    touched[n_touched] = item
                    n_touched += 1
                count[item] += 1
        size = 0
        total = 0
        for t in range(n_touched):
            item = touched[t]
            # What all records hold would be chosen first and split nothing: it counts as used without further ado.
            if least <= count[item] < high - low:
                upto[item] = total
                total += count[item]
                heap[size] = count[item] * n_items + (n_items - 1 - item)
                size += 1
        heapify(heap, size)
        for p in range(low, high):
            start = place[2 * p]
            for j in range(start, start + (place[2 * p + 1] >> _NUMBER)):
                item = kept[j]
                if upto[item] >= 0:
                    postings[upto[item]] = p
                    upto[item] += 1

        bottom = stacked
        out = low
        base = place[2 * low]
        out_item = base
        while size > 0 and high - out > limit:
            chosen = n_items - 1 - heap[0] % n_items
            if count[chosen] < heap[0] // n_items:  # some of its records went with other items: look again later
                if count[chosen] >= least:
                    heap[0] = count[chosen] * n_items + (n_items - 1 - chosen)
                else:
                    size -= 1
                    heap[0] = heap[size]
                sift_down(heap, size, 0)
                continue
            size -= 1
            heap[0] = heap[size]
            sift_down(heap, size, 0)
            low_of[stacked], high_of[stacked], final[stacked] = out, out + count[chosen], 0
            stacked += 1
            splits_again = count[chosen] > limit
            left = count[chosen]
            entry = upto[chosen]
            while left > 0:
                # Records come from all over the memory. A handful is looked up first, which the processor does side by
                # side, and then worked through.
                found = 0
                while left > 0 and found < _HANDFUL:
                    entry -= 1
                    p = postings[entry]
                    record = place[2 * p + 1]
                    if record < 0:  # taken before
                        continue
                    place[2 * p + 1] = -1
                    left -= 1
                    record_of[found] = record
                    start_of[found] = place[2 * p]
                    found += 1
                for i in range(found):
                    glance[i] = kept[min(start_of[i], len(kept) - 1)]
                for i in range(found):
                    record = record_of[i]
                    start = start_of[i]
                    before = out_item
                    for j in range(start, start + (record >> _NUMBER)):
                        item = kept[j]
                        if upto[item] >= 0:
                            count[item] -= 1
                            if splits_again and item != chosen:
                                moved_items[out_item] = item
                                out_item += 1
                    moved[out] = ((out_item - before) << _NUMBER) | (record & _NUMBERS)
                    out += 1

        if out < high:
            low_of[stacked], high_of[stacked], final[stacked] = out, high, 1
            stacked += 1
        for p in range(low, high):
            if place[2 * p + 1] >= 0:
                moved[out] = place[2 * p + 1] & _NUMBERS
                out += 1
        start = base
        for p in range(low, high):
            place[2 * p] = start
            place[2 * p + 1] = moved[p]
            start += moved[p] >> _NUMBER
        for j in range(base, out_item):
            kept[j] = moved_items[j]
        for t in range(n_touched):
            count[touched[t]] = 0
            upto[touched[t]] = -1
        i, j = bottom, stacked - 1
        while i < j:
            low_of[i], low_of[j] = low_of[j], low_of[i]
            high_of[i], high_of[j] = high_of[j], high_of[i]
            final[i], final[j] = final[j], final[i]
            i += 1
            j -= 1
    rows = np.empty(n, np.int64)
    for p in range(n):
        rows[p] = place[2 * p + 1] & _NUMBERS
    return rows, ends[:n_parts].copy()
