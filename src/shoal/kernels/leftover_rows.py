"""Place leftover rows in groups (Injector: Li and Li 2008, figure 2, lines 18-23).

A row goes to the group with the fewest rows that are incompatible with it; while it has fewer than l valid values
there, the group is merged with the one that brings most new values. Groups that satisfy the requirement satisfy it
still when they are merged, and when a row joins whose own value is not excluded for it. Where it is, all rows of the
group are looked at again.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int64, UInt8
from shoal.kernels.compiling import I8, I8_OUT, INT, U1, kernel
from shoal.kernels.heap import heapify, sift_down
from shoal.kernels.valid_values import valid_values


@kernel(INT, INT, I8, I8, I8, I8, U1, INT, INT, I8_OUT, INT)
def _partners(
    node: int,
    after: Int64,
    class_of: Int64,
    value: Int64,
    kind: Int64,
    excluded: UInt8,
    n_values: int,
    joining: int,
    mark: Int64,
    stamp: int,
) -> int:
    """How many different values the rows of a list have that are compatible with a class."""
    found = 0
    while node >= 0:
        c = class_of[node]
        if (
            mark[value[c]] != stamp
            and value[c] != value[joining]
            and excluded[kind[joining] * n_values + value[c]] == 0
            and excluded[kind[c] * n_values + value[joining]] == 0
        ):
            mark[value[c]] = stamp
            found += 1
        node = after[node]
    return found


@kernel(INT, INT, I8, I8, I8, I8, U1, INT, INT)
def _clashes(
    node: int, after: Int64, class_of: Int64, value: Int64, kind: Int64, excluded: UInt8, n_values: int, joining: int
) -> int:
    """How many rows of a list are incompatible with a class."""
    found = 0
    while node >= 0:
        c = class_of[node]
        found += (
            value[c] == value[joining]
            or excluded[kind[joining] * n_values + value[c]] > 0
            or excluded[kind[c] * n_values + value[joining]] > 0
        )
        node = after[node]
    return found


@kernel(INT, INT, I8, I8, I8, I8, U1, INT, INT, I8_OUT, I8_OUT)
def _fewest_valid(
    first: int,
    after: Int64,
    class_of: Int64,
    value: Int64,
    kind: Int64,
    excluded: UInt8,
    n_values: int,
    only: int,
    value_place: Int64,
    kind_place: Int64,
) -> int:
    """The smallest number of valid values of the rows of a list, or of those of the kind ``only``, unless that is -1.

    The last two are -1 everywhere, and are so again afterwards.
    """
    width, n_kinds, node = 0, 0, first
    while node >= 0:
        c = class_of[node]
        if value_place[value[c]] < 0:
            value_place[value[c]] = width
            width += 1
        if kind_place[kind[c]] < 0:
            kind_place[kind[c]] = n_kinds
            n_kinds += 1
        node = after[node]
    held = np.zeros(n_kinds * width, np.int64)
    shut = np.empty(n_kinds * width, np.uint8)
    values = np.empty(width, np.int64)
    kinds = np.empty(n_kinds, np.int64)
    node = first
    while node >= 0:
        c = class_of[node]
        values[value_place[value[c]]] = value[c]
        kinds[kind_place[kind[c]]] = kind[c]
        held[kind_place[kind[c]] * width + value_place[value[c]]] += 1
        node = after[node]
    for k in range(n_kinds):
        for v in range(width):
            shut[k * width + v] = excluded[kinds[k] * n_values + values[v]]
    valid = valid_values(held, shut, n_kinds, width)
    fewest = width
    for k in range(n_kinds):
        if only < 0 or k == kind_place[only]:
            count = 0
            for v in range(width):
                count += valid[k * width + v]
            fewest = min(fewest, count)
    for v in range(width):
        value_place[values[v]] = -1
    for k in range(n_kinds):
        kind_place[kinds[k]] = -1
    return fewest


@kernel(INT, INT, INT, I8, I8, I8, I8, I8_OUT, INT, INT)
def _most_new(
    g: int, start: int, first: Int64, after: Int64, class_of: Int64, value: Int64, mark: Int64, stamp: int, enough: int
) -> int:
    """The group that has most values that group ``g`` has not; the first with ``enough`` of them will do."""
    node, known = first[g], 0
    while node >= 0:
        known += mark[value[class_of[node]]] < stamp
        mark[value[class_of[node]]] = stamp
        node = after[node]
    best, most = -1, -1
    for step in range(len(first)):
        other = (start + step) % len(first)
        if other == g or first[other] < 0:
            continue
        seen = stamp + 1 + step
        new, node = 0, first[other]
        while node >= 0:
            v = value[class_of[node]]
            if mark[v] != stamp and mark[v] != seen:
                mark[v] = seen
                new += 1
            node = after[node]
        if new > most:
            best, most = other, new
            if new >= min(enough, len(mark) - known):
                break
    return best


@kernel(I8_OUT, I8, I8, I8, U1, INT, INT, I8)
def place_leftovers(
    value: Int64,
    kind: Int64,
    picks: Int64,
    excluded: UInt8,
    n_values: int,
    l: int,  # noqa: E741  (the literature's name)
    leftovers: Int64,
) -> Int64:
    """The group of each of the ``picks``, which come l in a row for each group, and then of each of the ``leftovers``.

    Both are classes; leftovers of one class follow each other. Groups that were merged away have no rows. All rows
    together must satisfy the requirement: then one group does at the latest.
    """
    n_groups = len(picks) // l
    n_rows = len(picks) + len(leftovers)
    class_of = np.empty(n_rows, np.int64)
    after = np.full(n_rows, -1, np.int64)
    first = np.empty(n_groups, np.int64)
    last = np.empty(n_groups, np.int64)
    for r in range(len(picks)):
        class_of[r] = picks[r]
        if (r + 1) % l > 0:
            after[r] = r + 1
    # Where some row's own value is excluded for it, two rows that may exchange values need not be free to.
    exchange = True
    for at in range(len(leftovers)):
        if excluded[kind[leftovers[at]] * n_values + value[leftovers[at]]] > 0:
            exchange = False
    for g in range(n_groups):
        first[g] = g * l
        last[g] = g * l + l - 1
    alive = n_groups
    n_kinds = len(excluded) // n_values
    mark = np.full(n_values, -1, np.int64)
    value_place = np.full(n_values, -1, np.int64)
    kind_place = np.full(n_kinds, -1, np.int64)
    clashes = np.empty(n_groups, np.int64)
    heap = np.empty(n_groups, np.int64)
    size, stamp, joining = 0, 0, -1
    for at in range(len(leftovers)):
        row = len(picks) + at
        if leftovers[at] != joining:
            joining = leftovers[at]
            size = 0
            for g in range(n_groups):
                if first[g] >= 0:
                    clashes[g] = _clashes(first[g], after, class_of, value, kind, excluded, n_values, joining)
                    heap[size] = -(clashes[g] * n_groups + g)
                    size += 1
            heapify(heap, size)
        while first[-heap[0] % n_groups] < 0:
            size -= 1
            heap[0] = heap[size]
            sift_down(heap, size, 0)
        g = -heap[0] % n_groups
        own_excluded = excluded[kind[joining] * n_values + value[joining]] > 0
        stamp += 1
        partners = _partners(first[g], after, class_of, value, kind, excluded, n_values, joining, mark, stamp)
        class_of[row] = joining
        after[last[g]] = row
        last[g] = row
        clashes[g] += 1
        if not (exchange and partners + 1 >= l):
            only = -1 if own_excluded else kind[joining]
            while alive > 1 and (
                _fewest_valid(first[g], after, class_of, value, kind, excluded, n_values, only, value_place, kind_place)
                < l
            ):
                stamp += 1
                other = _most_new(g, g + 1, first, after, class_of, value, mark, stamp, l)
                stamp += n_groups + 1
                after[last[g]] = first[other]
                last[g] = last[other]
                first[other] = -1
                clashes[g] += clashes[other]
                alive -= 1
        heap[0] = -(clashes[g] * n_groups + g)
        sift_down(heap, size, 0)
    group = np.empty(n_rows, np.int64)
    for g in range(n_groups):
        node = first[g]
        while node >= 0:
            group[node] = g
            node = after[node]
    return group
