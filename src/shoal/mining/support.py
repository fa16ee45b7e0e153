"""The minimum support: a share or a number of records, and the smallest whole count that reaches it."""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.errors import InputError
from shoal.quoting import given


def least_count(min_support: float, n_records: int) -> int:
    """The smallest number of records that is at least ``min_support``: a share up to 1., or a whole number from 1 on.

    A share is taken exactly as it is written, so .1 of 30 records is 3 and not 4.

    Example:
        >>> least_count(.1, 30), least_count(.1, 31), least_count(1, 30), least_count(1.0, 30)
        (3, 4, 1, 30)
    """
    if isinstance(min_support, int) and not isinstance(min_support, bool) and min_support >= 1:
        return min_support
    if isinstance(min_support, float) and 0 < min_support <= 1:
        return max(1, math.ceil(as_written(min_support) * n_records))
    raise InputError(
        f"min_support is {given(min_support)}: it must be a share of the records, as in .01, up to 1.0, or a whole "
        "number of records from 1 on"
    )


def least_share(min_support: float, n_records: int) -> float:
    """``min_support`` as a share of the records; unlike a count, an estimate can reach it between two records.

    Example:
        >>> least_share(.1, 31), least_share(3, 30)
        (0.1, 0.1)
    """
    least_count(min_support, n_records)  # refuses anything else
    return min_support / n_records if isinstance(min_support, int) else min_support


def as_written(share: float) -> Fraction:
    """The fraction given by a share's shortest decimal form: .1 is a tenth."""
    return Fraction(repr(float(share)))
