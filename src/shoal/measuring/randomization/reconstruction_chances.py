"""The probability that an adversary reconstructs the original from randomized baskets: closed forms.

S. Rizvi, J. Haritsa: Maintaining Data Privacy in Association Rule Mining, VLDB 2002, section 3 (R1, R0); A. Mohaisen et
al.: Privacy Preserving Association Rule Mining Revisited, IEICE Trans. E93-D, 2010, equations 6, 11 to 15.

Deviations: equation 13 is printed without its 1/N. The average case of the hybrid, and a filter against it, are ours:
the paper has only the product of the worst cases.
"""

from __future__ import annotations

import math
from typing import TypeVar

from shoal.data.arrays import Float64

Number = TypeVar("Number", float, Float64)

_SUMMED = 64
"""Terms of a harmonic sum that are added directly; for the rest, four terms of a series are exact to the last digit."""


def chance_of_ones(support: Number, keep_prob: float) -> Number:
    """R1: the probability that an item of a row is published and reconstructed from what is published, by Bayes.

    Example:
        >>> chance_of_ones(0.5, 0.75)
        0.625
    """
    if keep_prob == 1:
        return support * 0 + 1
    flip_prob = 1 - keep_prob
    shown = support * keep_prob**2 / (support * keep_prob + (1 - support) * flip_prob)
    hidden = support * flip_prob**2 / (support * flip_prob + (1 - support) * keep_prob)
    return shown + hidden


def chance_of_zeros(support: Number, keep_prob: float) -> Number:
    """R0: the same for an item that a row does not have."""
    return chance_of_ones(1 - support, keep_prob)


def mean_over_ones(chances: Float64, supports: Float64) -> float:
    """The mean over all ones of the data, weighted by supports; over zeros likewise."""
    total = float(supports.sum())
    return float(supports @ chances) / total if total else float(chances.mean())


def chance_of_cells(ones: Number, zeros: Number, weight: float) -> Number:
    """P_r of flips: the mean of ones and zeros, with the weight of the ones."""
    return weight * ones + (1 - weight) * zeros


def chance_of_rows(fakes: float, filtered: float = 0.0) -> float:
    """P_r of fake transactions, worst case: the first picked row is real; a filter has removed a share of the fakes.

    Example:
        >>> chance_of_rows(9), chance_of_rows(18, filtered=0.5)
        (0.1, 0.1)
    """
    return 1 / (1 + (1 - filtered) * fakes)


def average_chance_of_rows(fakes: float, records: int, filtered: float = 0.0) -> float:
    """P_r of fake transactions, average case: the mean over real rows picked one after another, without replacement.

    The sum over i of (N - i) / (W + N - i), divided by N, where W fake transactions are left. For many records it
    tends to 1 - w ln((1 + w) / w).

    Example:
        >>> round(1 - average_chance_of_rows(1, 1000), 4)
        0.6929
    """
    left = (1 - filtered) * fakes
    # j / (W + j) = 1 - W / (W + j)
    return 1 - left * _harmonic(left * records, records)


def fakes_needed(privacy: float, cells: float = 1, filtered: float = 0) -> float:
    """Fake transactions per real one for a privacy in the worst case, if flips have P_r = ``cells``.

    Example:
        >>> round(fakes_needed(0.95), 9), round(fakes_needed(0.95, 0.3), 9)
        (19.0, 5.0)
    """
    left = max(cells / (1 - privacy) - 1, 0)
    if filtered == 1:
        return math.inf if left else 0.0
    return left / (1 - filtered)


def _harmonic(start: float, n: int) -> float:
    """The sum of 1 / (start + j) over j from 1 to n, without cancellation (Euler and Maclaurin)."""
    first = min(n, _SUMMED)
    terms = [1 / (start + j) for j in range(1, first + 1)]
    low, high = start + first, start + n
    if n > first:
        terms += [math.log1p((n - first) / low), (1 / high - 1 / low) / 2]
        terms += [(low**-2 - high**-2) / 12, (high**-4 - low**-4) / 120, (low**-6 - high**-6) / 252]
    return math.fsum(terms)
