"""Form groups of rows that may exchange their values (Injector: Li and Li 2008, figure 2, lines 1-17).

Rows with the same value for which the same values are excluded are interchangeable: they form a class, and only numbers
of rows are kept. Two classes are incompatible if they have the same value, or if the value of one is excluded for the
other (definition 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Int64, UInt8
from shoal.kernels.compiling import I8, I8_OUT, INT, U1, U1_OUT, kernel, types
from shoal.kernels.heap import heapify, sift_down

# The state: the number of picks, the number of rows left, whether grouping is complete, the number of rows left at
# which seeds are ranked again, and the number of ranked classes.
PICKED, LEFT, DONE, RANK_AT, RANKED = 0, 1, 2, 3, 4
STATE = 5


class Classes(NamedTuple):
    """The classes: each has a value, and a kind that determines its excluded values; all as flat arrays."""

    value: Int64
    """Ascending."""
    kind: Int64
    offsets: Int64
    """Where the classes of each value start."""
    excluded: UInt8
    """A cell for each kind and value."""


class Rows(NamedTuple):
    """How many rows are left."""

    left: Int64
    """Of each class."""
    frequency: Int64
    """Of each value."""
    barring: Int64
    """For each two values, how many rows of the first there are for which the second is excluded."""
    order: Int64
    """The classes of each value, the one with most rows left first."""
    place: Int64
    """The place of each class in that order."""


CLASSES = types.NamedTuple([I8, I8, I8, U1], Classes)
ROWS = types.NamedUniTuple(I8_OUT, 5, Rows)


@kernel(INT, CLASSES, ROWS, INT, INT)
def _end_of_run(classes: Classes, rows: Rows, c: int, step: int) -> int:
    """Where the run of classes with as many rows as a class ends (step 1) or begins (step -1), in the order."""
    count = rows.left[c]
    low: int = rows.place[c]
    high: int = rows.place[c]
    if step > 0:
        high = classes.offsets[classes.value[c] + 1] - 1
    else:
        low = classes.offsets[classes.value[c]]
    while low < high:
        middle = (low + high + (step > 0)) // 2
        if rows.left[rows.order[middle]] == count:
            if step > 0:
                low = middle
            else:
                high = middle
        elif step > 0:
            high = middle - 1
        else:
            low = middle + 1
    return low


@kernel(types.void, CLASSES, ROWS, INT, INT)
def _change(classes: Classes, rows: Rows, c: int, step: int) -> None:
    """Put a row of a class back (step 1), or take one (step -1)."""
    n_values = len(rows.frequency)
    # The class swaps its place with the last or first one that has as many rows, which keeps the order sorted.
    there = _end_of_run(classes, rows, c, -step)
    other = rows.order[there]
    rows.order[rows.place[c]], rows.place[other] = other, rows.place[c]
    rows.order[there], rows.place[c] = c, there
    rows.left[c] += step
    rows.frequency[classes.value[c]] += step
    for v in range(n_values):
        if classes.excluded[classes.kind[c] * n_values + v] > 0:
            rows.barring[classes.value[c] * n_values + v] += step


@kernel(INT, CLASSES, ROWS, INT)
def _clashing(classes: Classes, rows: Rows, c: int) -> int:
    """How many of the rows left are incompatible with a class."""
    n_values = len(rows.frequency)
    own, found = classes.value[c], 0
    for v in range(n_values):
        if v == own or classes.excluded[classes.kind[c] * n_values + v] > 0:
            found += rows.frequency[v]
        else:
            found += rows.barring[v * n_values + own]
    return found


@kernel(types.boolean, CLASSES, INT, I8, INT, INT)
def _fits(classes: Classes, n_values: int, group: Int64, size: int, c: int) -> bool:
    """Whether a class is compatible with all classes of a group."""
    for at in range(size):
        member = group[at]
        if (
            classes.value[member] == classes.value[c]
            or classes.excluded[classes.kind[member] * n_values + classes.value[c]] > 0
            or classes.excluded[classes.kind[c] * n_values + classes.value[member]] > 0
        ):
            return False
    return True


@kernel(INT, CLASSES, ROWS, I8_OUT, INT, U1_OUT)
def _least_shut_out(classes: Classes, rows: Rows, group: Int64, size: int, fits: UInt8) -> int:
    """The class that leaves most rows compatible with the group when it joins (line 13 as printed), or -1."""
    n_classes, n_values = len(classes.value), len(rows.frequency)
    for c in range(n_classes):
        fits[c] = rows.left[c] > 0 and _fits(classes, n_values, group, size, c)
    best, fewest = -1, 0
    for c in range(n_classes):
        if fits[c] > 0:
            group[size] = c
            lost = 0
            for other in range(n_classes):
                if fits[other] > 0 and not _fits(classes, n_values, group[size:], 1, other):
                    lost += rows.left[other]
            if best < 0 or lost < fewest:
                best, fewest = c, lost
    return best


@kernel(INT, CLASSES, ROWS, I8_OUT, INT, U1_OUT)
def _most_frequent(classes: Classes, rows: Rows, group: Int64, size: int, tried: UInt8) -> int:
    """Of the compatible classes with the most frequent possible value, the one with most rows left, or -1."""
    n_values = len(rows.frequency)
    for v in range(n_values):
        tried[v] = rows.frequency[v] == 0
    for at in range(size):
        tried[classes.value[group[at]]] = 1
    while True:
        best = -1
        for v in range(n_values):
            if tried[v] == 0 and (best < 0 or rows.frequency[v] > rows.frequency[best]):
                best = v
        if best < 0:
            return -1
        tried[best] = 1
        for at in range(classes.offsets[best], classes.offsets[best + 1]):
            c: int = rows.order[at]
            if rows.left[c] == 0:
                break
            if _fits(classes, n_values, group, size, c):
                return c


@kernel(INT, CLASSES, ROWS, I8_OUT, I8_OUT, INT)
def _seed(classes: Classes, rows: Rows, ranking: Int64, state: Int64, every: int) -> int:
    """The class that is incompatible with most rows, by the last ranking.

    Classes are ranked again when one in ``every`` rows is gone, or all that were ranked.
    """
    n_classes = len(classes.value)
    while True:
        while state[RANKED] > 0 and state[LEFT] > state[RANK_AT]:
            c: int = n_classes - 1 - ranking[0] % n_classes
            if rows.left[c] > 0:
                return c
            state[RANKED] -= 1
            ranking[0] = ranking[state[RANKED]]
            sift_down(ranking, state[RANKED], 0)
        state[RANKED] = 0
        for c in range(n_classes):
            if rows.left[c] > 0:
                ranking[state[RANKED]] = _clashing(classes, rows, c) * n_classes + (n_classes - 1 - c)
                state[RANKED] += 1
        heapify(ranking, state[RANKED])
        state[RANK_AT] = state[LEFT] - 1 - state[LEFT] // every


@kernel(types.void, CLASSES, ROWS, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT, I8_OUT)
def form_groups(
    classes: Classes,
    rows: Rows,
    l: int,  # noqa: E741  (the literature's name)
    printed: int,
    limit: int,
    ranking: Int64,
    stranded: Int64,
    picks: Int64,
    state: Int64,
) -> None:
    """Form up to ``limit`` more groups: ``picks`` lists their classes, l consecutive ones for each group.

    A group starts with the class that is incompatible with most rows (line 3); if it cannot be filled, that row is
    ``stranded`` and the others go back. ``printed``: classes join as in the paper, and seeds are ranked again for each
    group.
    """
    flags = np.empty(max(len(classes.value), len(rows.frequency)), np.uint8)
    group = np.empty(l + 1, np.int64)
    for _ in range(limit):
        if state[LEFT] < l:
            state[DONE] = 1
            return
        if printed > 0:
            state[RANKED] = 0
        size, joining = 0, _seed(classes, rows, ranking, state, 100)
        while joining >= 0:
            group[size] = joining
            size += 1
            _change(classes, rows, joining, -1)
            joining = -1
            if size < l and printed > 0:
                joining = _least_shut_out(classes, rows, group, size, flags)
            elif size < l:
                joining = _most_frequent(classes, rows, group, size, flags)
        if size == l:
            state[LEFT] -= l
            for at in range(l):
                picks[state[PICKED]] = group[at]
                state[PICKED] += 1
            continue
        state[LEFT] -= 1
        stranded[group[0]] += 1
        for at in range(1, size):
            _change(classes, rows, group[at], 1)
