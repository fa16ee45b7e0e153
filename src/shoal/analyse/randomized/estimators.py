"""Three ways to undo flipped items: by counts of sets, by the matrix of all patterns, and by a few counts only.

``counts`` and ``matrix`` say the same. The matrix is that of S. Rizvi, J. Haritsa (MASK, VLDB 2002) and of A.
Mohaisen et al., IEICE Trans. E93-D, 2010, equation 3: it takes 2^k counts of a set of k items. ``constant`` is our
reading of MMASK, whose number of counts does not grow like that: rows are told apart by how many items of the set they
hold, and only those with the most are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from shoal.analyse.candidates import Candidates
from shoal.analyse.randomized.estimates import Chance, Estimates, classes_of, level_sums
from shoal.data.arrays import Float64, Int32, Int64
from shoal.errors import InputError
from shoal.mining.occurrences import MaskedRows, occurrences
from shoal.release.randomized import Randomized
from shoal.run import Run

MATRIX_ITEMS = 10
"""A matrix of all patterns of so many items has a million cells."""
Report = Callable[[int, int], None]


class Counted(NamedTuple):
    """What is known of the candidates of a level."""

    estimates: Estimates
    sums: Int64
    """What the level above needs to know; its first column is in how many rows each set is."""


class Estimating(Protocol):
    """A way to estimate: of single items first, then of sets of those that are worth it."""

    def single(self) -> Counted:
        """Estimate each item."""

    def index(self, codes: Int32) -> None:
        """Be ready for sets of these items."""

    def sets(self, candidates: Candidates, below: Int64, run: Run) -> Counted:
        """Estimate sets of two items or more, from the sums of the level below."""


class ByCounts:
    """One count of each set, and those of its subsets, which are there."""

    def __init__(self, release: Randomized, counts: int | None = None) -> None:
        """Use so many counts of each set, or all that say something."""
        self._release = release
        self._chance = Chance.of(release)
        self._depth = self._chance.depth or counts
        self._supports = release.supports

    def single(self) -> Counted:
        """Estimate each item."""
        nothing = np.zeros((self._release.n_items, 1), np.int64)
        return self._estimated(self._supports, nothing, np.full((1, 1), self._release.n_rows))

    def index(self, codes: Int32) -> None:
        """Be ready for sets of these items."""
        self._rows = occurrences(self._release.offsets, self._release.items, self._supports, codes)

    def sets(self, candidates: Candidates, below: Int64, run: Run) -> Counted:
        """Estimate sets of two items or more, from the sums of the level below."""
        return self._estimated(self._rows.count(candidates.sets, run), candidates.without, below)

    def _estimated(self, counts: Int64, without: Int64, below: Int64) -> Counted:
        sums = level_sums(counts, without, below, self._depth)
        size = without.shape[1]
        return Counted(self._chance.estimates(classes_of(sums, size), size), sums)


class ByMatrix:
    """Counts of all patterns that the items of a set can show, times the inverse of what flips do to them."""

    def __init__(self, release: Randomized) -> None:
        self._release = release
        self._chance = Chance.of(release)

    def single(self) -> Counted:
        """Estimate each item."""
        there = self._release.supports
        return self._estimated(np.stack([self._release.n_rows - there, there], axis=1), 1)

    def index(self, codes: Int32) -> None:
        """Be ready for sets of these items."""
        self._rows = MaskedRows(self._release.offsets, self._release.items, self._release.n_items, codes)

    def sets(self, candidates: Candidates, below: Int64, run: Run) -> Counted:
        """Estimate sets of two items or more; what is known of their subsets is not used."""
        del below
        size = candidates.sets.shape[1]
        if size > MATRIX_ITEMS:
            raise InputError(
                f"the matrix of all patterns of {size} items has {4**size:,} cells: set --max-length {MATRIX_ITEMS}, "
                "or use --estimator counts, which says the same"
            )
        return self._estimated(self._rows.patterns(candidates.sets, run), size)

    def _estimated(self, patterns: Int64, size: int) -> Counted:
        # Column x is the pattern in which item t is there if bit t of x is set: the last one has all items.
        total: Float64 = np.linalg.solve(flip_matrix(self._chance.keep_prob, size), patterns.T.astype(float))[-1]
        held = np.array([pattern.bit_count() for pattern in range(1 << size)])
        classes = np.stack([patterns[:, held == size - t].sum(axis=1) for t in range(size + 1)], axis=1)
        variance = self._chance.variance(classes, size)
        estimates = self._chance.finished(total, variance, size, np.zeros(len(total)))
        return Counted(estimates, patterns[:, -1:])


def flip_matrix(keep_prob: float, size: int) -> Float64:
    """The chance that flips turn each pattern of so many items (column) into each other one (row).

    Example:
        >>> flip_matrix(0.75, 1).tolist()
        [[0.75, 0.25], [0.25, 0.75]]
    """
    one = np.array([[keep_prob, 1 - keep_prob], [1 - keep_prob, keep_prob]])
    matrix = np.ones((1, 1))
    for _ in range(size):
        matrix = np.kron(one, matrix)
    return matrix
