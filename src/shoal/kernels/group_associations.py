"""Find the associations in the sensitive cells of one group: frequent values, rules, and rules from absence.

Nodes of all columns are numbered through, the nodes of a column being those of its tree in preorder, behind those of
the column before. Rows with equal cells are one entry with a count. What is counted are sets of nodes of different
columns; a set is a cell of a cube with an axis for each column, in which the root stands for a column that is not in
the set. Only nodes that enough rows hold have a place in the cube: all others are in no association.

Cells may be hidden. A completion gives each cell a value at or below it, and cells are independent. The confidence that
counts is the least over all completions in which the rule applies to some row. A row is, for A => B:

* surely A and surely B: it supports the rule in every completion;
* possibly A and not surely B: some completion makes it A without B, which lowers the ratio or leaves it at 0;
* not surely A, possibly A, surely B: as A it would add 1 to both parts of a ratio of at most 1, and not lower it. The
  least ratio leaves it out;
* never A: it is left out in every completion.

Rows are independent, so the least confidence is the first number by that of rows that are surely A, or possibly A and
not surely B. If there are no such rows, the confidence is 1 in every completion in which the rule applies, which only a
rule from absence can meet: others need support. A rule from absence has "not A" for A.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Int64, UInt8
from shoal.kernels.compiling import I8, I8_OUT, INT, U1, kernel, types
from shoal.kernels.vertical_index import _longer

VALUE, RULE, ABSENCE = 0, 1, 2
# What is said of an association, followed by a node for each column (-1: none) of what is known and of what follows.
# SUPPORTING and APPLYING are those of the completion of least confidence. FOLLOWING and, if the kind is ABSENCE, KNOWN
# are the rows that surely hold what must be frequent.
KIND, SUPPORTING, APPLYING, FOLLOWING, KNOWN, ITEMS = 0, 1, 2, 3, 4, 5


class Forest(NamedTuple):
    """The trees of all columns."""

    parent: Int64
    """-1 for roots."""
    end: Int64
    """What is at or below a node are the nodes from it to before its end."""
    start: Int64
    """Where the nodes of each column start, and where they all end."""
    is_value: UInt8
    """Whether a node is a single value."""


class Limits(NamedTuple):
    """The thresholds of an association."""

    rows: int
    """How many rows the group has."""
    least: int
    """How many rows must support a rule."""
    kinds: int
    """The kinds that count, one bit each."""
    most_cells: int
    """The largest number of cells of a cube."""


class Cube(NamedTuple):
    """The layout of the cube's cells."""

    offset: Int64
    """How far a node of the forest is from the root along its axis; -1: it has no place."""
    node_at: Int64
    """The nodes that have a place, those of a column from where the column starts."""
    stride: Int64
    """Of each axis; then the number of cells."""
    cells: Int64
    """Room for as many numbers of cells."""


FOREST = types.NamedTuple([I8, I8, I8, U1], Forest)
LIMITS = types.NamedUniTuple(INT, 4, Limits)
CUBE = types.NamedUniTuple(I8_OUT, 4, Cube)


