"""Estimates of the original from randomized rows: unbiased supports, and how far chance may take them.

S. Rizvi, J. Haritsa: Maintaining Data Privacy in Association Rule Mining, VLDB 2002; A. Mohaisen et al., IEICE Trans.
E93-D, 2010, sections 3, 4 and 6. An item that a row holds counts as a = keep / (2 keep - 1), one that it lacks as -b =
-(1 - keep) / (2 keep - 1), so that flipped items average to what was there. A row counts as the product over the items
of a set: it is told by how many of them it holds, and so is its square. Fake rows, of which it is known how many
hold a set on average, are taken off; how many there are is counted in the release, not taken from the promise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Float64, Int64
from shoal.data.frozen import freeze
from shoal.errors import InputError
from shoal.release.randomized import Randomized

NORMAL_95 = 1.959964
"""So many standard errors to either side are an interval of 95 %, where errors are normal."""


@dataclass(frozen=True)
class Estimate:
    """In what share of the records of the original some items are, as far as a randomized release determines it.

    Example:
        >>> print(Estimate(0.25, 0.01, 0.2304, 0.2696))
        0.25 (standard error 0.01), 0.2304 to 0.2696 with 95 % confidence
    """

    estimate: float
    """The share of the records, without bias; chance may make it negative, or more than 1."""
    error: float
    """The standard error: chance takes the estimate about so far from the truth."""
    low: float
    high: float
    """Of 100 such intervals, about 95 hold the truth."""

    def __str__(self) -> str:
        return (
            f"{self.estimate:.4g} (standard error {self.error:.2g}), {self.low:.4g} to {self.high:.4g} with 95 % "
            "confidence"
        )


@dataclass(frozen=True, eq=False)
class Estimates:
    """The same for many itemsets, as arrays in the order in which they were asked; all are shares of the records."""

    estimate: Float64
    error: Float64
    low: Float64
    high: Float64

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.estimate)

    def __getitem__(self, at: int) -> Estimate:
        return Estimate(float(self.estimate[at]), float(self.error[at]), float(self.low[at]), float(self.high[at]))

    def __repr__(self) -> str:
        return f"Estimates({len(self):,} answers)"

    @classmethod
    def concatenate(cls, parts: list[Estimates]) -> Estimates:
        """One after the other."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))

    def take(self, at: Int64) -> Estimates:
        """Those at the given places."""
        return Estimates(self.estimate[at], self.error[at], self.low[at], self.high[at])

    def to_arrow(self) -> pa.Table:
        """One row for each answer: support, error, low, high."""
        return pa.table({"support": self.estimate, "error": self.error, "low": self.low, "high": self.high})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


@dataclass(frozen=True)
class Chance:
    """What was done to the rows of a release, as the numbers that undo it on average."""

    keep_prob: float
    n_rows: int
    n_records: int
    there: float
    """What an item counts that a row holds: a."""
    missing: float
    """What an item counts that a row lacks: -b."""
    release: Randomized

    @classmethod
    def of(cls, release: Randomized) -> Chance:
        """The numbers of a release."""
        if release.n_records < 1:
            raise InputError("the release has no row that is real: there is nothing to estimate")
        keep = release.promise.keep_prob
        apart = 2 * keep - 1
        return cls(keep, release.n_rows, release.n_records, keep / apart, (keep - 1) / apart, release)

    @property
    def depth(self) -> int | None:
        """How many classes of rows count: all (None), or, where nothing is flipped, only the rows with all items."""
        return 1 if self.keep_prob == 1 else None

    def fake_share(self, size: int) -> float:
        """The chance that a fake row held ``size`` given items before anything was flipped."""
        if size > self.release.n_items or not self.release.n_fakes:
            return 0.0
        return self.release.promise.fake_share(size, self.release.n_items)

    def fake_variance(self, size: int) -> float:
        """The variance of the number of fake rows that held ``size`` given items."""
        share = self.fake_share(size)
        return self.release.n_fakes * share * (1 - share)

    def least_variance(self, size: int) -> float:
        """No estimate of a set of so many items has a smaller variance, as a number of records, squared."""
        flips = self.there * -self.missing  # keep (1 - keep) / (2 keep - 1)^2, the variance of what an item counts
        return self.n_rows * min(flips**size, (1 + flips) ** size - 1) + self.fake_variance(size)

    def estimates(self, classes: Int64, size: int) -> Estimates:
        """Estimates of sets of ``size`` items from how many rows hold how many of them.

        Args:
            classes: in column t, how many rows hold exactly ``size - t`` of the items of a set. Where the last columns
                are missing, what is left out is made part of the interval: no row counts more than the first of them.
            size: how many items the sets have.
        """
        worth = self._worth(classes, size)
        rest, largest = self._left_out(classes, size)
        return self.finished(classes @ worth, self.variance(classes, size), size, rest.astype(float) * largest)

    def variance(self, classes: Int64, size: int) -> Float64:
        """The variance that flips bring about, as a number of records, squared: without bias, or no less than that."""
        worth = self._worth(classes, size)
        rest, largest = self._left_out(classes, size)
        variance: Float64 = classes @ (worth**2 - worth) + rest * (largest**2 + largest)
        return variance

    def _worth(self, classes: Int64, size: int) -> Float64:
        """What a row of each class counts."""
        return np.array([self.there ** (size - t) * self.missing**t for t in range(classes.shape[1])])

    def _left_out(self, classes: Int64, size: int) -> tuple[Int64, float]:
        """How many rows are in no class that was counted, and what one of them counts at most."""
        counted = classes.shape[1]
        if counted > size:
            return np.zeros(len(classes), np.int64), 0.0
        return self.n_rows - classes.sum(axis=1), self.there ** (size - counted) * (-self.missing) ** counted

    def finished(self, total: Float64, variance: Float64, size: int, slack: Float64) -> Estimates:
        """Subtract the fake rows, and turn numbers of records into shares."""
        variance = np.maximum(variance + self.fake_variance(size), self.least_variance(size))
        estimate = (total - self.release.n_fakes * self.fake_share(size)) / self.n_records
        error = np.sqrt(variance) / self.n_records
        reach = NORMAL_95 * error + slack / self.n_records
        return Estimates(estimate, error, estimate - reach, estimate + reach)


def level_sums(counts: Int64, without: Int64, below: Int64, depth: int | None) -> Int64:
    """For sets of one size, in column t, the sum of the rows that hold each of the subsets without t of the items.

    Args:
        counts: in how many rows each set is.
        without: the numbers of the sets of one item less, for each item that is left out.
        below: the same sums for those; of the empty set, the number of rows.
        depth: how many columns are wanted; by default all.
    """
    size = without.shape[1]
    sums = np.empty((len(counts), min(size + 1, depth or size + 1)), np.int64)
    sums[:, 0] = counts
    for t in range(1, sums.shape[1]):
        # A subset that lacks t of the items is a subset of t of the sets that lack one.
        sums[:, t] = below[without, t - 1].sum(axis=1) // t
    return sums


def classes_of(sums: Int64, size: int) -> Int64:
    """How many rows hold exactly ``size - t`` items of a set, in column t, from sums over its subsets."""
    columns = sums.shape[1]
    signed = np.zeros((columns, columns), np.int64)
    for s in range(columns):
        for t in range(s, columns):
            signed[s, t] = (-1) ** (t - s) * math.comb(size - s, t - s)
    return sums @ signed
