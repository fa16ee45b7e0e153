"""The flip rate, measured with the original: over all items, and weighted by their frequency.

All published items together show a wrong rate of flips, but if most items are in few records, hardly whether held items
were flipped as often as others. Frequent items do. So two sums are tested: one of all items alike, one weighted by
frequency. Their chances are bounded by their moment generating functions (Chernoff): those of real rows are known,
since flips are independent. In a fake or a cut row one item leaves less room for others; such items are negatively
associated (K. Joag-Dev, F. Proschan, 1983), so the product over items is a bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.audit.tail_bounds import FALSE_ALARM, IN_WORDS
from shoal.audit.verdict import Check, decided
from shoal.data.arrays import Float64, Int64
from shoal.promises import Randomization
from shoal.release.randomized import Randomized

NAME = "flip rate"
_LEVELS = 64
"""The number of different weights: a bound holds for any weights, and is computed for each different one."""
_STEPS = 90
_STEEPEST = 60.0
"""The search for the best bound ends here, at e^60; any point of it is a bound."""
_GOLDEN = (math.sqrt(5) - 1) / 2


def check_flip_rate(release: Randomized, counts: Int64, supports: Int64, expected: Float64) -> Check:
    """Items, and frequent items in particular, are in no fewer and no more rows than flips explain.

    Args:
        release: The release.
        counts: How many of its rows hold each item.
        supports: How many records of the original hold each item.
        expected: The mean number of records that do after cutting.
    """
    levels = np.rint(expected / max(float(expected.max()), 1e-300) * (_LEVELS - 1)).astype(np.int64)
    weighings = {"all items": np.zeros(release.n_items, np.int64), "items weighed by their frequency": levels}
    witness = None
    for name, level in weighings.items():
        weights = np.unique(level) / (_LEVELS - 1) if level.any() else np.ones(1)
        moments = _Moments.of(release, supports, expected, np.unique(level, return_inverse=True)[1], weights)
        total = float(np.bincount(moments.level, weights=counts) @ weights)
        chance = min(_bound(moments, total, 1.0), _bound(moments, total, -1.0))
        if chance * 2 * len(weighings) < FALSE_ALARM and witness is None:
            witness = (
                f"{name}: {total:,.0f} are in the rows, and {moments.mean:,.0f} are expected: the chance of that is "
                f"below {max(chance, 1e-300):.0e}{_estimates(release, counts, expected)}"
            )
    what = (
        f"items were flipped with probability {release.promise.flip_prob:g}, all alike and by their frequency"
        f"{_estimates(release, counts, expected)} ({IN_WORDS})"
    )
    return decided(NAME, what, release.n_rows * release.n_items, witness)


@dataclass(frozen=True, eq=False)
class _Moments:
    """The parameters of the moment generating function of a weighted sum of published items, by levels of weights."""

    promise: Randomization
    n_fakes: int
    n_items: int
    level: Int64
    """Which weight each item has."""
    weights: Float64
    items: Int64
    """How many items of each level."""
    ones: Float64
    """How many places of real rows held them."""
    zeros: Float64
    """How many did not."""
    chance: Float64
    """How likely a held one is published there: after cutting and flips."""

    @classmethod
    def of(cls, release: Randomized, supports: Int64, expected: Float64, level: Int64, weights: Float64) -> _Moments:
        promise = release.promise
        items = np.bincount(level)
        ones = np.bincount(level, weights=supports).astype(np.float64)
        kept = np.bincount(level, weights=expected) / np.maximum(ones, 1)
        return cls(
            promise,
            release.n_fakes,
            release.n_items,
            level,
            weights,
            items,
            ones,
            items * float(release.n_records) - ones,
            (promise.flip_prob + (2 * promise.keep_prob - 1) * kept).astype(np.float64),
        )

    @property
    def fakes(self) -> tuple[Float64, Float64]:
        """The shares of the lengths of fake transactions, and the chance of an item in one of each length."""
        lengths = np.array([length for length, _ in self.promise.fake_lengths], np.float64)
        shares = np.array([share for _, share in self.promise.fake_lengths])
        return shares, self.promise.flip_prob + (2 * self.promise.keep_prob - 1) * lengths / self.n_items

    @property
    def mean(self) -> float:
        real = self.weights @ (self.ones * self.chance + self.zeros * self.promise.flip_prob)
        shares, chances = self.fakes
        return float(real + self.n_fakes * (shares @ chances) * (self.weights @ self.items))

    def log_mgf(self, at: float) -> float:
        """A bound of the logarithm of the mean of exp(at x sum)."""
        grown = np.expm1(at * self.weights)
        flips = np.log1p(self.promise.flip_prob * grown)
        # One place each, averaged over records that were cut to different shares: the logarithm is concave.
        total = float(self.ones @ np.log1p(self.chance * grown) + self.zeros @ flips)
        if self.n_fakes:
            shares, chances = self.fakes
            rows = np.log1p(chances[:, None] * grown[None, :]) @ self.items
            top = float(rows.max())
            total += self.n_fakes * (top + math.log(float(shares @ np.exp(rows - top))))
        return total


def _bound(moments: _Moments, total: float, side: float) -> float:
    """A bound of the chance that the sum is as large (side 1) or as small (side -1); the best that a search finds."""
    if side * (total - moments.mean) <= 0:
        return 1.0

    def exponent(size: float) -> float:
        return moments.log_mgf(side * size) - side * size * total

    low, high = 0.0, _STEEPEST
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = exponent(left), exponent(right)
    for _ in range(_STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = exponent(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = exponent(right)
    return math.exp(min(at_left, at_right, 0.0))


def _estimates(release: Randomized, counts: Int64, expected: Float64) -> str:
    """The two best-fitting rates, by least squares over items, with their standard errors under the promise."""
    rates = estimated_rates(release, counts, expected)
    if rates is None:
        return ""
    (there, there_error), (others, others_error) = rates
    return (
        f"; estimated: {there:.5f} of items held (standard error {there_error:.5f}), {others:.5f} of items not held "
        f"({others_error:.5f})"
    )


def estimated_rates(
    release: Randomized, counts: Int64, expected: Float64
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """How often held items were flipped, and items that were not held, each with its standard error.

    An item is in x = b M + (a - b) u rows on average, if u of M rows held it before flips, a is the chance that it
    stays and b that it is added. None if all items are equally frequent: then a and b cannot be separated.
    """
    promise, n, rows = release.promise, release.n_items, release.n_rows
    lengths = np.array([length for length, _ in promise.fake_lengths], np.float64)
    shares = np.array([share for _, share in promise.fake_lengths])
    mean_length, mean_square = float(shares @ lengths), float(shares @ lengths**2)
    f1, f2 = mean_length / n, (mean_square - mean_length) / (n * max(n - 1, 1))
    held = expected + release.n_fakes * f1
    spread = float(((held - held.mean()) ** 2).sum())
    if spread <= 1e-9 * float(held @ held):
        return None
    slope = float((held - held.mean()) @ counts) / spread
    put = (float(counts.mean()) - slope * float(held.mean())) / rows
    straight = (2 * promise.keep_prob - 1) ** 2 * release.n_fakes
    flips = rows * promise.keep_prob * promise.flip_prob
    slope_variance = (flips + straight * (f1 - f2)) / spread
    mean_variance = (flips * n + straight * (mean_square - mean_length**2)) / (n * rows) ** 2
    share = float(held.mean()) / rows
    return (
        (1 - put - slope, math.sqrt(mean_variance + (1 - share) ** 2 * slope_variance)),
        (put, math.sqrt(mean_variance + share**2 * slope_variance)),
    )
