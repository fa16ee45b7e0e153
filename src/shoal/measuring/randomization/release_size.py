"""The size of a randomized release as a multiple of the original's: rows, and items in rows."""

from __future__ import annotations

import math

Lengths = tuple[tuple[int, float], ...]
"""Lengths of fake transactions: each length and its share."""


def mean_length(lengths: Lengths) -> float:
    """The mean number of items of a fake transaction."""
    return math.fsum(length * share for length, share in lengths)


def ones_factor(
    keep_prob: float,
    fakes: float,
    mean_support: float,
    items: int | None,
    lengths: Lengths | None,
) -> float | None:
    """The mean number of items in the rows of a release, as a multiple of the original's.

    Example:
        >>> round(ones_factor(0.9, 0, 0.01, 1000, ()), 9)
        10.8
    """
    if items is None:
        return None
    before = mean_support * items
    drawn = before + (fakes * mean_length(lengths) if fakes and lengths else 0.0)
    after = keep_prob * drawn + (1 - keep_prob) * ((1 + fakes) * items - drawn)
    return after / before
