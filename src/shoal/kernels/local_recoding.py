"""Top-down local recoding: parts of rows go down the trees of their columns as far as k rows stay together.

Nodes of all trees are numbered through. ``paths[path_starts[v] + d]`` is the node of depth d above (or at) the node v.
Cells stand column by column: that of row i in column c is ``cells[c * n + i]``. A row is one combination of values, and
``weights`` says how many people have it. Parts wait in a ring, first come, first served: upper splits, where one
suppressed row keeps the most others detailed, come before lower ones. Of a column in which a part cannot go down any
more, the ring holds ~node instead of the node.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, kernel, types

FIRST, WAITING, ALLOWANCE = 0, 1, 2
"""In ``state``: where the ring begins, how many parts are in it, how many people may still be suppressed."""

SUPPRESSED = -1
"""What the cells of a suppressed row hold."""

SUPPRESS = -2
"""Instead of a child that is called back."""


@kernel(INT, I4, INT, INT, INT, I4, I8, I4)
def _common_node(cells: Int32, low: int, high: int, node: int, paths: Int32, path_starts: Int64, depths: Int32) -> int:
    """The lowest node above all these cells, which are all below ``node``."""
    first = path_starts[cells[low]]
    depth, least = depths[cells[low]], depths[node]
    for i in range(low + 1, high):
        if depth == least:
            break
        depth = min(depth, depths[cells[i]])
        start = path_starts[cells[i]]
        while paths[start + depth] != paths[first + depth]:
            depth -= 1
    return int(paths[first + depth])


@kernel(INT, I4, I8, INT, INT, INT, INT, I4, I8, I8_OUT, I4_OUT)
def _count_children(
    cells: Int32,
    weights: Int64,
    start: int,
    low: int,
    high: int,
    depth: int,
    paths: Int32,
    path_starts: Int64,
    counts: Int64,
    children: Int32,
) -> int:
    """Count people by the node of one depth that they are below, for rows low to high of the column at ``start``.

    Returns how many ``children`` there are; ``counts`` must be 0 before, and must be brought back to that.
    """
    found = 0
    for i in range(low, high):
        child = paths[path_starts[cells[start + i]] + depth]
        if counts[child] == 0:
            children[found] = child
            found += 1
        counts[child] += weights[i]
    return found


@kernel(types.void, I4_OUT, I4, INT, INT, INT, I4, I8, I4)
def _go_down(
    here: Int32, cells: Int32, n: int, low: int, high: int, paths: Int32, path_starts: Int64, depths: Int32
) -> None:
    """Bring a part to the lowest nodes that are above all its rows, where it may still go down."""
    for c in range(len(here)):
        if here[c] >= 0:
            node = _common_node(cells, c * n + low, c * n + high, here[c], paths, path_starts, depths)
            # A value that all rows have: nothing is below it.
            here[c] = ~node if cells[c * n + low] == node else node


@kernel(types.UniTuple(INT, 2), I4_OUT, I4, I8, INT, INT, INT, I4, I8, I4, I8, I8, INT, INT, I8_OUT, I4_OUT)
def _best_split(
    here: Int32,
    cells: Int32,
    weights: Int64,
    low: int,
    high: int,
    people: int,
    paths: Int32,
    path_starts: Int64,
    depths: Int32,
    leaves: Int64,
    roots: Int64,
    k: int,
    allowance: int,
    counts: Int64,
    children: Int32,
) -> tuple[int, int]:
    """The column whose split saves the most, -1 if none does, and who goes not down although they are k rows.

    That is a child that is called back; or -1, nobody; or SUPPRESS, nobody, since those who are too few are suppressed.
    """
    n, n_columns = len(weights), len(roots)
    lost = 0.0  # by a row of this part as it is
    for c in range(n_columns):
        whole = leaves[roots[c]] - 1
        if whole > 0:
            lost += (leaves[max(here[c], ~here[c])] - 1) / whole
    best, best_gain, best_back = -1, 0.0, -1
    for c in range(n_columns):
        node = here[c]
        # Without suppressing, a split leaves k rows on either side.
        if node < 0 or (people < 2 * k and allowance == 0):
            continue
        found = _count_children(
            cells, weights, c * n, low, high, depths[node] + 1, paths, path_starts, counts, children
        )
        few, saved, back = 0, 0, -1
        for j in range(found):
            child = children[j]
            if counts[child] < k:
                few += counts[child]
                continue
            saved += counts[child] * (leaves[node] - leaves[child])
            if back < 0 or counts[child] < counts[back] or (counts[child] == counts[back] and child < back):
                back = child
        whole = leaves[roots[c]] - 1
        gain = saved / whole
        if back < 0:
            here[c] = ~node  # no child has k rows, and none will have them in a part of this part
        elif 0 < few < k:
            # The smallest child stays with the few, which makes k; or the few are suppressed, which costs them all.
            dear = gain - few * (n_columns - lost)
            gain = (saved - counts[back] * (leaves[node] - leaves[back])) / whole
            if few <= allowance and dear > gain:
                gain, back = dear, SUPPRESS
        else:
            back = -1
        for j in range(found):
            counts[children[j]] = 0
        if gain > best_gain:
            best, best_gain, best_back = c, gain, back
    return best, best_back


@kernel(types.void, I4_OUT, I8_OUT, I8_OUT, INT, INT, I8, I4_OUT, I8_OUT)
def _move_rows(
    cells: Int32, weights: Int64, rows: Int64, low: int, high: int, places: Int64, cells_then: Int32, then: Int64
) -> None:
    """Move row low + i to low + places[i], with all that belongs to it."""
    n = len(weights)
    for start in range(low, len(cells), n):
        for i in range(high - low):
            cells_then[places[i]] = cells[start + i]
        for i in range(high - low):
            cells[start + i] = cells_then[i]
    for i in range(high - low):
        then[places[i]] = weights[low + i]
    for i in range(high - low):
        weights[low + i] = then[i]
    for i in range(high - low):
        then[places[i]] = rows[low + i]
    for i in range(high - low):
        rows[low + i] = then[i]


@kernel(INT, I4_OUT, I8_OUT, I8_OUT, I4, I8, I4, I8, I8, INT, I4_OUT, I8_OUT, I8_OUT, INT)
def split_parts(
    cells: Int32,
    weights: Int64,
    rows: Int64,
    paths: Int32,
    path_starts: Int64,
    depths: Int32,
    leaves: Int64,
    roots: Int64,
    k: int,
    ring_nodes: Int32,
    ring_bounds: Int64,
    state: Int64,
    budget: int,
) -> int:
    """Split parts until none waits, or so many cells have been looked at; how many rows are finished by that.

    Rows change places, ``rows`` and ``weights`` with them; cells of finished rows hold the nodes to be published. The
    ring has room for as many parts as can ever wait, each with three bounds: its first row, the one after its last,
    and its people.
    """
    n, n_columns = len(weights), len(roots)
    room = len(ring_bounds) // 3
    here = np.empty(n_columns, np.int32)
    counts = np.zeros(len(depths), np.int64)
    children = np.empty(min(n, len(depths)), np.int32)
    places = np.empty(n, np.int64)
    cells_then = np.empty(n, np.int32)
    then = np.empty(n, np.int64)
    finished = 0
    while state[WAITING] > 0 and budget > 0:
        at = state[FIRST]
        low, high, people = ring_bounds[3 * at], ring_bounds[3 * at + 1], ring_bounds[3 * at + 2]
        for c in range(n_columns):
            here[c] = ring_nodes[at * n_columns + c]
        state[FIRST] = (at + 1) % room
        state[WAITING] -= 1
        budget -= (high - low) * n_columns
        _go_down(here, cells, n, low, high, paths, path_starts, depths)
        best, back = _best_split(
            here,
            cells,
            weights,
            low,
            high,
            people,
            paths,
            path_starts,
            depths,
            leaves,
            roots,
            k,
            state[ALLOWANCE],
            counts,
            children,
        )
        if best < 0:
            for c in range(n_columns):
                node = max(here[c], ~here[c])
                for i in range(c * n + low, c * n + high):
                    cells[i] = node
            finished += high - low
            continue

        # Children that go down become parts, in the order in which they come; those who do not are the last part.
        node, start = here[best], best * n
        depth = depths[node] + 1
        found = _count_children(cells, weights, start, low, high, depth, paths, path_starts, counts, children)
        going, left = 0, people
        for j in range(found):
            child = children[j]
            if counts[child] >= k and child != back:
                children[going] = child
                going += 1
                left -= counts[child]
            else:
                counts[child] = 0
        part_people = np.empty(going + 1, np.int64)
        part_people[going] = left
        for j in range(going):
            part_people[j] = counts[children[j]]
            counts[children[j]] = j + 1  # its part, from 1 on
        ends = np.zeros(going + 2, np.int64)
        for i in range(low, high):
            part = counts[paths[path_starts[cells[start + i]] + depth]] - 1
            part = going if part < 0 else part
            places[i - low] = part
            ends[part + 1] += 1
        for j in range(going):
            counts[children[j]] = 0
        for j in range(going + 1):
            ends[j + 1] += ends[j]
        for i in range(high - low):
            part = places[i]
            places[i] = ends[part]
            ends[part] += 1  # where a part began becomes where it ends
        _move_rows(cells, weights, rows, low, high, places, cells_then, then)

        begin = low
        for j in range(going + 1):
            end = low + ends[j]
            if j == going and back == SUPPRESS:
                for c in range(n_columns):
                    for i in range(c * n + begin, c * n + end):
                        cells[i] = SUPPRESSED
                state[ALLOWANCE] -= left
                finished += end - begin
            elif begin < end:
                at = (state[FIRST] + state[WAITING]) % room
                state[WAITING] += 1
                for c in range(n_columns):
                    ring_nodes[at * n_columns + c] = here[c]
                ring_nodes[at * n_columns + best] = node if j == going else children[j]
                ring_bounds[3 * at] = begin
                ring_bounds[3 * at + 1] = end
                ring_bounds[3 * at + 2] = part_people[j]
            begin = end
    return finished
