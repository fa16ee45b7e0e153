"""Intervals of numbers with about equally many rows, and with ends at round numbers rather than at values of people.

An end that is a person's value names that value. Each cut is between two neighbouring values, at the number with the
fewest significant digits that separates them; a value is an end only if enough rows hold it. Halves may differ a little
in size, so that cuts can move to rounder numbers. The outer ends are open.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from shoal.data.arrays import Int64
from shoal.data.column_values import assembled, exact, numbers_of
from shoal.data.hierarchy import Hierarchy
from shoal.data.round_numbers import rounder_first, roundest, written
from shoal.data.table import Column
from shoal.limits import require_whole
from shoal.quoting import named

_MOST_LEVELS = 64
_UNEVEN = 0.25
"""Halves may differ by this share of the rows for the sake of a rounder number."""


def balanced(column: Column, *, halvings: int = 4, k: int = 2) -> Hierarchy:
    """Intervals of numbers with about equally many rows, halved at each level: ``< 30``, ``[30, 50)``, ``>= 50``.

    Intervals are wide where there are few rows, especially at the ends. In ranges of one width, a small rest would
    have to join all the others.

    Args:
        column: A column of numbers.
        halvings: How many levels there are between the root and the values: there are up to 2 ** halvings intervals.
        k: How many rows must hold a value before an interval may end there. It does not change which values an
            interval holds.

    Returns:
        A hierarchy over the values of the column. A value that is alone in an interval stays unchanged.

    Raises:
        InputError: The column holds no numbers, or there are no halvings.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.table import Table
        >>> age = Table.from_arrow(pa.table({"age": [17, 17, 23, 38, 90]})).column("age")
        >>> for row in balanced(age, halvings=2).rows():
        ...     print(" > ".join(row))
        17 > < 20 > < 20 > *
        23 > [20, 30) > >= 20 > *
        38 > >= 30 > >= 20 > *
        90 > >= 30 > >= 20 > *
    """
    require_whole("halvings", halvings, least=1, most=_MOST_LEVELS)
    require_whole("k", k, least=1)
    values = [exact(value, f"column {named(column.name)}") for value in numbers_of(column)]
    counts = column.counts[: len(values)]
    rare = {value for value, count in zip(values, counts.tolist(), strict=True) if count < k}
    mass = np.concatenate([[0], np.cumsum(counts)])
    cuts: dict[int, Decimal | None] = {0: None, len(values): None}
    parts = [(0, len(values))]
    levels: list[list[str]] = []
    for _ in range(halvings):
        halves: list[tuple[int, int]] = []
        for first, end in parts:
            middle = [_middle(values, mass, first, end)] if end - first > 1 else []
            cuts |= {at: roundest(values[at - 1], values[at], rare) for at in middle}
            halves += itertools.pairwise([first, *middle, end])
        if halves == parts:
            break
        parts = halves
        levels.append([interval_label(cuts[first], cuts[end]) for first, end in parts for _ in range(first, end)])
    return assembled(column, levels[::-1], "intervals")


def interval_label(low: Decimal | None, high: Decimal | None) -> str:
    """The label of the numbers from ``low`` to below ``high``, of which one may be missing."""
    if low is None:
        assert high is not None, "an interval without ends is the root"
        return f"< {written(high)}"
    return f">= {written(low)}" if high is None else f"[{written(low)}, {written(high)})"


def _middle(values: Sequence[Decimal], mass: Int64, first: int, end: int) -> int:
    """Where to cut values ``first`` to ``end - 1``: at the roundest number with halves of similar size."""
    inside = np.arange(first + 1, end)
    uneven = np.abs(2 * mass[inside] - mass[first] - mass[end])
    near = inside[uneven <= max(uneven.min(), _UNEVEN * (mass[end] - mass[first]))]
    # Candidates are places near the middle. Of equally round ones, take the most even one, then the first.
    low, high = values[near[0] - 1], values[near[-1]]
    numbers = next(found for found in rounder_first(low, high) if found)
    places = [bisect_left(values, number) for number in numbers]
    return min(places, key=lambda at: (int(uneven[at - first - 1]), at))
