"""How far chance may lead before a test calls it wrong, by exact tails."""

from __future__ import annotations

from scipy.stats import binom, chi2

ALARM = 1e-7
"""The chance of a false alarm that a test of chance may have in all."""


def usual(count: int, n: int, p: float, *, of: int = 1) -> bool:
    """Whether a number of successes is no rarer than one of ``of`` such numbers may be by chance."""
    tail = min(binom.cdf(count, n, p), binom.sf(count - 1, n, p))
    return bool(2 * tail > ALARM / of)


def usual_counts(counts: object, expected: object) -> bool:
    """Whether counts of many equally independent things are no further from the expected ones than chance allows."""
    import numpy as np

    observed, wanted = np.asarray(counts, float), np.asarray(expected, float)
    statistic = float(((observed - wanted) ** 2 / wanted).sum())
    return bool(chi2.sf(statistic, observed.size - 1) > ALARM and chi2.cdf(statistic, observed.size - 1) > ALARM)
