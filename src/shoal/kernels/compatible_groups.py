"""Groups of rows each of which may have the value of each other one (Injector: Li and Li 2008, figure 2, lines 1-17).

Rows with the same value for which the same values are excluded are interchangeable: they form a class, and only numbers
of rows are kept. Two classes are incompatible if they have the same value, or if the value of one is excluded for the
other (definition 2).
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiling import I8, I8_OUT, INT, U1, Int64, UInt8, kernel, types

# What a state says: how many picks were made, how many rows are left, and whether that is all.
PICKED, LEFT, DONE = 0, 1, 2


@kernel(types.boolean, I8, I8, U1, U1, INT, INT, INT, INT)
def _clash(
    value: Int64, kind: Int64, excluded: UInt8, cannot: UInt8, n_classes: int, n_values: int, one: int, other: int
) -> bool:
    """Whether two classes are incompatible."""
    return (
        value[one] == value[other]
        or excluded[kind[one] * n_values + value[other]] > 0
        or cannot[value[one] * n_classes + other] > 0
    )


@kernel(INT, I8, I8, U1, U1, INT, INT, I8, U1)
def _least_shut_out(
    value: Int64, kind: Int64, excluded: UInt8, cannot: UInt8, n_classes: int, n_values: int, left: Int64, fits: UInt8
) -> int:
    """The class whose joining leaves the most rows compatible with the group (line 13 as printed), or -1."""
    best, fewest = -1, 0
    for c in range(n_classes):
        if left[c] == 0 or fits[c] == 0:
            continue
        lost = 0
        for other in range(n_classes):
            if (
                left[other] > 0
                and fits[other] > 0
                and _clash(value, kind, excluded, cannot, n_classes, n_values, c, other)
            ):
                lost += left[other]
        if best < 0 or lost < fewest:
            best, fewest = c, lost
    return best


@kernel(INT, I8, I8, U1, I8, INT)
def _most_frequent(value: Int64, left: Int64, fits: UInt8, frequency: Int64, n_classes: int) -> int:
    """Of the classes with the value that is the most frequent one among the rows left, that with most rows, or -1."""
    best = -1
    for c in range(n_classes):
        if left[c] == 0 or fits[c] == 0:
            continue
        lead = 1 if best < 0 else frequency[value[c]] - frequency[value[best]]
        if lead > 0 or (lead == 0 and left[c] > left[best]):
            best = c
    return best


@kernel(
    types.void,
    *(I8, I8, U1, U1, INT, INT, INT, INT),
    *(I8_OUT, I8_OUT, I8_OUT, I8_OUT, I8_OUT, I8_OUT),
)
def form_groups(
    value: Int64,
    kind: Int64,
    excluded: UInt8,
    cannot: UInt8,
    n_values: int,
    l: int,  # noqa: E741  (the literature's name)
    printed: int,
    limit: int,
    left: Int64,
    frequency: Int64,
    clashing: Int64,
    stranded: Int64,
    picks: Int64,
    state: Int64,
) -> None:
    """Form up to ``limit`` groups more: their classes, l in a row for each group, follow each other in ``picks``.

    ``excluded`` says for each kind which values are, ``cannot`` for each value in which classes. So many rows of a
    class are ``left``, so many of a value (``frequency``), and so many are ``clashing`` with a class. A group starts
    with the class that clashes most; when it cannot be filled, that row is ``stranded`` and the others go back.
    """
    n_classes = len(value)
    fits = np.empty(n_classes, np.uint8)
    group = np.empty(l, np.int64)
    for _ in range(limit):
        seed = -1
        if state[LEFT] >= l:
            for c in range(n_classes):
                if left[c] > 0 and (seed < 0 or clashing[c] > clashing[seed]):
                    seed = c
        if seed < 0:
            state[DONE] = 1
            return
        for c in range(n_classes):
            fits[c] = 1
        size, joining = 0, seed
        while joining >= 0:
            group[size] = joining
            size += 1
            left[joining] -= 1
            frequency[value[joining]] -= 1
            for c in range(n_classes):
                if _clash(value, kind, excluded, cannot, n_classes, n_values, joining, c):
                    clashing[c] -= 1
                    fits[c] = 0
            joining = -1
            if size < l:
                if printed > 0:
                    joining = _least_shut_out(value, kind, excluded, cannot, n_classes, n_values, left, fits)
                else:
                    joining = _most_frequent(value, left, fits, frequency, n_classes)
        if size == l:
            state[LEFT] -= l
            for at in range(l):
                picks[state[PICKED]] = group[at]
                state[PICKED] += 1
            continue
        state[LEFT] -= 1
        stranded[seed] += 1
        for at in range(1, size):
            left[group[at]] += 1
            frequency[value[group[at]]] += 1
            for c in range(n_classes):
                if _clash(value, kind, excluded, cannot, n_classes, n_values, group[at], c):
                    clashing[c] += 1
