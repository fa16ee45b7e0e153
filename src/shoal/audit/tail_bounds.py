"""How unlikely a count is, bounded from above and never estimated: the basis of audits of chance.

W. Hoeffding: Probability Inequalities for Sums of Bounded Random Variables, JASA 1963, theorem 1: of n independent
trials whose chances are p on average, x or more succeed with a chance of at most exp(-n KL(x / n, p)), for x > n p. The
trials need not be alike; real rows and fake transactions are not. Far out the bound is some ten times the chance
itself, which costs little where chances fall by powers of ten; no approximation by a normal distribution is involved.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Float64

FALSE_ALARM = 1e-10
"""The chance that a check fails although the release was made correctly; a verdict has at most ten such checks."""
IN_WORDS = "a false alarm in less than one of ten billion releases"


def too_many(counts: npt.ArrayLike, trials: int, chance: npt.ArrayLike) -> Float64:
    """Upper bounds of the chance that so many or more independent trials succeed, each with that chance on average.

    Example:
        >>> too_many([50, 70, 101], 100, 0.5).round(6).tolist()
        [1.0, 0.000267, 0.0]
    """
    x, p = np.broadcast_arrays(np.asarray(counts, np.float64), np.clip(np.asarray(chance, np.float64), 0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        there = np.where(x > 0, x * np.log(x / (trials * p)), 0)
        others = np.where(x < trials, (trials - x) * np.log((trials - x) / (trials * (1 - p))), 0)
        bounds = np.where(x > trials * p, np.exp(-(there + others)), 1.0)
    return np.where(x > trials, 0.0, bounds)


def too_few(counts: npt.ArrayLike, trials: int, chance: npt.ArrayLike) -> Float64:
    """The same for so many or fewer.

    Example:
        >>> too_few([50, 30, -1], 100, 0.5).round(6).tolist()
        [1.0, 0.000267, 0.0]
    """
    return too_many(trials - np.asarray(counts, np.float64), trials, 1 - np.clip(np.asarray(chance, np.float64), 0, 1))
