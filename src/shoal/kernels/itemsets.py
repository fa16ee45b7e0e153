"""Frequent itemsets, depth first: lists of records for sparse items, and bit masks for dense ones.

The vertical search is that of M. Zaki: Scalable Algorithms for Association Mining, TKDE 2000; dealing records to items,
and closed sets without a store of those already found, follow T. Uno, M. Kiyomi, H. Arimura: LCM ver. 2, FIMI 2004.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.bits import BITS
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel
from shoal.kernels.keys import sort_keys
from shoal.kernels.vertical_index import _longer, _mark_records, _meet

ALL, CLOSED, MAXIMAL = 0, 1, 2
# A set of records of up to this many words is always a mask; a longer one is if one bit in this many is set.
_SHORT, _DENSE = 8, 8


@kernel(I8_OUT, I8_OUT, INT, I8, INT, INT)
def _append(found: Int64, at: int, prefix: Int64, length: int, count: int) -> Int64:
    """Append a set and its count to the found sets; returns the array, which may have grown."""
    found = _longer(found, at + length + 1)
    found[at] = -count
    for j in range(length):
        found[at + 1 + j] = prefix[j]
    return found


@kernel(I8_OUT, I8, I4, I8, I4, INT, INT, INT, INT, INT, INT, I8, INT, I8_OUT)
def mine_prefixes(
    offsets: Int64,
    items: Int32,
    holder_offsets: Int64,
    holders: Int32,
    first: int,
    end: int,
    longest: int,
    least: int,
    kind: int,
    max_length: int,
    most_perfect: Int64,
    room: int,
    stop: Int64,
) -> Int64:
    """The itemsets in at least ``least`` records whose last item is one of first, ..., end - 1.

    Records hold items in ascending order; ``holders`` lists the records of each item. Returns, for each set, its count
    with a minus, and its items. Gives up, and sets stop[0], when these are more than ``room`` numbers, or when there
    are most_perfect[l] items that can be added or left out without changing the count, where l more may be added.
    Ends early when stop[0] is not 0.
    """
    n_items = len(holder_offsets) - 1
    count = np.zeros(n_items, np.int64)
    keys = np.empty(n_items, np.int64)
    prefix = np.empty(longest, np.int64)
    frames = np.empty(4 * longest + 4, np.int64)  # first row, next row, end of rows, length of the prefix
    found, n_found = np.empty(512, np.int64), 0
    # A stack of nodes, each its records, then: item, length of the prefix, first record, height of the stack below.
    stack = np.empty(512, np.int64)
    rows = np.empty(512, np.int64)  # item, count, mask

    for origin in range(first, end):
        n = holder_offsets[origin + 1] - holder_offsets[origin]
        stack = _longer(stack, n + 4)
        for t in range(n):
            stack[t] = holders[holder_offsets[origin] + t]
        stack[n] = origin
        stack[n + 1], stack[n + 2], stack[n + 3] = 0, 0, 0
        height = n + 4
        while height > 0 and stop[0] == 0:
            top = height - 4
            last, length = stack[top], stack[top + 1]
            start, height = stack[top + 2], stack[top + 3]
            n = top - start
            # Items after the last one are only asked whether they belong to a closed set.
            bound = last + 1 if kind == ALL else n_items
            n_rows, seen = 0, 0
            for t in range(start, top):
                for c in range(offsets[stack[t]], offsets[stack[t] + 1]):
                    item = items[c]
                    if item >= bound:
                        break
                    if count[item] == 0:
                        keys[seen] = -item
                        seen += 1
                    count[item] += 1
            weight = 0
            for t in range(seen):
                common = count[-keys[t]]
                if common >= least:
                    keys[n_rows] = keys[t]
                    n_rows += 1
                    weight += common
                else:
                    count[-keys[t]] = 0
            sort_keys(keys, n_rows)  # those that are only asked, then the last one itself, then the others
            words = (n + BITS - 1) // BITS
            width = words + 2
            deal = (
                kind == ALL and words > _SHORT and (weight - n) * _DENSE < n * (n_rows - 1) and length + 1 < max_length
            )
            if deal:
                prefix[length] = last
                found = _append(found, n_found, prefix, length + 1, n)
                n_found += length + 2
                stack = _longer(stack, top + weight + 4 * n_rows)
                count[last] = 0
                to = top + 4
                for r in range(1, n_rows):
                    at = to + count[-keys[r]]
                    stack[at], stack[at + 1] = -keys[r], length + 1
                    stack[at + 2], stack[at + 3] = to, height
                    count[-keys[r]] = to
                    to = at + 4
                    height = to
                for t in range(start, top):
                    for c in range(offsets[stack[t]], offsets[stack[t] + 1]):
                        if items[c] >= last:
                            break
                        if count[items[c]] > 0:
                            stack[count[items[c]]] = stack[t]
                            count[items[c]] += 1
            else:
                rows = _longer(rows, n_rows * width)
                for w in range(n_rows * width):
                    rows[w] = 0
                frames[0], frames[1] = 0, 0
                frames[2], frames[3] = n_rows * width, length
                for r in range(n_rows):
                    item = -keys[r]
                    rows[r * width], rows[r * width + 1] = item, count[item]
                    count[item] = r * width + 2
                    if item == last:
                        frames[1] = r * width
                _mark_records(offsets, items, stack, start, top, bound, count, rows)
            for r in range(n_rows):
                count[-keys[r]] = 0
            if deal:
                continue
            depth = 0
            while depth >= 0 and stop[0] == 0:
                begin, r = frames[depth], frames[depth + 1]
                top, length = frames[depth + 2], frames[depth + 3]
                if r == top:
                    depth -= 4
                    continue
                frames[depth + 1] = r + width if depth > 0 else top
                prefix[length] = rows[r]
                length += 1
                n = rows[r + 1]
                rows = _longer(rows, 2 * top - begin)
                below, earlier = top, 0
                perfect, known = 0, False
                if kind == ALL:
                    begin = r + width if length < max_length else top
                for s in range(begin, top, width):
                    if s == r:
                        continue
                    common = _meet(rows, r + 2, s + 2, below + 2, words)
                    if common < least:
                        continue
                    if common == n and kind != ALL:
                        if s < r:
                            known = True
                            break
                        prefix[length] = rows[s]
                        length += 1
                        continue
                    rows[below], rows[below + 1] = rows[s], common
                    below += width
                    earlier += width * (s < r)
                    perfect += common == n
                if known or length > max_length:
                    continue
                if kind != MAXIMAL or below == top:
                    found = _append(found, n_found, prefix, length, n)
                    n_found += length + 1
                if n_found > room or perfect >= most_perfect[min(max_length - length, len(most_perfect) - 1)]:
                    stop[0] = 1
                if below > top + earlier and length < max_length:
                    depth += 4
                    frames[depth], frames[depth + 1] = top, top + earlier
                    frames[depth + 2], frames[depth + 3] = below, length
    return found[:n_found]
