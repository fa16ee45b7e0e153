"""Two distortions of the same baskets, played together, against definitions by enumeration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.attack.randomized import Second, attack, linked_rows
from shoal.audit.attack.randomized.linked_rows import Drawn, _Pair, attack_linked
from shoal.audit.attack.randomized.rows_in_both import attack_rows
from shoal.audit.attack.randomized.second_release import Seen, Shares, belief, expected_ones
from shoal.audit.not_tried import NotAtHand
from shoal.audit.randomized.original_baskets import match_baskets
from shoal.errors import InputError
from shoal.promises import Randomization
from shoal.publish.randomization import randomize_and_trace
from shoal.release.randomized import Randomized
from shoal.run import Run
from tests.making.randomized_from_bits import NAMES, Bits, make_records, release_of, transactions_of
from tests.oracles import reconstruction_probabilities
from tests.oracles import several_releases as oracle

RECORDS = make_records(3_000, 5)
DATA = transactions_of(RECORDS)
ANEW_MISSING = NotAtHand("nobody can draw it anew")
KEEPS = st.sampled_from([Fraction(3, 4), Fraction(9, 10)])


def second(release: Randomized, again: Any = ANEW_MISSING, victims: int = 100) -> Second:
    return Second(release, again, np.random.default_rng(1), victims)


def bits_of(release: Randomized) -> list[tuple[int, ...]]:
    rows = np.zeros((release.n_rows, release.n_items), int)
    rows[np.repeat(np.arange(release.n_rows), release.lengths), release.items] = 1
    return [tuple(row) for row in rows.tolist()]


SETS = [[True, True, False], [False, True, True], [True, False, True], [True, True, True]]
EACH = [[True, False, False], [False, True, False], [False, False, True]]


@given(st.lists(st.sampled_from(SETS), max_size=2), st.data())
def test_links_and_beliefs_are_those_of_bayes(more: list[list[bool]], data: st.DataObject) -> None:
    """Every row, weighed by its likelihood, and every item, believed by both rows: all records enumerated."""
    rows = [*EACH, *more]
    records = np.array(rows)
    keeps = data.draw(KEEPS), data.draw(KEEPS)
    table = transactions_of(records)
    drawn = [
        np.array(
            data.draw(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=len(rows), max_size=len(rows)))
        )
        for _ in keeps
    ]
    pairs = []
    for bits, keep in zip(drawn, keeps, strict=True):
        release = release_of(bits, Randomization(float(keep), 0), len(rows), in_order=False)
        pairs.append(Drawn(release, np.arange(len(rows))))
    first, other = pairs
    baskets = match_baskets(first.release, table)
    prior = baskets.supports(3) / len(rows)
    shares = [Fraction(int(n), len(rows)) for n in records.sum(axis=0)]
    weights = np.exp(_Pair.of(first.release, other.release, baskets, prior).weights(np.arange(len(rows))))
    likely = weights / weights.sum(1, keepdims=True)
    seen = [bits_of(one.release) for one in pairs]
    sure = [Fraction(0)] * 3
    held = linked = Fraction(0)
    for at, row in enumerate(seen[0]):
        expected = oracle.link_weights(row, seen[1], shares, keeps)
        assert likely[at].tolist() == pytest.approx([float(one) for one in expected])
        linked += Fraction(expected[at] == max(expected), expected.count(max(expected)))
        alone = oracle.item_beliefs([(row, keeps[0])], shares)
        known = [oracle.item_beliefs([(row, keeps[0]), (there, keeps[1])], shares) for there in seen[1]]
        for item in np.flatnonzero(records[at]).tolist():
            held += 1
            sure[0] += alone[item]
            sure[1] += sum(chance * one[item] for chance, one in zip(expected, known, strict=True))
            sure[2] += known[at][item]
    numbers = attack_linked(first, other, baskets, np.random.default_rng(1), 100).numbers
    assert numbers["people"] == len(rows)
    assert numbers["linked_right_share"] == pytest.approx(float(linked / len(rows)))
    assert numbers["r1_by_the_first"] == pytest.approx(float(sure[0] / held))
    assert numbers["r1_by_both"] == pytest.approx(float(sure[1] / held))
    assert numbers["r1_if_both_rows_are_known"] == pytest.approx(float(sure[2] / held))


@given(st.lists(st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=20), min_size=1, max_size=3), KEEPS)
def test_one_release_believes_as_the_formula_of_one_does(shares: list[Fraction], keep: Fraction) -> None:
    """And a second one, whose bits are coins, adds nothing."""
    prior = np.array([float(share) for share in shares])
    one = Seen(np.full(len(shares), float(keep)), float(1 - keep))
    coin = Seen(np.full(len(shares), 0.5), 0.5)
    expected = [float(reconstruction_probabilities.round_trip(1, share, keep)) for share in shares]
    assert expected_ones(prior, one).tolist() == pytest.approx(expected)
    assert expected_ones(prior, one, coin).tolist() == pytest.approx(expected)
    assert (expected_ones(prior, one, one) > expected_ones(prior, one)).all()
    assert belief(prior, (one, True), (one, False)).tolist() == pytest.approx(prior.tolist())


@given(
    st.lists(st.frozensets(st.integers(0, 2), min_size=1), min_size=1, max_size=3),
    st.lists(st.frozensets(st.integers(0, 2), min_size=1), min_size=1, max_size=4),
    st.lists(st.frozensets(st.integers(0, 2), min_size=1), min_size=1, max_size=4),
)
def test_rows_that_are_known_for_made_up_are_those_of_no_choice(
    real: list[frozenset[int]], fakes: list[frozenset[int]], others: list[frozenset[int]]
) -> None:
    def release(rows: Sequence[frozenset[int]], more: int) -> Randomized:
        bits: Bits = np.array([[item in row for item in range(3)] for row in rows])
        return release_of(bits, Randomization(1, more / len(real), ((1, 1.0),)), len(real))

    first, other = release([*real, *fakes], len(fakes)), release([*real, *others], len(others))
    numbers = attack_rows(first, other).numbers
    expected = oracle.surely_made_up([*real, *fakes], [*real, *others], len(real))
    assert numbers["fake_transactions_removed_share"] == pytest.approx(expected / len(fakes))
    assert numbers["rows_left"] == len(real) + len(fakes) - expected
    assert numbers["real_of_rows_left_share"] == pytest.approx(len(real) / (len(real) + len(fakes) - expected))


@pytest.mark.parametrize(
    "made", [{"keep_prob": 0.9}, {"keep_prob": 0.9, "fakes": 2.0, "fake_length": {1: 0.5, 4: 0.5}}, {"fakes": 2.0}]
)
def test_the_mean_of_both_errs_as_little_as_it_says(made: dict[str, Any]) -> None:
    """Estimates of 40 items: the mean square of their errors is that of the stated spread, within chance."""
    releases = [randomize_and_trace(DATA, run=Run(chance=seed), **made)[0] for seed in (1, 2)]
    numbers = attack(
        releases[0],
        original=DATA,
        again=partial(randomize_and_trace, DATA, run=Run(chance=3), **made),
        other=second(releases[1], partial(randomize_and_trace, DATA, run=Run(chance=4), **made)),
    )["second release"].numbers
    for name in ("by_the_first", "by_the_other", "by_both"):
        assert 0.7 < numbers[f"error_of_a_share_{name}"] / numbers[f"standard_error_of_a_share_{name}"] < 1.3
    assert numbers["standard_error_of_a_share_by_both"] == pytest.approx(
        numbers["standard_error_of_a_share_by_the_first"] / math.sqrt(2)
    )
    assert ("r1_by_the_first_expected" in numbers) == (made.get("keep_prob", 1) < 1)


def test_the_better_of_two_estimates_counts_more() -> None:
    """Of all weighted means of two independent estimates the one that errs least, looked for among a thousand."""
    one, two = Shares(np.array([0.2, 0.4]), 0.01), Shares(np.array([0.8, 0.5]), 0.04)
    weights = [at / 1000 for at in range(1001)]
    best = min(weights, key=lambda weight: weight**2 * one.variance + (1 - weight) ** 2 * two.variance)
    both = one.with_other(two)
    assert both.estimate == pytest.approx(best * one.estimate + (1 - best) * two.estimate)
    assert both.variance == pytest.approx(best**2 * one.variance + (1 - best) ** 2 * two.variance)
    assert both.estimate == pytest.approx(two.with_other(one).estimate)


def test_estimates_and_their_spread_are_those_of_all_flips() -> None:
    """The mean over all ways to flip two bits, and the variance, by enumeration."""
    records = np.array([[True], [True], [False]])
    keep = 0.75
    mean = square = 0.0
    for flips in range(8):
        changed = np.array([[bool(flips >> at & 1)] for at in range(3)])
        chance = float(np.prod(np.where(changed, 1 - keep, keep)))
        shares = Shares.of(release_of(records ^ changed, Randomization(keep, 0), 3, names=["i00"]))
        mean += chance * shares.estimate[0]
        square += chance * shares.estimate[0] ** 2
    assert mean == pytest.approx(2 / 3)
    assert shares.variance == pytest.approx(square - mean**2)


def test_what_a_second_release_adds_is_measured() -> None:
    made = {"keep_prob": 0.95}
    releases = [randomize_and_trace(DATA, run=Run(chance=seed), **made)[0] for seed in (1, 2)]
    anew = [partial(randomize_and_trace, DATA, run=Run(chance=seed), **made) for seed in (3, 4)]
    found = attack(releases[0], original=DATA, again=anew[0], other=second(releases[1], anew[1], 300))
    assert not found.breaks_promise
    numbers = found["linked rows"].numbers
    assert numbers["people"] == 300
    assert numbers["linked_right_share"] > 100 * numbers["linked_right_by_chance_share"]
    r1 = [numbers[f"r1_{name}"] for name in ("by_the_first", "by_both", "if_both_rows_are_known")]
    assert r1[0] + 0.01 < r1[1] <= r1[2]
    wrong = [numbers[f"wrong_guesses_for_each_item_held_{name}"] for name in ("by_the_first", "by_both")]
    assert wrong[1] < 0.9 * wrong[0]
    far = 3 * math.sqrt(1 / numbers["items_held"])
    expected = found["second release"].numbers
    assert numbers["r1_by_the_first"] == pytest.approx(expected["r1_by_the_first_expected"], abs=far)
    assert numbers["r1_if_both_rows_are_known"] == pytest.approx(
        expected["r1_if_both_rows_are_known_expected"], abs=far
    )


def test_the_same_release_twice_adds_nothing() -> None:
    masked, _ = randomize_and_trace(DATA, keep_prob=0.9, run=Run(chance=1))
    found = attack(masked, other=second(masked))
    assert found["second release"].sentence == "Both releases hold exactly the same rows, so the other adds nothing."
    assert "exactly the same rows" in {entry.name: entry.why for entry in found.left_out}["linked rows"]
    faked, _ = randomize_and_trace(DATA, fakes=1, run=Run(chance=1))
    assert attack(faked, other=second(faked))["rows in both"].numbers["fake_transactions_removed_share"] == 0


def test_what_is_left_out_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    masked = [randomize_and_trace(DATA, keep_prob=0.9, run=Run(chance=seed))[0] for seed in (1, 2)]
    faked, _ = randomize_and_trace(DATA, fakes=1, run=Run(chance=1))

    def why(release: Randomized, **options: Any) -> dict[str, str]:
        return {entry.name: entry.why for entry in attack(release, **options).left_out}

    assert "--other RELEASE" in why(masked[0])["second release"]
    assert why(masked[0], other=second(masked[1]))["linked rows"] == "it needs the data (--original FILE)"
    again = partial(randomize_and_trace, DATA, keep_prob=0.9, run=Run(chance=3))
    assert (
        why(masked[0], original=DATA, again=again, other=second(masked[1]))["linked rows"] == "nobody can draw it anew"
    )
    assert "no items were flipped" in why(faked, original=DATA, other=second(masked[1], again))["linked rows"]
    monkeypatch.setattr(linked_rows, "_MOST_WORK", 0)
    assert "too much work" in why(masked[0], original=DATA, again=again, other=second(masked[1], again))["linked rows"]


def test_releases_of_other_baskets_are_refused() -> None:
    first, _ = randomize_and_trace(DATA, fakes=1, run=Run(chance=1))
    with pytest.raises(InputError, match="of 2,999 records, and the first of 3,000"):
        attack(first, other=second(randomize_and_trace(transactions_of(RECORDS[1:]), fakes=1)[0]))
    with pytest.raises(InputError, match=r"rows are in both, and 3,000 are real"):
        attack(first, other=second(randomize_and_trace(transactions_of(make_records(3_000, 6)), fakes=1)[0]))
    more, _ = randomize_and_trace(DATA, fakes=1, items=[*NAMES, "another"])
    with pytest.raises(InputError, match="only the other lists 'another'"):
        attack(first, other=second(more))
    with pytest.raises(InputError, match="the other release does not have the structure of randomized rows"):
        attack(first, other=second(replace(first, n_records=5_999)))
