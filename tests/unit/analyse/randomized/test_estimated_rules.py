"""Rules of randomized releases: those of the definition, and intervals that hold the truth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.randomized.itemsets import estimated_itemsets
from shoal.analyse.randomized.rules import estimated_rules
from shoal.engine.threads import Threads
from shoal.errors import Infeasible, InputError
from shoal.run import Run
from tests.making.randomized_strategies import keep_of, lengths_of, randomized, releases, rows_of
from tests.oracles import randomized_supports as oracle

Z = 1.959964


def codes(names):
    return tuple(sorted(map(int, names)))


@settings(max_examples=60, deadline=None)
@given(releases(), st.sampled_from([0.0, 0.3, 0.8]), st.sampled_from(["estimate", "upper"]))
def test_rules_are_all_splits_of_what_was_found_and_their_intervals_fiellers(release, min_confidence, grow_from):
    found = estimated_itemsets(release, 1, grow_from=grow_from, run=Run(engine=Threads(1)))
    shares = {frozenset(items): share for items, share in found}
    errors = dict(zip(shares, found.estimates.error.tolist(), strict=True))
    lows = dict(zip(shares, found.estimates.low.tolist(), strict=True))
    rules = estimated_rules(found, min_confidence)
    expected = {
        (left, whole - left)
        for whole in shares
        for left in shares
        if left < whole and whole - left in shares and shares[whole] >= (min_confidence - 1e-9) * shares[left]
    }
    table = rules.to_arrow().to_pylist()
    assert {(frozenset(rule["antecedent"]), frozenset(rule["consequent"])) for rule in table} == expected
    assert len(table) == len(expected)
    fakes = [Fraction(0)] * 9
    if release.n_fakes:
        fakes = [oracle.fake_share(lengths_of(release), size, release.n_items) for size in range(5)]
    for rule in table:
        left, right = frozenset(rule["antecedent"]), frozenset(rule["consequent"])
        whole = left | right
        assert rule["confidence"] == pytest.approx(shares[whole] / shares[left])
        assert rule["lift"] == pytest.approx(shares[whole] / shares[left] / shares[right])
        assert rule["support"] == pytest.approx(shares[whole])
        if lows[left] <= 0:
            assert (rule["low"], rule["high"]) == (-math.inf, math.inf)
            continue
        exact = oracle.covariance(
            rows_of(release), codes(whole), codes(left), keep_of(release), release.n_records,
            (fakes[len(whole)], fakes[len(left)]),
        )  # fmt: skip
        covariance = np.clip(float(exact), -errors[whole] * errors[left], errors[whole] * errors[left])
        # At either end of the interval, the difference is Z standard errors away from 0.
        for end in (rule["low"], rule["high"]):
            distance = (shares[whole] - end * shares[left]) ** 2
            spread = errors[whole] ** 2 - 2 * end * covariance + end**2 * errors[left] ** 2
            assert distance == pytest.approx(Z**2 * spread, rel=1e-5, abs=1e-7)
        assert rule["low"] <= rule["confidence"] + 1e-9
        assert rule["confidence"] <= rule["high"] + 1e-9


def test_the_covariance_is_right_on_average_over_everything_that_can_happen():
    records, keep = [frozenset({0, 1}), frozenset({1, 2})], Fraction(9, 10)
    whole, left, lengths = (0, 1), (1,), ((2, Fraction(1)),)
    fakes = tuple(oracle.fake_share(lengths, size, 2) for size in (2, 1))
    outcomes = list(oracle.outcomes([record & {0, 1} for record in records], 2, keep, 1, lengths))
    pairs = [
        (
            chance,
            *(oracle.estimate(rows, items, keep, 2, fake) for items, fake in ((whole, fakes[0]), (left, fakes[1]))),
        )
        for chance, rows, _ in outcomes
    ]
    mean = [sum(pair[0] * pair[at] for pair in pairs) for at in (1, 2)]
    truth = sum(chance * a * b for chance, a, b in pairs) - mean[0] * mean[1]
    told = sum(chance * oracle.covariance(rows, whole, left, keep, 2, fakes) for chance, rows, _ in outcomes)
    assert told == truth
    assert truth != 0


def test_intervals_hold_the_true_confidence_about_95_times_in_100():
    # Disjoint pairs of items of a masked release are independent trials. At any rate from 93 % on, fewer hits than the
    # bound have a probability below 1e-7 (six and a half standard deviations of a binomial), and all hits at 97 % or
    # less one below 1e-7, too; seeds are fixed.
    n_pairs, n_records, runs = 100, 300, 8
    rng = np.random.default_rng(3)
    left = rng.random((n_records, n_pairs)) < 0.5
    right = rng.random((n_records, n_pairs)) < np.where(left, 0.7, 0.2)
    both = np.stack([left, right], axis=2).reshape(n_records, 2 * n_pairs)
    data = shoal.read([{f"{item:03}" for item in np.flatnonzero(row)} for row in both])
    truth = (left & right).sum(axis=0) / left.sum(axis=0)
    hits = trials = 0
    for seed in range(runs):
        found = estimated_itemsets(
            shoal.mask(data, keep_prob=0.85, run=Run(chance=seed)), 0.05, max_length=2, run=Run(engine=Threads(1))
        )
        for rule in estimated_rules(found, 0.0).to_arrow().to_pylist():
            (a,), (b,) = rule["antecedent"], rule["consequent"]
            if int(a) % 2 == 0 and int(b) == int(a) + 1:
                hits += rule["low"] <= truth[int(a) // 2] <= rule["high"]
                trials += 1
    assert trials == n_pairs * runs
    assert 0.93 * trials - 6.5 * math.sqrt(0.93 * 0.07 * trials) <= hits < trials


def test_an_antecedent_that_may_be_in_no_record_has_an_infinite_interval():
    release = randomized([frozenset({0, 1})] * 6 + [frozenset()] * 4, 2, keep=0.6)
    rules = estimated_rules(estimated_itemsets(release, 1), 0.0)
    assert len(rules) == 2
    assert np.all(np.isneginf(rules.low) & np.isposinf(rules.high))
    assert np.all(np.isfinite(rules.confidences))


def test_rules_are_ordered_and_bounded():
    release = shoal.mask(
        shoal.read([{"a", "b", "c"}] * 50 + [{"a"}] * 20 + [{"b", "c"}] * 20), keep_prob=0.95, run=Run(chance=4)
    )
    found = estimated_itemsets(release, 0.3)
    rules = estimated_rules(found, 0.0)
    assert list(-rules.confidences) == sorted(-rules.confidences)
    assert max(found.sizes[rules.consequents]) == 2
    assert max(found.sizes[estimated_rules(found, 0.0, max_consequent=1).consequents]) == 1
    with pytest.raises(Infeasible, match="12 ways to be split"):
        estimated_rules(found, 0.0, max_rules=11)
    with pytest.raises(InputError, match="min_confidence is 2"):
        estimated_rules(found, 2)
    constant = estimated_itemsets(release, 0.3, estimator="constant")
    with pytest.raises(InputError, match=r"leave out estimator=.constant."):
        estimated_rules(constant, 0.5)
