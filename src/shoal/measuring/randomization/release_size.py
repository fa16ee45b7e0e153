"""How large a randomized release gets, by its original: rows, and items in rows, which is what is stored."""

from __future__ import annotations

import math

Lengths = tuple[tuple[int, float], ...]
"""Of made-up rows: each length and its share."""


def mean_length(lengths: Lengths) -> float:
    """How many items a made-up row has on average."""
    return math.fsum(length * share for length, share in lengths)


def ones_factor(
    keep_prob: float,
    fakes: float,
    mean_support: float,
    items: int | None,
    lengths: Lengths | None,
) -> float | None:
    """How many items the rows of a release hold, on average, by those of the original.

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
