"""Coarser values for a sensitive column in which most rows have a unique value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_STEPS = tuple(float(digit * 10**power) for power in range(-6, 15) for digit in (1, 2, 5))
_FEW = 0.05
"""A proposed step leaves at most this share of the rows with a unique value."""


def coarser_values(
    name: str, texts: Sequence[str], times: np.ndarray[tuple[int], np.dtype[np.int64]], rows: int, most: int
) -> str:
    """Propose a step to which numbers are rounded, with the number of values left; or propose to join values.

    Args:
        name: the column.
        texts: its values, some of them more than once.
        times: how many rows have each.
        rows: how many rows there are.
        most: how many rows may have the same value; with more, the promise could not be kept.
    """
    different = len(set(texts))
    said = f"Publish coarser values of {name} instead of {different:,} different ones"
    numbers = _numbers(texts)
    found = None if numbers is None else _step(numbers, times, rows, most)
    if numbers is None:
        return f"{said}: replace each by a group or category of it before publishing, or leave {name} out."
    low, high = numbers.min(), numbers.max()
    if found is None:
        return f"{said} from {low:,.10g} to {high:,.10g}: replace each by a range before publishing, or leave it out."
    step, left, alone = found
    return (
        f"{said} from {low:,.10g} to {high:,.10g}: rounded down to multiples of {step:,.10g} before publishing, "
        f"{left:,} different ones are left, and {alone:,} of {rows:,} rows have a unique one."
    )


def _numbers(texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return numbers if len(numbers) and np.all(np.isfinite(numbers)) else None


def _step(
    numbers: np.ndarray[tuple[int], np.dtype[np.float64]],
    times: np.ndarray[tuple[int], np.dtype[np.int64]],
    rows: int,
    most: int,
) -> tuple[float, int, int] | None:
    """The smallest round step that leaves few rows with a unique value, and how many values and such rows are left.

    ``most``: how many rows may have the same value; with more, the promise could not be kept.
    """
    for step in _STEPS:
        with np.errstate(over="ignore"):
            steps = np.floor(numbers / step)
        if not np.isfinite(steps).all():
            continue
        found, place = np.unique(steps, return_inverse=True)
        held = np.bincount(place, weights=times).astype(np.int64)
        alone = int(np.count_nonzero(held == 1))
        if alone <= _FEW * rows and 2 * alone <= rows and held.max() <= most and len(found) > 1:
            return step, len(found), alone
    return None
