"""Sets of items that few records hold: their number by length, the minimal ones, and the records they single out.

Sets are extended depth first, by items of lower rank than all of their own, as in ``itemsets``; the origin is the
rarest item of a set. Equal records stand there once, with a weight.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64, UInt8
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, U1_OUT, kernel, types
from shoal.kernels.keys import sort_keys
from shoal.kernels.set_table import add_number, has_number
from shoal.kernels.vertical_index import _longer

# A number that counts two things: the records above these bits, their weights in them.
_UNIT = 1 << 31
_WEIGHT = _UNIT - 1
_FRAME = 5


@kernel(INT, I8, INT, INT, INT)
def _number(prefix: Int64, length: int, without: int, radix: int) -> int:
    """What to add an item to, so that it stands for that item and a prefix without its item at one place."""
    number = 0
    for at in range(length):
        if at != without:
            number = (number + prefix[at]) * radix
    return number


@kernel(types.boolean, I8, INT, INT, I8)
def _all_there(bases: Int64, length: int, item: int, numbers: Int64) -> bool:
    """Whether all the sets that an item makes with the first bases are there; with one base there is nothing to ask."""
    if length > 1:
        for at in range(length):
            if not has_number(numbers, bases[at] + item):
                return False
    return True


@kernel(
    I8_OUT,
    *(I8, I4, I8, I8, I4, I8),
    *(INT, INT, INT, INT, INT, INT),
    *(I8_OUT, INT, I8_OUT),
    *(I8_OUT, I8_OUT, I8_OUT, I8_OUT, U1_OUT, U1_OUT),
)
def count_rare_sets(
    offsets: Int64,
    items: Int32,
    weights: Int64,
    holder_offsets: Int64,
    holders: Int32,
    group: Int64,
    first: int,
    end: int,
    n_marked: int,
    k: int,
    m: int,
    n_frequent: int,
    frequent: Int64,
    room: int,
    left: Int64,
    sets: Int64,
    common: Int64,
    minimal: Int64,
    parts: Int64,
    fewest: UInt8,
    fewest_alone: UInt8,
) -> Int64:
    """Look at all sets of up to m items whose rarest item is one of first, ..., end - 1, and that a marked record has.

    The items below ``n_frequent`` are those that weigh k or more; the first ``n_marked`` records are marked. Adds to
    sets[g * (m + 1) + l] how many sets of l items there are, to ``common`` how many of them weigh k or more, and to
    ``minimal`` how many weigh less while all their subsets do not, where g is the group of the set's rarest item; and
    to ``parts`` how many of the minimal ones each item is in. Lowers fewest[r] to the number of items of the smallest
    set in record r that weighs less than k, and fewest_alone[r] to that of the smallest one that weighs 1.

    ``frequent`` holds the sets of 2 to m - 1 items that weigh k or more and are in several records (see ``set_table``):
    lower origins must have been looked at before, and all records be marked, for the counts to be right. It is
    returned, since it may have grown. left[0] is the work left, in steps; it is negative at the end, and the rest
    undone, if that or ``room`` for lists of records, or for the table, was not enough.
    """
    n_items = len(holder_offsets) - 1
    seen = np.zeros(n_items, np.int64)
    cell = np.empty(n_items, np.int64)  # where an item was first seen, and in which record
    owner = np.empty(n_items, np.int64)
    place = np.zeros(n_items, np.int64)
    keys = np.empty(n_items, np.int64)
    prefix = np.empty(m, np.int64)
    bases = np.empty(m, np.int64)
    # A stack of nodes, each its records, then: item, length of the prefix, first record, height below, weight.
    stack = np.empty(512, np.int64)
    for origin in range(first, end):
        n = holder_offsets[origin + 1] - holder_offsets[origin]
        if left[0] < 0 or n == 0 or holders[holder_offsets[origin]] >= n_marked:
            continue
        at_group = group[origin] * (m + 1)
        stack = _longer(stack, n + _FRAME)
        weight = 0
        for t in range(n):
            stack[t] = holders[holder_offsets[origin] + t]
            weight += weights[stack[t]]
        sets[at_group + 1] += 1
        if weight >= k:
            common[at_group + 1] += 1
        else:
            minimal[at_group + 1] += 1
            parts[origin] += 1
            for t in range(n):
                if stack[t] < n_marked:
                    fewest[stack[t]] = 1
                    if weight == 1:
                        fewest_alone[stack[t]] = 1
        if m == 1:
            continue
        stack[n], stack[n + 1], stack[n + 2], stack[n + 3] = origin, 0, 0, 0
        stack[n + 4] = weight
        height = n + _FRAME
        while height > 0 and left[0] >= 0:
            top = height - _FRAME
            last, length = stack[top], stack[top + 1]
            start, height = stack[top + 2], stack[top + 3]
            weight = stack[top + 4]
            prefix[length] = last
            length += 1
            size = length + 1
            if n_marked < len(weights):
                # Counts do not matter then, and whoever is found by as few items already need not be looked for.
                t = start
                while t < top and stack[t] < n_marked and fewest_alone[stack[t]] <= size:
                    t += 1
                if t == top or stack[t] >= n_marked:
                    continue

            if weight >= k:
                for at in range(min(size, m - 1)):  # the last is for sets that are put in, of less than m items
                    bases[at] = _number(prefix, length, at, n_frequent)

            n_seen = 0
            t = start
            while t < top and stack[t] < n_marked:
                r = stack[t]
                unit = _UNIT + weights[r]
                c = offsets[r]
                while items[c] < last:
                    item = items[c]
                    if seen[item] == 0:
                        keys[n_seen] = -item
                        n_seen += 1
                        cell[item] = c
                        owner[item] = r
                    seen[item] += unit
                    c += 1
                left[0] -= c + 1 - offsets[r]
                t += 1
            while t < top:
                r = stack[t]
                unit = _UNIT + weights[r]
                c = offsets[r]
                while items[c] < last:
                    if seen[items[c]] > 0:
                        seen[items[c]] += unit
                    c += 1
                left[0] -= c + 1 - offsets[r]
                t += 1

            sets[at_group + size] += n_seen
            shared_rare = False
            for t in range(n_seen):
                item = -keys[t]
                heavy = seen[item] & _WEIGHT
                alone = seen[item] - heavy == _UNIT
                if heavy < k:
                    if alone:
                        r = owner[item]
                        fewest[r] = min(fewest[r], size)
                        if heavy == 1:
                            fewest_alone[r] = min(fewest_alone[r], size)
                    else:
                        shared_rare = True
                    if weight >= k and _all_there(bases, length, item, frequent):
                        minimal[at_group + size] += 1
                        parts[item] += 1
                        for at in range(length):
                            parts[prefix[at]] += 1
                else:
                    common[at_group + size] += 1
                    if size < m and not alone:
                        frequent = add_number(frequent, bases[length] + item)
                if alone and size < m:
                    # Whatever else this record holds before the item makes a set in this record only. No set with this
                    # one inside is rare unless it is, so that nobody asks whether it is frequent.
                    before = cell[item] - offsets[owner[item]]
                    ways = 1
                    for more in range(1, m - size + 1):
                        ways = ways * (before - more + 1) // more
                        sets[at_group + size + more] += ways
                        if heavy >= k:
                            common[at_group + size + more] += ways
                    place[item] = -1
            if shared_rare and weight >= k:
                # The records of a rare prefix were lowered when it was seen.
                t = start
                while t < top and stack[t] < n_marked:
                    r = stack[t]
                    if fewest[r] > size:
                        c = offsets[r]
                        while items[c] < last and seen[items[c]] & _WEIGHT >= k:
                            c += 1
                        if items[c] < last:
                            fewest[r] = size
                        left[0] -= c + 1 - offsets[r]
                    t += 1

            if size < m:
                if size + 1 < m:
                    sort_keys(keys, n_seen)  # the highest below: what a subset needs to be known by is seen before it
                needed = top + _FRAME
                for t in range(n_seen):
                    if place[-keys[t]] == 0:
                        needed += (seen[-keys[t]] >> 31) + _FRAME
                if needed > room or len(frequent) > room:
                    left[0] = -1
                else:
                    stack = _longer(stack, needed)
                    to = top + _FRAME
                    for t in range(n_seen):
                        item = -keys[t]
                        if place[item] == 0:
                            at = to + (seen[item] >> 31)
                            stack[at], stack[at + 1], stack[at + 2], stack[at + 3] = item, length, to, height
                            stack[at + 4] = seen[item] & _WEIGHT
                            place[item] = to
                            to = at + _FRAME
                            height = to
                    for t in range(start, top):
                        c = offsets[stack[t]]
                        while items[c] < last:
                            if place[items[c]] > 0:
                                stack[place[items[c]]] = stack[t]
                                place[items[c]] += 1
                            c += 1
                        left[0] -= c + 1 - offsets[stack[t]]
            for t in range(n_seen):
                seen[-keys[t]] = 0
                place[-keys[t]] = 0
    return frequent
