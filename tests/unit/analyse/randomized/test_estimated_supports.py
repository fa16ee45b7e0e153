"""Supports estimated from randomized rows, against the matrix of all patterns, all outcomes, and repeated chance."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.randomized.estimates import NORMAL_95, Estimate, Estimates
from shoal.analyse.randomized.supports import MOST_ITEMS, estimate, estimated_supports
from shoal.engine.threads import Threads
from shoal.errors import Infeasible, InputError
from shoal.publish.randomization import randomize
from shoal.run import Run
from tests.making.randomized_strategies import all_itemsets, keep_of, lengths_of, randomized, releases, rows_of
from tests.oracles import randomized_supports as oracle


def estimates_of(release, itemsets):
    return estimated_supports(
        release, [[str(item) for item in items] for items in itemsets], run=Run(engine=Threads(1))
    )


def fake_shares(release):
    n_items = release.n_items
    if not release.n_fakes:
        return [Fraction(0)] * (n_items + 1)
    return [oracle.fake_share(lengths_of(release), size, n_items) for size in range(n_items + 1)]


@settings(max_examples=60, deadline=None)
@given(releases())
def test_all_itemsets_agree_with_the_inverse_matrix_and_their_errors_with_the_rows(release):
    itemsets = all_itemsets(release.n_items)
    found = estimates_of(release, itemsets)
    rows, keep, shares = rows_of(release), keep_of(release), fake_shares(release)
    v = keep * (1 - keep) / (2 * keep - 1) ** 2
    for at, items in enumerate(itemsets):
        size = len(items)
        exact = oracle.by_matrix(rows, items, keep, release.n_records, shares[size])
        assert exact == oracle.estimate(rows, items, keep, release.n_records, shares[size])
        assert found.estimate[at] == pytest.approx(float(exact), abs=1e-9)
        unbiased = oracle.covariance(rows, items, items, keep, release.n_records, (shares[size], shares[size]))
        made_up = release.n_fakes * shares[size] * (1 - shares[size])
        floor = (release.n_rows * min(v**size, (1 + v) ** size - 1) + made_up) / release.n_records**2
        assert found.error[at] ** 2 == pytest.approx(float(max(unbiased, floor)), abs=1e-9)
        assert found.low[at] == pytest.approx(found.estimate[at] - NORMAL_95 * found.error[at])
        assert found.high[at] == pytest.approx(found.estimate[at] + NORMAL_95 * found.error[at])


@pytest.mark.parametrize(
    ("records", "keep", "n_fakes", "lengths"),
    [
        ([{0, 1}, {1}, {2}], "3/4", 0, ()),
        ([{0, 2}], "9/10", 1, ((1, Fraction(1, 4)), (2, Fraction(3, 4)))),
        ([{0, 1}, {0}], "1", 2, ((1, Fraction(1, 2)), (2, Fraction(1, 2)))),
    ],
)
def test_over_everything_that_can_happen_the_mean_is_the_truth_and_so_is_that_of_the_variance(
    records, keep, n_fakes, lengths
):
    keep, records, n_items = Fraction(keep), [frozenset(record) for record in records], 3
    outcomes = list(oracle.outcomes(records, n_items, keep, n_fakes, lengths))
    assert sum(chance for chance, _, _ in outcomes) == 1
    for items in all_itemsets(n_items):
        fake = oracle.fake_share(lengths, len(items), n_items)
        truth = Fraction(sum(set(items) <= record for record in records), len(records))
        mean = square = told = expected = Fraction(0)
        for chance, rows, before in outcomes:
            share = oracle.estimate(rows, items, keep, len(records), fake)
            mean, square = mean + chance * share, square + chance * share**2
            told += chance * oracle.covariance(rows, items, items, keep, len(records), (fake, fake))
            expected += chance * oracle.true_variance(before, items, keep, len(records), fake, n_fakes)
        assert mean == truth
        assert square - mean**2 == told == expected


def test_over_everything_that_can_happen_the_code_averages_to_the_truth():
    records = [frozenset({0, 1}), frozenset({0, 1, 2})]
    itemsets = all_itemsets(3)
    mean = np.zeros(len(itemsets))
    for chance, rows, _ in oracle.outcomes(records, 3, Fraction(4, 5), 0, ()):
        mean += float(chance) * estimates_of(randomized(rows, 3, keep=0.8), itemsets).estimate
    truth = [sum(set(items) <= record for record in records) / 2 for items in itemsets]
    assert mean == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize(("keep", "fakes"), [(0.9, 0), (1.0, 1.5), (0.9, 1.5)], ids=["mask", "fakes", "hybrid"])
def test_estimates_are_right_on_average(keep, fakes):
    # Estimates are sums over rows that chance drew independently. By Bernstein's inequality the mean over all runs is
    # within ``reach`` of the truth except with probability 1e-8 for each of 15 sets and 3 methods: less than one in a
    # million that this test says so of a right estimator. Seeds are fixed.
    runs, n_items = 250, 4
    rng = np.random.default_rng(5)
    records = [{str(item) for item in range(n_items) if rng.random() < 0.4} or {"0"} for _ in range(40)]
    data = shoal.read(records)
    itemsets = all_itemsets(n_items)
    mean = np.zeros(len(itemsets))
    for seed in range(runs):
        release = randomize(
            data, keep_prob=keep, fakes=fakes, fake_length={1: 0.5, 3: 0.5} if fakes else None, run=Run(chance=seed)
        )
        mean += estimates_of(release, itemsets).estimate / runs
    exact, n = Fraction(str(keep)), len(records)
    plain = [frozenset(int(item) for item in record) for record in records]
    lengths = [(1, Fraction(1, 2)), (3, Fraction(1, 2))]
    for at, items in enumerate(itemsets):
        fake = oracle.fake_share(lengths, len(items), n_items) if fakes else Fraction(0)
        v = exact * (1 - exact) / (2 * exact - 1) ** 2
        largest = max((1 + v) ** j * v ** (len(items) - j) for j in range(len(items) + 1))
        n_fakes = round(fakes * n)
        variance = float(oracle.true_variance(plain, items, exact, n, fake, n_fakes) * n**2 + n_fakes * largest) * runs
        if keep == 1:
            variance = float(n_fakes * fake * (1 - fake)) * runs
        bound = float(exact / (2 * exact - 1)) ** len(items) + 1  # how far a row may be from its mean
        log = math.log(2 / 1e-8)
        reach = bound * log / 3 + math.sqrt((bound * log / 3) ** 2 + 2 * variance * log)
        truth = sum(set(items) <= record for record in plain)
        assert abs(mean[at] * n - truth) * runs <= reach, items


def test_intervals_hold_the_truth_about_95_times_in_100():
    # In a masked release items are flipped independently, so that sets without common items are independent trials: of
    # these, a number between the bounds holds the truth. For any rate from 93 % to 97 % that fails with a probability
    # below 1e-7 for each of three sizes (exact binomial tails, below); seeds are fixed.
    n_items, n_records, runs = 300, 150, 8
    rng = np.random.default_rng(7)
    held = rng.random((n_records, n_items)) < rng.uniform(0.1, 0.6, n_items)
    data = shoal.read([{str(item) for item in np.flatnonzero(row)} for row in held])
    codes = {size: np.arange(n_items).reshape(-1, size) for size in (1, 2, 3)}
    names = data.vocabulary.cast("int64").to_numpy()
    for size, sets in codes.items():
        truth = held[:, names[sets]].all(axis=2).mean(axis=0)
        hits = trials = 0
        for seed in range(runs):
            release = shoal.mask(data, keep_prob=0.85, run=Run(chance=seed))
            offsets = np.arange(len(sets) + 1) * size
            found = estimate(release, offsets, sets.ravel().astype(np.int32), run=Run(engine=Threads(1)))
            hits += int(np.count_nonzero((found.low <= truth) & (truth <= found.high)))
            trials += len(sets)
        fewest, most = _binomial_bounds(trials)
        assert fewest <= hits <= most, (size, hits, trials)


def _binomial_bounds(trials, tail=1e-7):
    """Fewer hits than the first number are that unlikely at a rate of 93 %, more than the second at 97 %."""

    def largest_unlikely(rate):
        """The largest count such that a number below it is unlikelier than the tail."""
        total = 0.0
        for count in range(trials):
            ways = math.lgamma(trials + 1) - math.lgamma(count + 1) - math.lgamma(trials - count + 1)
            total += math.exp(ways + count * math.log(rate) + (trials - count) * math.log1p(-rate))
            if total >= tail:
                return count
        return trials

    return largest_unlikely(0.93), trials - largest_unlikely(0.03)


def test_sets_are_answered_in_the_order_of_the_questions_whatever_their_sizes():
    release = shoal.mask(shoal.read([{"a", "b", "c"}] * 20 + [{"b"}] * 20), keep_prob=0.9, run=Run(chance=1))
    asked = [["c", "a"], ["b"], ["a", "b", "c"], ["a"], ["b"], ["a", "c"]]
    together = estimated_supports(release, asked)
    for at, items in enumerate(asked):
        assert together[at] == release.support(items) == estimated_supports(release, [set(items)])[0]


def test_without_flips_long_sets_need_no_subsets():
    rows = [frozenset(range(40))] * 5 + [frozenset({1})]
    release = randomized(rows, 40, n_fakes=1, lengths=((1, 1.0),))
    one = release.support(map(str, range(40)))
    assert (one.estimate, one.error) == (1.0, 0.0)
    assert type(one.estimate) is float


def test_no_error_is_smaller_than_chance_makes_it():
    release = randomized([frozenset()] * 4, 2, keep=0.9)
    flips = 0.09 / 0.64
    assert release.support(["0"]).error == pytest.approx(math.sqrt(4 * flips) / 4)
    assert release.support(["0", "1"]).error == pytest.approx(math.sqrt(4 * flips**2) / 4)
    assert release.support(["0", "1"]).estimate == pytest.approx((0.1 / 0.8) ** 2)
    assert release.support(["0"]).estimate == pytest.approx(-0.1 / 0.8), "an estimate below 0 stays what it is"


def test_what_cannot_be_answered_is_refused():
    release = randomized([frozenset(range(30))] * 2, 30, keep=0.9)
    with pytest.raises(InputError, match="each query must name 1 to 20 items, not 0 or 1"):
        estimated_supports(release, [["1"], []])
    with pytest.raises(InputError, match=f"1 to {MOST_ITEMS} items"):
        estimated_supports(release, [map(str, range(21))])
    with pytest.raises(InputError, match="not in the release: '99'"):
        estimated_supports(release, [["99"]])
    assert len(estimated_supports(release, [])) == 0


def test_too_many_subsets_are_refused(monkeypatch):
    monkeypatch.setattr("shoal.analyse.randomized.supports.MOST_SUBSETS", 20)
    release = randomized([frozenset(range(8))] * 2, 8, keep=0.9)
    with pytest.raises(Infeasible, match="more than 20 subsets of 5 items"):
        estimated_supports(release, [map(str, range(7)), ["0"], map(str, range(1, 8))])


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=1, max_size=4))
def test_answers_are_taken_joined_and_shown(rows):
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    found = Estimates(*columns)
    twice = Estimates.concatenate([found, found.take(np.array([0]))])
    assert len(twice) == len(rows) + 1
    assert twice[len(rows)] == found[0] == Estimate(*rows[0])
    assert twice.to_arrow().to_pylist()[-1]["low"] == rows[0][2]
    assert "standard error" in str(found[0])
    with pytest.raises(ValueError, match="read-only"):
        found.estimate[0] = 1
