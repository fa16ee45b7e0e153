"""Hide the associations of one group by generalizing cells, one association after the other, until none is left.

Each step takes an association and a column of it, and replaces its node there by the node above in as many rows as it
takes. Three ways to choose: GREEDY takes the longest association, and the column in which a cell hides most of all
associations. GROUPING takes the item that most associations share. RESISTANT hides what is left after hidden cells were
filled with the most frequent value below them; there a cell changes its value instead of losing it, rows that do not
support a rule can be made to speak against it, and a column can be hidden whole.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int64
from shoal.kernels.compiling import FLOAT, I8, I8_OUT, INT, kernel, types
from shoal.kernels.group_associations import (
    ABSENCE,
    APPLYING,
    FOLLOWING,
    FOREST,
    ITEMS,
    KIND,
    KNOWN,
    LIMITS,
    RULE,
    SUPPORTING,
    VALUE,
    Forest,
    Limits,
    _tells,
    find_associations,
)
from shoal.kernels.vertical_index import _longer

GREEDY, GROUPING, RESISTANT = 0, 1, 2
STEPS = 1000


@kernel(types.void, FOREST, I8, I8, I8_OUT, I8_OUT, INT)
def _fill(forest: Forest, nodes: Int64, counts: Int64, best: Int64, filled: Int64, plain: int) -> None:
    """The value below each node that most rows show (-1: none), and the cells with it instead of what hides it.

    If ``plain``, cells stay as they are.
    """
    n_columns = len(forest.start) - 1
    shown = np.zeros(len(forest.parent), np.int64)
    for at in range(len(counts) * n_columns):
        shown[nodes[at]] += counts[at // n_columns]
    for node in range(len(shown)):
        best[node] = node if forest.is_value[node] > 0 and shown[node] > 0 else -1
    # From the last node to the first, so that the first of several values wins.
    for node in range(len(shown) - 1, -1, -1):
        above = forest.parent[node]
        if above >= 0 and best[node] >= 0 and (best[above] < 0 or shown[best[node]] >= shown[best[above]]):
            best[above] = best[node]
    for at in range(len(counts) * n_columns):
        filled[at] = best[nodes[at]] if plain == 0 and best[nodes[at]] >= 0 else nodes[at]


@kernel(types.UniTuple(INT, 4), FOREST, I8, INT, I8, INT, INT, INT, INT)
def _change(
    forest: Forest, found: Int64, first: int, nodes: Int64, entry: int, column: int, instead: int, possible: int
) -> tuple[int, int, int, int]:
    """By how much the counts of an association change (supporting, applying, frequent) if a row gets another node."""
    supporting, applying, following, known = 0, 0, 0, 0
    for sign in (-1, 1):
        tells = _tells(forest, found, first, nodes, entry, column if sign > 0 else -1, instead, possible)
        supporting += sign * tells[0]
        applying += sign * tells[1]
        following += sign * tells[2]
        known += sign * tells[3]
    return supporting, applying, following, known


@kernel(types.void, FOREST, I8, INT, INT, I8, I8, types.UniTuple(INT, 3), INT, FLOAT, INT, I8_OUT)
def _rank(
    forest: Forest, found: Int64, n_found: int, first: int, nodes: Int64, seen: Int64, moved: tuple[int, int, int],
    possible: int, confidence: float, mode: int, rank: Int64,
) -> None:  # fmt: skip
    """For each entry that weakens an association when it is moved, 2 and by how much it weakens all of them.

    That is by how many rows they come nearer to the threshold, in steps; if GROUPING, how many the entry supports.
    1 for those that only make rarer what must be frequent, which are the last resort; 0 for all others. ``moved`` is a
    column, and the node that its cells get, as they are and as they are seen.
    """
    column, above, instead = moved
    n_columns = len(forest.start) - 1
    item = max(found[first + ITEMS + column], found[first + ITEMS + n_columns + column])
    for entry in range(len(rank)):
        rank[entry] = 0
        cell = nodes[entry * n_columns + column]
        # Where cells are filled, one beside the item may become it, and speak against a rule.
        if cell <= above or cell >= forest.end[above] or (possible > 0 and (cell < item or cell >= forest.end[item])):
            continue
        change = _change(forest, found, first, seen, entry, column, instead, possible)
        if possible > 0 and (change[2] < 0 or change[3] < 0):
            rank[entry] = 1
        if confidence * change[1] > change[0]:
            rank[entry] = 2
            for one in range(n_found):
                at = one * (ITEMS + 2 * n_columns)
                if mode == GROUPING:
                    rank[entry] += _tells(forest, found, at, seen, entry, -1, 0, possible)[0]
                elif found[at + ITEMS + column] >= 0 or found[at + ITEMS + n_columns + column] >= 0:
                    other = _change(forest, found, at, seen, entry, column, instead, possible)
                    rank[entry] += max(0, int(STEPS * (confidence * other[1] - other[0])))


@kernel(types.boolean, I8, INT, types.UniTuple(INT, 4), LIMITS, I8)
def _is_gone(found: Int64, first: int, rows: tuple[int, int, int, int], limits: Limits, needed: Int64) -> bool:
    """Whether an association no longer holds with these counts of rows (supporting, applying, frequent)."""
    kind = found[first + KIND]
    if kind != VALUE and rows[2] < limits.least:
        return True
    return bool(rows[0] < needed[rows[1]] or (kind == ABSENCE and rows[3] < limits.least))


@kernel(INT, FOREST, I8, INT, I8, I8, types.UniTuple(INT, 3), INT, LIMITS, I8, I8, I8_OUT)
def _take(
    forest: Forest, found: Int64, first: int, nodes: Int64, counts: Int64, moved: tuple[int, int, int], possible: int,
    limits: Limits, needed: Int64, rank: Int64, take: Int64,
) -> int:  # fmt: skip
    """Take rows of the entries of highest rank until an association is gone; returns how many, or -1 if impossible."""
    rows = (found[first + SUPPORTING], found[first + APPLYING], found[first + FOLLOWING], found[first + KNOWN])
    cost: int = 0
    level = -1
    for entry in range(len(counts)):
        take[entry] = 0
        level = max(level, rank[entry])
    while level > 0:
        below = 0
        for entry in range(len(counts)):
            if rank[entry] < level:
                below = max(below, rank[entry])
            elif rank[entry] == level:
                change = _change(forest, found, first, nodes, entry, moved[0], moved[2], possible)
                # The fewest rows that are enough: what more of them hide, fewer do not undo.
                low, high = 1, counts[entry]
                while low < high or take[entry] == 0:
                    middle = (low + high) // 2
                    changed = (
                        rows[0] + middle * change[0],
                        rows[1] + middle * change[1],
                        rows[2] + middle * change[2],
                        rows[3] + middle * change[3],
                    )
                    if low == high:
                        take[entry], rows = low, changed
                    elif _is_gone(found, first, changed, limits, needed):
                        high = middle
                    else:
                        low = middle + 1
                cost += take[entry]
                if _is_gone(found, first, rows, limits, needed):
                    return cost
        level = below
    return -1


@kernel(INT, FOREST, I8, INT, I8, I8)
def _victim(forest: Forest, found: Int64, n_found: int, nodes: Int64, counts: Int64) -> int:
    """Where the item that most associations share stands first; of several items the one that fewest rows hold."""
    n_columns = len(forest.start) - 1
    width = ITEMS + 2 * n_columns
    shares, often = np.zeros(len(forest.parent), np.int64), np.zeros(len(forest.parent), np.int64)
    for at in range(len(counts) * n_columns):
        node = nodes[at]
        while node >= 0:
            often[node] += counts[at // n_columns]
            node = forest.parent[node]
    victim = -1
    for at in range(n_found * width):
        if at % width >= ITEMS and found[at] >= 0:
            shares[found[at]] += 1
    for at in range(n_found * width):
        if at % width >= ITEMS and found[at] >= 0:
            more = shares[found[at]] - shares[found[max(victim, ITEMS)]]
            fewer = often[found[max(victim, ITEMS)]] - often[found[at]]
            if victim < 0 or more > 0 or (more == 0 and fewer > 0):
                victim = at
    return victim


@kernel(INT, I8, INT, INT, INT)
def _longest(found: Int64, n_found: int, width: int, plain: int) -> int:
    """Where the longest association is; of several that with fewest rows. Filled values go first: one cure is left."""
    best, longest, fewest = 0, 0, 0
    for first in range(0, n_found * width, width):
        length = width if plain == 0 and found[first + KIND] == VALUE else 0
        for at in range(first + ITEMS, first + width):
            length += found[at] >= 0
        if length > longest or (length == longest and found[first + SUPPORTING] < fewest):
            best, longest, fewest = first, length, found[first + SUPPORTING]
    return best


@kernel(types.UniTuple(FLOAT, 2), I8, INT, INT, INT, INT, INT, LIMITS, I8, FLOAT)
def _gains(
    found: Int64, n_found: int, n_columns: int, first: int, column: int, cost: int, limits: Limits, needed: Int64,
    confidence: float,
) -> tuple[float, float]:  # fmt: skip
    """How many associations are hidden by hiding so many cells of an item of the one at ``first``, or its column.

    Those that need more cells count in part.
    """
    part, whole = 0.0, 0.0
    item = max(found[first + ITEMS + column], found[first + ITEMS + n_columns + column])
    for one in range(0, n_found * (ITEMS + 2 * n_columns), ITEMS + 2 * n_columns):
        other = max(found[one + ITEMS + column], found[one + ITEMS + n_columns + column])
        if other >= 0:
            whole += 1
        if other == item:
            # A row that loses the left side of a rule no longer supports it, but neither does the rule apply to it.
            is_rule = found[one + KIND] == RULE
            weight = 1.0 - confidence if is_rule and found[one + ITEMS + column] >= 0 else 1.0
            done = weight * cost / (found[one + SUPPORTING] - needed[found[one + APPLYING]] + 1)
            if is_rule:  # which is gone, too, when its support is
                done = max(done, cost / (found[one + SUPPORTING] - limits.least + 1))
            part += min(1.0, done)
    return part, whole


@kernel(I8_OUT, FOREST, I8, I8, LIMITS, I8, FLOAT, INT)
def hide_in_group(
    forest: Forest, distinct: Int64, weights: Int64, limits: Limits, needed: Int64, confidence: float, mode: int
) -> Int64:
    """What becomes of the different rows of a group: for each part of one its number, its rows, and its nodes.

    Nothing, if the cube would be too large.
    """
    n_columns, n = len(forest.start) - 1, len(weights)
    width, n_found = ITEMS + 2 * n_columns, 0
    nodes, counts, origin = distinct.copy(), weights.copy(), np.arange(n)
    best, found = np.empty(len(forest.parent), np.int64), np.empty(0, np.int64)
    while True:
        n_found, plain, seen = 0, 0, np.empty(n * n_columns, np.int64)
        while n_found == 0 and plain < 2:
            # First what filling brings back, if that matters; where that is nothing, what the cells themselves say.
            _fill(forest, nodes, counts[:n], best, seen, plain)
            if plain > 0 or mode == RESISTANT:
                found, n_found = find_associations(forest, seen, counts[:n], limits, needed, plain, found)
            plain += 1
        plain -= 1
        if n_found <= 0:
            break
        rank, take, chosen = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
        only = _victim(forest, found, n_found, nodes, counts[:n]) if mode == GROUPING else -1
        first = only - only % width if mode == GROUPING else _longest(found, n_found, width, plain)
        to, where, highest = -1, -1, -1.0
        for column in range(n_columns):
            item = max(found[first + ITEMS + column], found[first + ITEMS + n_columns + column])
            if item < 0 or (only >= 0 and item != found[only]):
                continue
            above, whole, cost = forest.parent[item], 0, -1
            instead = best[above] if plain == 0 and best[above] >= 0 else above
            if plain > 0 or found[first + KIND] != VALUE:
                moved = (column, above, instead)
                _rank(forest, found, n_found, first, nodes, seen, moved, plain, confidence, mode, rank)
                cost = _take(forest, found, first, seen, counts[:n], moved, plain, limits, needed, rank, take)
            for entry in range(n):
                if nodes[entry * n_columns + column] != forest.start[column]:
                    whole += counts[entry]
            gains = _gains(found, n_found, n_columns, first, column, cost, limits, needed, confidence)
            if cost > 0 and gains[0] / cost > highest:
                to, where, highest = above, column, gains[0] / cost
                for entry in range(n):
                    chosen[entry] = take[entry]
            if plain == 0 and gains[1] / whole > highest:
                to, where, highest = forest.start[column], column, gains[1] / whole
                for entry in range(n):
                    chosen[entry] = counts[entry] if nodes[entry * n_columns + column] != to else 0
        nodes, counts, origin = _longer(nodes, (n + 1) * n_columns), _longer(counts, n + 1), _longer(origin, n + 1)
        for entry in range(len(chosen)):
            if chosen[entry] == 0:
                continue
            at = entry
            if chosen[entry] < counts[entry]:  # true of one entry at most: the last one that was taken
                at, n = n, n + 1
                for column in range(n_columns):
                    nodes[at * n_columns + column] = nodes[entry * n_columns + column]
                counts[at], origin[at] = chosen[entry], origin[entry]
                counts[entry] -= chosen[entry]
            nodes[at * n_columns + where] = to
    made = np.empty(n * (2 + n_columns) if n_found == 0 else 0, np.int64)
    for at in range(len(made)):
        entry, part = at // (2 + n_columns), at % (2 + n_columns)
        made[at] = origin[entry] if part == 0 else counts[entry] if part == 1 else nodes[entry * n_columns + part - 2]
    return made
