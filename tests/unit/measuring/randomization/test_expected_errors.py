"""Standard errors that are promised before anything is published: against every case, and against what chance does."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.measuring.randomization.expected_errors import fake_shares, standard_error, usual_rows
from shoal.measuring.randomization.release_size import mean_length, ones_factor
from shoal.promises.randomized import usual_lengths
from shoal.publish.randomization import randomize
from shoal.run import Run
from tests.oracles import reconstruction_probabilities as oracle


@st.composite
def settings_of_small_data(draw):
    size = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 1)] * size), min_size=1, max_size=4))
    keep = draw(st.sampled_from([Fraction(6, 10), Fraction(3, 4), Fraction(19, 20), Fraction(1)]))
    n_items = draw(st.integers(size, 5))
    lengths = draw(st.lists(st.integers(1, n_items), min_size=1, max_size=3, unique=True))
    return rows, keep, draw(st.integers(0, 3)), sorted(lengths), n_items


@given(settings_of_small_data())
@settings(max_examples=60)
def test_the_variance_is_that_of_every_case(given_data):
    rows, keep, n_fakes, lengths, n_items = given_data
    size = len(rows[0])
    held = [sum(sum(row) == j for row in rows) / len(rows) for j in range(size + 1)]
    length_shares = {length: Fraction(1, len(lengths)) for length in lengths}
    shares = fake_shares(tuple((length, 1 / len(lengths)) for length in lengths), n_items)
    error = standard_error(
        held, keep_prob=float(keep), fakes=n_fakes / len(rows), records=len(rows), fake_shares=shares
    )
    exact = oracle.variance(rows, keep, n_fakes, length_shares, n_items)
    assert math.isclose(error**2, exact, rel_tol=1e-9, abs_tol=1e-12)


def chi_square_bounds(runs):
    """Where the mean square of so many normal numbers is but for 1 case in 20 million; the test makes 12 such draws."""
    from scipy.stats import chi2

    return chi2.ppf(2.5e-8, runs) / runs, chi2.isf(2.5e-8, runs) / runs


@pytest.mark.parametrize(("keep", "fakes"), [(0.9, 0.0), (0.95, 1.5), (1.0, 2.0), (0.75, 1.0)])
def test_estimates_are_off_as_far_as_is_said(keep, fakes):
    """Seeded, so that it cannot flicker; under another seed it would fail once in two million times or less.

    Sums over 600 rows are normal enough: their fourth moments move the bounds by far less than they leave.
    """
    rng = np.random.default_rng(3)
    n_items, n_records, runs = 12, 400, 300
    cells = rng.random((n_records, n_items)) < 0.2
    cells[:40, :3] = True  # the set is held together by some
    cells[cells.sum(axis=1) == 0, 5] = True
    data = Transactions.from_records([[f"{item:02}" for item in np.flatnonzero(row)] for row in cells])
    estimates = []
    for seed in range(runs):
        release = randomize(data, keep_prob=keep, fakes=fakes, fake_length=(1, 6), run=Run(chance=seed))
        shown = np.zeros((release.n_rows, n_items))
        shown[np.repeat(np.arange(release.n_rows), release.lengths), release.items] = 1
        undone = (shown - (1 - keep)) / (2 * keep - 1)
        each = [undone[:, :size].prod(axis=1).sum() for size in (1, 2, 3)]
        chances = [release.promise.fake_share(size, n_items) * release.n_fakes for size in (1, 2, 3)]
        estimates.append([(found - made) / n_records for found, made in zip(each, chances, strict=True)])
    low, high = chi_square_bounds(runs)
    shares = fake_shares(tuple((length, 1 / 6) for length in range(1, 7)), n_items)
    for size in (1, 2, 3):
        held = cells[:, :size].sum(axis=1)
        rows = [float((held == j).mean()) for j in range(size + 1)]
        error = standard_error(rows, keep_prob=keep, fakes=fakes, records=n_records, fake_shares=shares)
        off = np.array(estimates)[:, size - 1] - rows[size]
        assert low < (off**2).mean() / error**2 < high, f"sets of {size}: {(off**2).mean() / error**2}"


def test_what_rows_are_taken_to_hold():
    assert usual_rows(1, 0.1, 0.5) == [0.9, 0.1]  # a single item is held by its support and nobody else
    none, one, both = usual_rows(2, 0.1, 0.28)
    assert both == 0.1
    assert none + one == pytest.approx(0.9)
    assert one / none == pytest.approx(2 * 0.2 / 0.8)  # (.28 - .1) / .9 by chance
    assert usual_rows(3, 0.2, 0.1) == pytest.approx([0.8, 0, 0, 0.2])  # rarer on average than together: not elsewhere
    assert usual_rows(2, 1.0, 0.5) == [0, 0, 1.0]
    assert usual_rows(3, 0.25, 1.0) == [0, 0, 0.75, 0.25]  # where all items are held by all, all but one
    assert usual_rows(3, 0.25, 1.0) == pytest.approx(usual_rows(3, 0.25, 1 - 1e-9), abs=1e-6)


def test_lengths_of_fake_transactions_by_default_are_those_of_publishing():
    data = Transactions.from_records([["a", "b", "c"], ["a", "d"], ["e", "f", "g"]] * 20)
    release = randomize(data, fakes=1, run=Run(chance=1))
    mean_support = len(data.items) / len(data) / data.n_items
    assert release.promise.fake_lengths == usual_lengths(mean_support * data.n_items, data.n_items)
    assert mean_length(usual_lengths(3, 6)) == pytest.approx(3)
    assert usual_lengths(0.01, 10) == ((1, 1.0),)
    assert usual_lengths(9, 10)[-1][0] == 10  # never longer than there are items


@pytest.mark.parametrize(("keep", "fakes"), [(0.9, 0.0), (1.0, 2.0), (0.95, 1.0)])
def test_items_in_rows_are_as_many_as_is_said(keep, fakes):
    """Of some 100,000 cells at most so many are off by chance: 6 standard deviations are less than 1 in 10 million."""
    data = Transactions.from_records([[f"{(7 * at + j) % 40:02}" for j in range(1 + at % 6)] for at in range(4200)])
    n, before = data.n_items, len(data.items)
    lengths = usual_lengths(before / len(data), n)
    factor = ones_factor(keep, fakes, before / len(data) / n, n, lengths)
    release = randomize(data, keep_prob=keep, fakes=fakes, run=Run(chance=5))
    flips = release.n_rows * n * keep * (1 - keep)
    lengths_vary = release.n_fakes * 9
    assert abs(len(release.items) - factor * before) < 6 * math.sqrt(flips + lengths_vary) + 1
