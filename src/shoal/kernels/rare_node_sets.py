"""Raise sets of nodes that few rows hold along a tree, in the cheapest way, until enough rows hold them.

Rows stand one after the other in one array, the nodes of each ascending, with a mark before the first, between any two
and after the last that is greater than every node. Nodes are numbered by a walk from the root: what is at or below a
node x are the nodes x, ..., ends[x] - 1. ``now`` says which node stands for each one that rows hold; it never falls
along the nodes, because whatever is below a node that was raised is represented by the same one.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, kernel, types
from shoal.kernels.keys import sort_keys
from shoal.kernels.set_table import EMPTY_TABLE, add_number, has_number
from shoal.kernels.vertical_index import _longer

_FRAME = 4
_NEVER = 1 << 62
_LONGEST = 1 << 22


@kernel(I4_OUT, I4, I4, INT)
def raised_rows(rows: Int32, now: Int32, mark: int) -> Int32:
    """Rows in which each node is replaced by its representative, without repetitions."""
    out = np.empty(len(rows), np.int32)
    n = 0
    for c in range(len(rows)):
        node = mark if rows[c] == mark else np.int64(now[rows[c]])
        if node == mark or out[n - 1] != node:
            out[n] = node
            n += 1
    return out[:n].copy()


@kernel(types.Tuple((I8_OUT, I8_OUT)), I4, INT)
def node_places(rows: Int32, mark: int) -> tuple[Int64, Int64]:
    """Where each node x stands in the rows: at ``places[starts[x]:starts[x + 1]]``, ascending."""
    # Counts stand two places on, so that they are starts after adding up, and ends after the places are laid.
    starts = np.zeros(mark + 2, np.int64)
    for c in range(len(rows)):
        if rows[c] < mark:
            starts[rows[c] + 2] += 1
    for x in range(mark):
        starts[x + 2] += starts[x + 1]
    places = np.empty(starts[mark + 1], np.int64)
    for c in range(len(rows)):
        if rows[c] < mark:
            places[starts[rows[c] + 1]] = c
            starts[rows[c] + 1] += 1
    return starts[: mark + 1], places


@kernel(INT, I4, I8, I8, I4, I8, INT, INT, INT)
def rows_with(
    rows: Int32, starts: Int64, places: Int64, ends: Int32, chosen: Int64, n: int, enough: int, mark: int
) -> int:
    """How many rows hold a node at or below each of the first n chosen ones; counting stops at ``enough``.

    The chosen nodes ascend, and none is below another.
    """
    pivot = 0
    for j in range(1, n):
        x, best = chosen[j], chosen[pivot]
        if starts[ends[x]] - starts[x] < starts[ends[best]] - starts[best]:
            pivot = j
    node = chosen[pivot]
    found = 0
    for p in range(starts[node], starts[ends[node]]):
        c = places[p]
        if node <= rows[c - 1] < mark:
            continue  # the row was met at the node before
        j = pivot + 1
        to = c
        while j < n:
            while rows[to] < chosen[j]:
                to += 1
            if rows[to] >= ends[chosen[j]]:
                break
            j += 1
        if j < n:
            continue
        j = pivot - 1
        to = c - 1
        while j >= 0:
            while rows[to] != mark and rows[to] >= ends[chosen[j]]:
                to -= 1
            if rows[to] == mark or rows[to] < chosen[j]:
                break
            j -= 1
        if j < 0:
            found += 1
            if found == enough:
                break
    return found


@kernel(INT, I8, INT, I4, I8_OUT)
def _highest(choice: Int64, size: int, ends: Int32, highest: Int64) -> int:
    """Those of some nodes that no other one is above, each once; how many there are."""
    n = 0
    for j in range(size):
        x = choice[j]
        below = False
        for other in range(size):
            y = choice[other]
            if y <= x < ends[y] and (y < x or other < j):
                below = True
        if not below:
            highest[n] = x
            n += 1
    return n


@kernel(types.void, I4, I8, I8, I4, I4, I8, I8_OUT, I8, INT, INT, INT, I4_OUT)
def _raise_cheapest(
    rows: Int32,
    starts: Int64,
    places: Int64,
    parents: Int32,
    ends: Int32,
    weights: Int64,
    losses: Int64,
    held: Int64,
    size: int,
    k: int,
    mark: int,
    now: Int32,
) -> None:
    """Raise a set of nodes, of which fewer than k rows hold all, to nodes above of which k do, at the least loss.

    Of equal losses the first counts, where the last node is raised first.
    """
    choice = held[:size].copy()
    highest = np.empty(size, np.int64)
    best = np.empty(size, np.int64)
    n_best, least = 0, _NEVER
    j = size - 1
    while True:
        # On to the next choice: the node at j goes up, and those behind it are again what they were.
        while j >= 0 and parents[choice[j]] < 0:
            choice[j] = held[j]
            j -= 1
        if j < 0:
            break
        choice[j] = parents[choice[j]]
        n = _highest(choice, size, ends, highest)
        loss = 0
        for t in range(n):
            loss += weights[highest[t]] - losses[highest[t]]
        # With fewer nodes than there were, the set is one of those that enough rows were made to hold before.
        if loss < least and n == size and rows_with(rows, starts, places, ends, highest, n, k, mark) < k:
            j = size - 1
            continue
        if loss < least:
            least, n_best = loss, n
            for t in range(n):
                best[t] = highest[t]
        # Higher nodes at j would lose more.
        choice[j] = held[j]
        j -= 1
    for t in range(n_best):
        x = best[t]
        gain = weights[x] - losses[x]
        above = x
        while above >= 0:
            losses[above] += gain
            above = parents[above]
        for node in range(x, ends[x]):
            now[node] = x


@kernel(I8_OUT, *(I4, I8, I8, I4, I4, I8, I8_OUT), *(INT, INT, INT, INT, INT, INT), I4_OUT, I8_OUT)
def raise_rare_sets(
    rows: Int32,
    starts: Int64,
    places: Int64,
    parents: Int32,
    ends: Int32,
    weights: Int64,
    losses: Int64,
    size: int,
    k: int,
    mark: int,
    first: int,
    end: int,
    radix: int,
    now: Int32,
    frequent: Int64,
) -> Int64:
    """Look at all sets of ``size`` nodes that begin with one of first, ..., end - 1, in their order; raise rare ones.

    A set that occurs, but in fewer than k rows, is looked at again as what stands for it now: unless that is fewer
    nodes, or k rows hold it, it is raised. Smaller sets are not rare. weights[x] is what is lost where x stands for all
    that is below it, losses[x] what is lost there now.

    ``frequent`` holds sets that k rows hold (see ``set_table``), as numbers with the given radix; it is returned, since
    it may have grown, or been emptied when it was too long. With radix 0 none are remembered.
    """
    seen = np.zeros(mark, np.int64)
    lay = np.empty(mark, np.int64)
    keys = np.empty(mark, np.int64)
    members = np.empty(size, np.int64)
    held = np.empty(size, np.int64)
    # A stack of beginnings of sets: where their last node stands, then that node, their length, the first place in the
    # stack, and the height below.
    stack = np.empty(512, np.int64)
    for origin in range(first, end):
        n = starts[origin + 1] - starts[origin]
        if n == 0:
            continue
        stack = _longer(stack, n + _FRAME)
        for t in range(n):
            stack[t] = places[starts[origin] + t]
        stack[n], stack[n + 1], stack[n + 2], stack[n + 3] = origin, 1, 0, 0
        height = n + _FRAME
        while height > 0:
            top = height - _FRAME
            node, length, start, height = stack[top], stack[top + 1], stack[top + 2], stack[top + 3]
            members[length - 1] = node
            n_keys = 0
            if length == size:  # sets of one node
                keys[0] = node
                seen[node] = top - start
                n_keys = 1
            elif length == 1 or now[members[length - 2]] != now[node]:
                for t in range(start, top):
                    c = stack[t] + 1
                    while rows[c] < mark:
                        x = rows[c]
                        if seen[x] == 0:
                            keys[n_keys] = x
                            n_keys += 1
                        seen[x] += 1
                        c += 1
            if length + 1 < size:
                needed = top + _FRAME
                for t in range(n_keys):
                    needed += seen[keys[t]] + _FRAME
                stack = _longer(stack, needed)
                sort_keys(keys, n_keys)
                to = top + _FRAME
                for t in range(n_keys - 1, -1, -1):
                    x = keys[t]
                    at = to + seen[x]
                    stack[at], stack[at + 1], stack[at + 2], stack[at + 3] = x, length + 1, to, height
                    lay[x] = to
                    to = at + _FRAME
                    height = to
                    seen[x] = 0
                if n_keys > 0:
                    for t in range(start, top):
                        c = stack[t] + 1
                        while rows[c] < mark:
                            stack[lay[rows[c]]] = c
                            lay[rows[c]] += 1
                            c += 1
                continue
            n_rare = 0
            for t in range(n_keys):
                few = seen[keys[t]] < k
                seen[keys[t]] = 0
                if few:
                    keys[n_rare] = keys[t]
                    n_rare += 1
            sort_keys(keys, n_rare)
            for t in range(n_rare):
                members[size - 1] = keys[t]
                same, fewer = True, False
                for j in range(size):
                    held[j] = now[members[j]]
                    same = same and held[j] == members[j]
                    fewer = fewer or (j > 0 and held[j] == held[j - 1])
                if fewer:
                    continue
                if not same:
                    number = 0
                    for j in range(size):
                        number = number * radix + held[j]
                    if radix > 0 and has_number(frequent, number):
                        continue
                    if rows_with(rows, starts, places, ends, held, size, k, mark) >= k:
                        if radix > 0:
                            if len(frequent) > _LONGEST:
                                frequent = np.zeros(EMPTY_TABLE, np.int64)
                            frequent = add_number(frequent, number)
                        continue
                _raise_cheapest(rows, starts, places, parents, ends, weights, losses, held, size, k, mark, now)
    return frequent
