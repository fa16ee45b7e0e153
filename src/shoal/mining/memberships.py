"""Degrees to which values meet conditions: 0 or 1, or for numbers a degree that falls with the distance.

T. Li, N. Li: Injector, 2008, section IV.B, treats nodes over numbers as fuzzy sets and leaves their shape open. Here it
is a trapezoid: 1 between the smallest and the largest value a and b that the condition covers, and falling to 0 at a
distance of r = 2 s + (b - a) / 4, where s is the smallest difference between two values of the column.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Float64
from shoal.data.number_texts import number_text
from shoal.data.table import Column
from shoal.errors import Infeasible, InputError
from shoal.memory import available_memory
from shoal.mining.conditions import Conditions
from shoal.quoting import named, shown


def memberships(conditions: Conditions, crisp: Collection[str]) -> list[Float64]:
    """For each column the degree to which each of its values (across) meets each of its conditions (down).

    Args:
        conditions: The conditions.
        crisp: Columns whose values meet a condition fully or not at all, as in columns without numbers.

    Raises:
        InputError: A column holds numbers as texts, or infinite numbers.
        Infeasible: A column has too many values.
    """
    first = np.searchsorted(conditions.column, np.arange(len(conditions.columns) + 1))
    degrees = []
    for place, column in enumerate(conditions.columns):
        here, end = int(first[place]), int(first[place + 1])
        _require_room(column, end - here)
        covered = np.zeros((end - here, len(column.values)))
        row = np.repeat(np.arange(end - here), conditions.sizes[here:end])
        covered[row, conditions.codes[conditions.offsets[here] : conditions.offsets[end]]] = 1
        degrees.append(_trapezoids(column, covered) if column.is_number and column.name not in crisp else covered)
    return degrees


def refuse_numbers_as_texts(column: Column) -> None:
    """Refuse a column of texts that are mostly numbers: distances between them would be silently ignored."""
    sample = number_text(column)
    if sample is not None:
        raise InputError(
            f"column {named(column.name)} holds numbers as texts, such as {shown(sample)}, but fuzzy membership "
            "needs their distances: make it a column of numbers, written with digits and at most a "
            "point, as in 1234.5; or, if they are codes rather than quantities, add the column to the crisp ones"
        )


def _require_room(column: Column, n_conditions: int) -> None:
    if n_conditions * len(column.values) * 8 > available_memory() // 8:
        raise Infeasible(
            f"column {named(column.name)} has {len(column.values):,} values and {n_conditions:,} conditions, too "
            "many for degrees of membership: round its values, or add it to the crisp ones"
        )


def _trapezoids(column: Column, covered: Float64) -> Float64:
    """Degrees of the numbers of a column; a missing value has no distance to any other."""
    numbers = pc.cast(pc.drop_null(column.values), pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    if not np.all(np.isfinite(numbers)):
        raise InputError(
            f"column {named(column.name)} holds infinite numbers, which have no distance: leave their rows out"
        )
    if np.abs(numbers).max(initial=0) > np.finfo(float).max / 8:
        numbers = numbers / 16  # degrees are the same in any unit, and distances must not overflow
    gaps = np.diff(numbers)
    step = float(gaps[gaps > 0].min(initial=np.inf))
    degrees = covered.copy()
    for row, inside in zip(degrees, covered[:, : len(numbers)] > 0, strict=True):
        if not inside.any() or not np.isfinite(step):
            continue
        low, high = numbers[inside][0], numbers[inside][-1]
        away = np.maximum(0, np.maximum(low - numbers, numbers - high))
        with np.errstate(over="ignore"):  # an infinite distance has the right degree, 0
            row[: len(numbers)] = np.maximum(0, 1 - away / (2 * step + (high - low) / 4))
    return degrees