@kernel(CUBE, FOREST, I8, I8, INT, INT)
def _cube(forest: Forest, nodes: Int64, counts: Int64, least: int, most_cells: int) -> Cube:
    """Places for the nodes that enough rows surely hold; a cube that would be too large has no cells."""
    n_columns = len(forest.start) - 1
    offset, node_at = np.zeros(len(forest.parent), np.int64), np.zeros(len(forest.parent), np.int64)
    stride = np.zeros(n_columns + 1, np.int64)
    for at in range(len(counts) * n_columns):
        node = nodes[at]
        while node >= 0:
            offset[node] += counts[at // n_columns]
            node = forest.parent[node]
    n_cells = 1
    for column in range(n_columns):
        stride[column] = n_cells
        start, size = forest.start[column], 0
        for node in range(start, forest.start[column + 1]):
            is_often = node == start or offset[node] >= least
            offset[node] = size * n_cells if is_often else -1
            if is_often:
                node_at[start + size] = node
                size += 1
        n_cells *= size
        if n_cells > most_cells:
            n_cells = 0
    stride[n_columns] = n_cells
    return Cube(offset, node_at, stride, np.zeros(n_cells, np.int64))


@kernel(types.void, FOREST, CUBE, I8, INT, INT, I8_OUT)
def _count(forest: Forest, cube: Cube, nodes: Int64, entry: int, times: int, into: Int64) -> None:
    """Add an entry's count to all sets that it surely holds."""
    n_columns, n = len(forest.start) - 1, 1
    cube.cells[0] = 0
    for column in range(n_columns):
        node, so_far = nodes[entry * n_columns + column], n
        while node > forest.start[column]:
            if cube.offset[node] > 0:
                for at in range(so_far):
                    cube.cells[n] = cube.cells[at] + cube.offset[node]
                    n += 1
            node = forest.parent[node]
    for at in range(n):
        into[cube.cells[at]] += times


@kernel(types.void, FOREST, CUBE, I8, INT, INT, I8, I8_OUT)
def _count_open(forest: Forest, cube: Cube, nodes: Int64, entry: int, times: int, place: Int64, into: Int64) -> None:
    """Count an entry for all sets with a place that it may but need not hold, by the columns in which it need not.

    The counts of a set are one behind the other, one for each choice of columns.
    """
    n_columns, n = len(forest.start) - 1, 1
    cube.cells[0] = 0  # the cell, and in the lowest bits the columns
    for column in range(n_columns):
        held, so_far = nodes[entry * n_columns + column], n
        node, below = held, held + 1
        # A node below one that is too rare is too rare itself.
        last = forest.end[held] if cube.offset[held] >= 0 else below
        while node > forest.start[column] or below < last:
            one, need_not = node, 0
            if node > forest.start[column]:
                node = forest.parent[node]
            else:
                one, need_not = below, 1 << column
                below += 1
            if cube.offset[one] > 0:
                step = (cube.offset[one] << n_columns) + need_not
                for at in range(so_far):
                    cube.cells[n] = cube.cells[at] + step
                    n += 1
    columns = (1 << n_columns) - 1
    for at in range(n):
        one = cube.cells[at]
        if one & columns and place[one >> n_columns] >= 0:
            into[(place[one >> n_columns] << n_columns) + (one & columns)] += times


@kernel(types.boolean, FOREST, I8, INT, I8, INT, INT, INT, INT)
def _holds(
    forest: Forest, items: Int64, first: int, nodes: Int64, entry: int, column: int, instead: int, possible: int
) -> bool:
    """Whether an entry, with another node in one column, surely holds, or may hold, all items from ``first`` on."""
    n_columns = len(forest.start) - 1
    for other in range(n_columns):
        item = items[first + other]
        if item >= 0:
            held = instead if other == column else nodes[entry * n_columns + other]
            surely = item <= held and held < forest.end[item]
            if not surely and (possible == 0 or held > item or item >= forest.end[held]):
                return False
    return True


@kernel(types.UniTuple(INT, 4), FOREST, I8, INT, I8, INT, INT, INT, INT)
def _tells(
    forest: Forest, found: Int64, first: int, nodes: Int64, entry: int, column: int, instead: int, possible: int
) -> tuple[int, int, int, int]:
    """What an entry, with another node in one column (-1: as it is), tells of the association at ``first``.

    Whether it supports it, whether it applies, both in the completion of least confidence; and whether the entry surely
    holds what must be frequent: what follows and, of a rule from absence, what is known.
    """
    known = first + ITEMS
    there = known + len(forest.start) - 1
    follows = _holds(forest, found, there, nodes, entry, column, instead, 0)
    if found[first + KIND] == VALUE:
        return int(follows), 1, int(follows), 0
    surely = _holds(forest, found, known, nodes, entry, column, instead, 0)
    maybe = surely or (possible > 0 and _holds(forest, found, known, nodes, entry, column, instead, 1))
    if found[first + KIND] == RULE:
        return int(surely and follows), int(surely or (maybe and not follows)), int(surely and follows), 0
    return int(follows and not maybe), int(not maybe or not (surely or follows)), int(follows), int(surely)


@kernel(I8_OUT, FOREST, CUBE, I8_OUT, INT, types.UniTuple(INT, 7))
def _noted(forest: Forest, cube: Cube, found: Int64, n: int, one: tuple[int, int, int, int, int, int, int]) -> Int64:
    """Put an association behind ``n`` others: kind, the numbers of rows that are said of it; then its sets."""
    n_columns = len(forest.start) - 1
    first = n * (ITEMS + 2 * n_columns)
    found = _longer(found, first + ITEMS + 2 * n_columns)
    for at in range(ITEMS):
        found[first + at] = one[at]
    for column in range(n_columns):
        for side in range(2):
            place = one[ITEMS + side] % cube.stride[column + 1] // cube.stride[column]
            node = cube.node_at[forest.start[column] + place] if place > 0 else -1
            found[first + ITEMS + side * n_columns + column] = node
    return found


@kernel(types.Tuple((I8_OUT, INT)), FOREST, I8, I8, LIMITS, I8, INT, I8_OUT)
def find_associations(
    forest: Forest, nodes: Int64, counts: Int64, limits: Limits, needed: Int64, possible: int, found: Int64
) -> tuple[Int64, int]:
    """All associations, one after the other in ``found`` or a longer array, and their number.

    ``needed[n]`` rows are the least confidence of n. If not ``possible``, rows that may hold a set are those that
    surely do. A number of -1 says that the cube would be too large.
    """
    cube = _cube(forest, nodes, counts, min(limits.least, needed[limits.rows]), limits.most_cells)
    n_columns, n_found, n_often = len(forest.start) - 1, 0, 0
    width, n_cells = ITEMS + 2 * n_columns, len(cube.cells)
    if n_cells == 0:
        return found, -1
    surely = np.zeros(n_cells, np.int64)
    for entry in range(len(counts)):
        _count(forest, cube, nodes, entry, counts[entry], surely)
    often, axes, place = np.empty(n_cells, np.int64), np.empty(n_cells, np.int64), np.full(n_cells, -1)
    for cell in range(1, n_cells):
        mask = 0
        if surely[cell] >= limits.least or surely[cell] >= needed[limits.rows]:
            for column in range(n_columns):
                if cell % cube.stride[column + 1] >= cube.stride[column]:
                    mask |= 1 << column
            if limits.kinds >> VALUE & 1 and mask & (mask - 1) == 0 and surely[cell] >= needed[limits.rows]:
                one = (VALUE, surely[cell], limits.rows, surely[cell], 0, 0, cell)
                found = _noted(forest, cube, found, n_found, one)
                n_found += 1
        if surely[cell] >= limits.least:
            often[n_often], axes[n_often], place[cell] = cell, mask, n_often
            n_often += 1
    # Rows that may but need not hold a frequent set, by the columns in which they need not; in all, at no column.
    may = np.zeros(n_often << n_columns, np.int64)
    for entry in range(len(counts) if possible > 0 else 0):
        is_open = False
        for at in range(entry * n_columns, (entry + 1) * n_columns):
            is_open = is_open or forest.end[nodes[at]] > nodes[at] + 1
        if is_open:
            _count_open(forest, cube, nodes, entry, counts[entry], place, may)
    for at in range(len(may) if possible > 0 else 0):
        first = at >> n_columns << n_columns
        if at > first:
            may[first] += may[at]
    for at in range(n_often if limits.kinds >> RULE & 1 else 0):
        whole, mask = often[at], axes[at]
        part = (mask - 1) & mask
        while part > 0:
            known = 0
            for column in range(n_columns):
                if part >> column & 1:
                    known += whole % cube.stride[column + 1] - whole % cube.stride[column]
            if surely[whole] >= needed[surely[known]]:
                applying, need_not = surely[known] + may[place[known] << n_columns], part
                while need_not > 0 and possible > 0:  # those that surely hold what follows are given something else
                    applying -= may[(at << n_columns) + need_not]
                    need_not = (need_not - 1) & part
                if surely[whole] >= needed[applying]:
                    one = (RULE, surely[whole], applying, surely[whole], 0, known, whole - known)
                    found = _noted(forest, cube, found, n_found, one)
                    n_found += 1
            part = (part - 1) & mask
    for at in range(n_often * n_often if limits.kinds >> ABSENCE & 1 else 0):
        absent, there = at // n_often, at % n_often
        both, applying = often[absent] + often[there], limits.rows - surely[often[absent]]
        if axes[absent] & axes[there] != 0 or applying == 0 or surely[both] >= limits.least:
            continue
        supporting = surely[often[there]] - surely[both]
        if supporting < needed[applying]:
            continue
        one = (ABSENCE, supporting, applying, surely[often[there]], surely[often[absent]], often[absent], often[there])
        found = _noted(forest, cube, found, n_found, one)
        if possible > 0:
            # Rows that may hold what is absent, and surely hold what follows, are given it; they are in no cube.
            supporting, applying = 0, 0
            for entry in range(len(counts)):
                tells = _tells(forest, found, n_found * width, nodes, entry, -1, 0, 1)
                supporting += counts[entry] * tells[0]
                applying += counts[entry] * tells[1]
            found[n_found * width + SUPPORTING], found[n_found * width + APPLYING] = supporting, applying
        n_found += supporting >= needed[applying]
    return found, n_found
