"""Shares compared exactly as written: .1 of 30 rows are 3, despite floating-point errors in .1."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from shoal.data.arrays import Int64


def at_least(share: float, numbers: Int64) -> Int64:
    """For each number of rows the smallest whole number that is at least this share of them.

    Example:
        >>> at_least(.1, np.array([30, 31, 0])).tolist()
        [3, 4, 0]
    """
    exact = Fraction(repr(float(share)))
    return _each(numbers, lambda number: math.ceil(exact * number))


def at_most_from(share: float, parts: Int64) -> Int64:
    """For each part the largest number of which it is at least this share.

    Example:
        >>> at_most_from(.5, np.array([3, 0])).tolist(), at_most_from(.3, np.array([3])).tolist()
        ([6, 0], [10])
    """
    exact = Fraction(repr(float(share)))
    return _each(parts, lambda part: min(math.floor(part / exact), 2**62))


def _each(numbers: Int64, rule: Callable[[int], int]) -> Int64:
    # Few different numbers occur, and Python's whole numbers have any size.
    distinct, inverse = np.unique(numbers, return_inverse=True)
    made = np.array([rule(number) for number in distinct.tolist()], np.int64)
    return np.asarray(made[inverse.reshape(-1)])
