"""Attacks on randomized releases, against definitions by enumeration."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.attack.randomized import attack
from shoal.audit.attack.randomized.likelihood_filter import (
    KEPT,
    average_privacy,
    length_models,
    log_odds,
    real_rows,
    removed_shares,
    row_scores,
    worst_case_privacy,
)
from shoal.audit.attack.randomized.single_items import Beliefs, count_pairs
from shoal.audit.randomized.original_baskets import match_baskets
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.publish.randomization import randomize_and_trace
from shoal.run import Run
from tests.making.randomized_from_bits import NAMES, Bits, Chance, make_records, release_of, transactions_of
from tests.oracles import randomization as oracle

LENGTHS = ((1, 0.5), (2, 0.25), (4, 0.25))
ALL_ROWS = np.array([[item in row for item in range(5)] for row in oracle.subsets(5)])
records = st.lists(st.frozensets(st.integers(0, 4), min_size=1), min_size=1, max_size=6)


def bits_of(rows: list[frozenset[int]], n_items: int = 5) -> Bits:
    return np.array([[item in row for item in range(n_items)] for row in rows])


@given(records, st.sampled_from([Fraction(1), Fraction(3, 4), Fraction(19, 20)]), st.sampled_from([None, 2]))
def test_scores_are_ratios_of_likelihoods(rows: list[frozenset[int]], keep: Fraction, most: int | None) -> None:
    """Of every set of items: as a real row, its length and then items by frequency; as a made-up row, by definition."""
    bits = bits_of(rows)
    most = None if keep == 1 else most
    privacy = None if most is None else DifferentialPrivacy(1e3, most)
    promise = Randomization(float(keep), 1, LENGTHS)
    release = release_of(ALL_ROWS, promise, 16, privacy=privacy, in_order=False)
    baskets = match_baskets(release, transactions_of(bits[:, bits.any(axis=0)], used_names(bits)))
    n = len(rows)
    real = oracle.mixture((Fraction(1, n), oracle.cut(row, most or 5)) for row in rows)
    real = oracle.then_flipped(real, 5, keep)
    frequencies = [sum((p for row, p in real.items() if item in row), Fraction(0)) for item in range(5)]
    model = oracle.independent_given_length(
        [min(share, 1 - Fraction(1, 2 * n)) for share in frequencies], oracle.lengths(real, 5)
    )
    fake = oracle.then_flipped(oracle.made_up({k: Fraction(v) for k, v in LENGTHS}, 5), 5, keep)
    scores = row_scores(release, log_odds(release, baskets), *length_models(release, baskets))
    for row, score in zip(oracle.subsets(5), scores.tolist(), strict=True):
        as_real, as_fake = float(model[row]), float(fake.get(row, 0))
        if as_real == 0:
            assert score == -math.inf
        elif as_fake == 0:
            assert score == math.inf
        else:
            assert score == pytest.approx(math.log(as_real / as_fake), abs=1e-9)


def used_names(bits: Bits) -> list[str]:
    return [name for name, used in zip(NAMES, bits.any(axis=0), strict=False) if used]


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=12), st.integers(1, 20))
def test_removed_shares(scored: list[tuple[int, bool]], twentieths: int) -> None:
    if len({real for _, real in scored}) < 2:
        return
    scores = np.array([float(score) for score, _ in scored])
    real = np.array([float(real) for _, real in scored])
    exact = oracle.removed([(float(score), real) for score, real in scored], Fraction(twentieths, 20))
    assert removed_shares(scores, real, [twentieths / 20]) == pytest.approx([float(exact)])


@pytest.mark.parametrize(
    ("fakes", "gamma", "cell"), [(1, 0.0, 0.6929), (2, 0.7, 0.5882), (5, 0.3, 0.8795), (10, 0.6, 0.8925)]
)
def test_average_privacy_is_that_of_the_paper(fakes: int, gamma: float, cell: float) -> None:
    """Cells of tables 2 and 3."""
    assert round(average_privacy((1 - gamma) * fakes), 4) == cell


@given(st.integers(0, 50), st.integers(1, 30))
def test_privacy_by_the_definition(tenths: int, people: int) -> None:
    fakes = Fraction(tenths, 10)
    assert average_privacy(float(fakes), people) == pytest.approx(float(oracle.average_privacy(fakes, people)))
    assert worst_case_privacy(float(fakes)) == pytest.approx(float(1 - 1 / (1 + fakes)))


def test_of_equal_rows_as_many_are_real_as_the_original_has() -> None:
    bits = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [1, 1]], bool)
    release = release_of(bits, Randomization(1, 1.5, ((1, 1.0),)), 2, names=["a", "b"])
    baskets = match_baskets(release, Transactions.from_records([["a"], ["b"]]))
    real = real_rows(release, baskets)
    assert real is not None
    # Rows stand in order: a, a, a, ab, b.
    assert real == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 1])
    assert real_rows(release, match_baskets(release, Transactions.from_records([["b"], ["b"]]))) is None


@given(records, st.integers(0, 3), st.integers(0, 2**32))
def test_pairs_of_records_and_rows(rows: list[frozenset[int]], n_fakes: int, seed: int) -> None:
    bits = bits_of(rows)
    by = np.random.default_rng(seed)
    flipped = bits ^ (by.random(bits.shape) < 0.3)
    order = by.permutation(len(rows) + n_fakes)
    release = release_of(
        np.vstack([flipped, by.random((n_fakes, 5)) < 0.5])[order], Randomization(0.7, 0), len(rows), in_order=False
    )
    sources = np.append(np.arange(len(rows)), np.full(n_fakes, -1))[order]
    baskets = match_baskets(release, transactions_of(bits[:, bits.any(axis=0)], used_names(bits)))
    found = count_pairs(baskets, release, sources)
    assert found.both.tolist() == (bits & flipped).sum(axis=0).tolist()
    assert found.lost.tolist() == (bits & ~flipped).sum(axis=0).tolist()
    assert found.gained.tolist() == (~bits & flipped).sum(axis=0).tolist()
    assert found.neither.tolist() == (~bits & ~flipped).sum(axis=0).tolist()


@pytest.mark.parametrize(("support", "keep"), [(0.01, 0.95), (0.3, 0.9), (0.5, 0.51)])
def test_beliefs_are_the_formulas_of_the_paper(support: float, keep: float) -> None:
    """R1 and R0 of section 3, written out."""
    s, p = support, keep
    r1 = s * p**2 / (s * p + (1 - s) * (1 - p)) + s * (1 - p) ** 2 / (s * (1 - p) + (1 - s) * p)
    r0 = (1 - s) * p**2 / ((1 - s) * p + s * (1 - p)) + (1 - s) * (1 - p) ** 2 / (s * p + (1 - s) * (1 - p))
    beliefs = Beliefs.of(np.array([s]), np.array([p]), 1 - p)
    assert beliefs.ones[0] == pytest.approx(r1)
    assert beliefs.zeros[0] == pytest.approx(r0)


# Whole attacks


def test_made_up_rows_like_real_ones_are_not_found_and_others_are() -> None:
    """Records that are themselves sets drawn evenly: a filter is as good as chance, within .02 (1e-9 by Hoeffding)."""
    lengths = ((1, 0.5), (3, 0.5))
    bits = Chance(np.random.default_rng(1)).make_up(30_000, lengths, 8)
    data = transactions_of(bits)
    promise = Randomization(1, 1, lengths)
    like = np.vstack([bits, Chance(np.random.default_rng(2)).make_up(30_000, lengths, 8)])
    found = attack(release_of(like, promise, 30_000), original=data)["likelihood filter"].numbers["with_filter"]
    for entry, kept in zip(found, KEPT, strict=True):
        assert entry["fake_transactions_removed_share"] == pytest.approx(1 - kept, abs=0.02)
        assert entry["real_of_rows_left_share"] == pytest.approx(0.5, abs=0.02)
    # Made-up rows that all have five items, as no record has, are all found.
    unlike = np.vstack([bits, Chance(np.random.default_rng(2)).make_up(30_000, ((5, 1.0),), 8)])
    release = release_of(unlike, Randomization(1, 1, ((5, 1.0),)), 30_000)
    finding = attack(release, original=data)["likelihood filter"]
    for entry in finding.numbers["with_filter"]:
        assert entry["fake_transactions_removed_share"] == 1
        assert entry["average_privacy"] == 0 == entry["worst_case_privacy"]
    assert not finding.breaks_promise
    assert "100.0% of the fake transactions" in finding.sentence
    assert str(finding.residual).startswith("100.0 % of the fake transactions are sorted out by an adversary who knows")
    assert finding.numbers["worst_case_privacy_without_filter"] == 0.5


def test_items_of_no_record_give_made_up_rows_away() -> None:
    data = Transactions.from_records([["a", "b"]] * 10)
    names = ["a", "b", "c", "d"]
    bits = np.array([[1, 1, 0, 0]] * 10 + [[0, 0, 1, 1]] * 9 + [[1, 1, 0, 0]], bool)
    release = release_of(bits, Randomization(1, 1, ((2, 1.0),)), 10, names=names)
    found = attack(release, original=data)["likelihood filter"].numbers["with_filter"]
    # The tenth cannot be told from real rows, and is kept as often as they are.
    assert [entry["fake_transactions_removed_share"] for entry in found] == pytest.approx(
        [1 - kept / 10 for kept in KEPT]
    )


RECORDS = make_records(3_000, 5)
DATA = transactions_of(RECORDS)


@pytest.mark.parametrize("options", [{}, {"max_basket": 3}], ids=["whole", "cut"])
def test_measured_beliefs_are_those_expected(options: dict[str, int]) -> None:
    """Means of independent numbers from 0 to 1, apart by as much less than once in ten million times (Hoeffding)."""
    made = {"keep_prob": 0.9, "fakes": 2.0, "fake_length": {1: 0.5, 4: 0.5}, **options}
    release, _ = randomize_and_trace(DATA, run=Run(chance=1), **made)
    found = attack(release, original=DATA, again=lambda: randomize_and_trace(DATA, run=Run(chance=2), **made))
    assert not found.breaks_promise
    assert [entry.name for entry in found.left_out] == ["second release"]
    numbers = found["single items"].numbers
    ones = len(DATA.items)
    far = math.sqrt(math.log(2e7) / (2 * ones))
    assert numbers["r1_measured"] == pytest.approx(numbers["r1_expected"], abs=far)
    assert numbers["r0_measured"] == pytest.approx(numbers["r0_expected"], abs=far)
    # Not by accident: the formula of the mean support, which knows nothing of cuts, says something else.
    assert abs(numbers["r1_measured"] - numbers["r1_at_mean_support"]) > far
    assert numbers["surest_item"] == "i00"
    filtered = found["likelihood filter"]
    assert filtered.sentence.startswith("Measured on a newly randomized release of the same kind")
    removed = [entry["fake_transactions_removed_share"] for entry in filtered.numbers["with_filter"]]
    assert removed == sorted(removed)
    assert removed[2] > 0.15  # a filter that knew nothing would remove a tenth


def test_the_best_guess_is_counted() -> None:
    """One frequent item, which is guessed where it is shown, and one so rare that nobody guesses it."""
    bits = np.zeros((1_000, 2), bool)
    bits[:700, 0] = True
    bits[700:, 1] = True
    bits[:5, 1] = True
    data = transactions_of(bits)
    made = {"keep_prob": 0.9, "run": Run(chance=3)}
    release, sources = randomize_and_trace(data, **made)
    numbers = attack(release, original=data, again=lambda: (release, sources))["single items"].numbers
    pairs = count_pairs(match_baskets(release, data), release, sources)
    # Both items are guessed where they are shown: priors .7 and .305, nine to one for what is shown.
    assert numbers["held_and_guessed_share"] == pytest.approx(int(pairs.both.sum()) / 1_005)
    assert numbers["not_held_and_guessed_share"] == pytest.approx(int(pairs.neither.sum()) / 995)
    assert numbers["chance_that_it_is_held_where_shown"] == pytest.approx(0.63 / (0.63 + 0.03))


def test_what_is_left_out_and_why() -> None:
    masked, _ = randomize_and_trace(DATA, keep_prob=0.9, run=Run(chance=1))
    faked, _ = randomize_and_trace(DATA, fakes=1, run=Run(chance=1))
    why = {entry.name: entry.why for entry in attack(masked).left_out}
    assert why == {
        "likelihood filter": "there are no fake transactions",
        "single items": "it needs the data (--original FILE)",
        "second release": "it needs another release of the same people (--other RELEASE)",
    }
    assert attack(masked, original=DATA).left_out[1].why == "it needs a newly randomized release"
    why = {entry.name: entry.why for entry in attack(faked).left_out}
    assert why["likelihood filter"] == "it needs the data (--original FILE)"
    assert "as they are" in why["single items"]


def test_another_original_is_refused() -> None:
    faked, _ = randomize_and_trace(DATA, fakes=1, run=Run(chance=1))
    for other in (transactions_of(make_records(3_000, 6)), transactions_of(RECORDS[1:])):
        with pytest.raises(InputError, match="not made from this original"):
            attack(faked, original=other)
    broken = release_of(RECORDS, Randomization(1, 1, ((1, 1.0),)), len(RECORDS))
    with pytest.raises(InputError, match="3,000 rows"):
        attack(broken, original=DATA)
