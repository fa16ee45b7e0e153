"""What the audit of chance computes, against chances by enumeration."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.equal_rows import kinds_of_rows
from shoal.audit.randomized.flip_rate import _bound, _Moments
from shoal.audit.randomized.original_baskets import match_baskets
from shoal.audit.randomized.published_rows import item_chance, length_chances
from shoal.audit.tail_bounds import too_few, too_many
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.release.randomized import Randomized
from tests.making.randomized_from_bits import NAMES, release_of, transactions_of
from tests.oracles import randomization as oracle

fractions = st.integers(0, 20).map(lambda number: Fraction(number, 20))
keeps = st.sampled_from([Fraction(11, 20), Fraction(3, 4), Fraction(9, 10), Fraction(99, 100)])


@given(st.lists(fractions, min_size=1, max_size=12), st.integers(-1, 13))
def test_tails_of_unlike_trials_are_bounded(chances: list[Fraction], count: int) -> None:
    n, mean = len(chances), float(sum(chances)) / len(chances)
    exact = float(oracle.at_least(chances, count))
    assert too_many(count, n, mean) >= exact * (1 - 1e-9)
    exact_few = 1 - float(oracle.at_least(chances, count + 1))
    assert too_few(count, n, mean) >= exact_few * (1 - 1e-9) - 1e-15


@given(st.integers(1, 60), st.integers(1, 19), st.data())
def test_tails_of_like_trials_are_not_bounded_idly(n: int, twentieths: int, data: st.DataObject) -> None:
    """R. Ash, 1965, lemma 4.7.2: the bound exceeds the chance by a factor of at most sqrt(8 x (n - x) / n)."""
    count = data.draw(st.integers(1, max(n - 1, 1)))
    exact = oracle.at_least([Fraction(twentieths, 20)] * n, count)
    if 1 <= count <= n - 1 and count > n * twentieths / 20:
        assert too_many(count, n, twentieths / 20) <= float(exact) * math.sqrt(8 * count * (n - count) / n) * (1 + 1e-9)
    # Below the mean, of course, nothing is unlikely.
    if count <= n * twentieths / 20:
        assert too_many(count, n, twentieths / 20) == 1


def test_impossible_counts_have_no_chance() -> None:
    assert too_many([1, 0, 11, 3], 10, [0, 0, 1, 1]).tolist() == [0, 1, 0, 1]
    assert too_few([9, 10, -1, 0], 10, [1, 1, 0, 0]).tolist() == [0, 1, 0, 1]
    assert too_many([0, 1], 0, 0.5).tolist() == [1, 0]


@st.composite
def promises(draw: st.DrawFn) -> tuple[int, Fraction, dict[int, Fraction]]:
    n = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(1, n), min_size=1, unique=True))
    weights = [draw(st.integers(1, 5)) for _ in lengths]
    shares = {length: Fraction(w, sum(weights)) for length, w in sorted(zip(lengths, weights, strict=True))}
    return n, draw(keeps), shares


def promise_of(keep: Fraction, shares: dict[int, Fraction], fakes: float = 1) -> Randomization:
    return Randomization(float(keep), fakes, tuple((length, float(share)) for length, share in shares.items()))


@given(promises())
def test_lengths_and_items_of_made_up_rows(made: tuple[int, Fraction, dict[int, Fraction]]) -> None:
    n, keep, shares = made
    rows = oracle.then_flipped(oracle.made_up(shares, n), n, keep)
    found = length_chances({length: float(share) for length, share in shares.items()}, n, float(keep))
    assert found == pytest.approx([float(p) for p in oracle.lengths(rows, n)], rel=1e-12)
    exact = sum((p for row, p in rows.items() if 0 in row), Fraction(0))
    assert item_chance(promise_of(keep, shares), n) == pytest.approx(float(exact))


def test_chances_of_lengths_of_many_items_are_right_far_out() -> None:
    found = length_chances({3: 1.0}, 5_000, 0.95)
    assert found.sum() == pytest.approx(1)
    mean = 3 * 0.95 + 4_997 * 0.05
    assert found @ np.arange(5_001) == pytest.approx(mean)
    assert found[0] == pytest.approx(0.95**4_997 * 0.05**3)
    assert found[5_000] == 0
    few = length_chances({1: 1.0}, 400, 0.95)
    assert few[0] == pytest.approx(0.05 * 0.95**399)
    assert few[100] == pytest.approx(
        math.comb(399, 99) * 0.05**99 * 0.95**300 * 0.95 + math.comb(399, 100) * 0.05**100 * 0.95**299 * 0.05
    )


@settings(max_examples=40, deadline=None)
@given(promises(), st.integers(1, 3), st.integers(0, 2), st.integers(1, 3), st.data())
def test_weighted_sums_of_published_items_are_bounded(
    made: tuple[int, Fraction, dict[int, Fraction]], n_real: int, n_fakes: int, most: int, data: st.DataObject
) -> None:
    """Real rows, cut or not, and made-up ones: the chance of a sum, by enumeration, is at most its bound."""
    n, keep, shares = made
    row = st.frozensets(st.integers(0, n - 1), min_size=1)
    real = data.draw(st.lists(row, min_size=n_real, max_size=n_real))
    level = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    parts = [oracle.then_flipped(oracle.cut(held, most), n, keep) for held in real]
    parts += [oracle.then_flipped(oracle.made_up(shares, n), n, keep)] * n_fakes
    promise = promise_of(keep, shares, n_fakes / n_real) if n_fakes else Randomization(float(keep), 0)
    bits = np.array([[item in held for item in range(n)] for held in real])
    release = release_of(np.vstack([bits, np.zeros((n_fakes, n), bool)]), promise, n_real, in_order=False)
    weights = np.unique(level) / 2
    expected = np.zeros(n)
    for held in real:
        expected[list(held)] += min(1, most / len(held))
    moments = _Moments.of(release, bits.sum(axis=0), expected, np.unique(level, return_inverse=True)[1], weights)
    heaviest = int(level.sum()) * (n_real + n_fakes)
    for total in range(heaviest + 1):
        exact = float(oracle.sum_at_least(parts, level.tolist(), total))
        assert _bound(moments, total / 2, 1) >= exact * (1 - 1e-9)
        fewer = 1 - float(oracle.sum_at_least(parts, level.tolist(), total + 1))
        assert _bound(moments, total / 2, -1) >= fewer * (1 - 1e-9) - 1e-15
    # Not idly: what cannot be is said to be next to impossible.
    assert _bound(moments, heaviest / 2 + 1, 1) < 1e-6


@given(st.lists(st.frozensets(st.integers(0, 3)), min_size=1, max_size=12))
def test_kinds_of_rows(rows: list[frozenset[int]]) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    items = np.array([item for row in rows for item in sorted(row)], np.int32)
    kinds = kinds_of_rows(offsets, items, 4)
    assert sorted(set(kinds.tolist())) == list(range(len(set(rows))))
    assert all((kinds[i] == kinds[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(len(rows)))


def test_supports_of_cut_records() -> None:
    bits = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0]], bool)
    privacy = DifferentialPrivacy(100, 3)
    release: Randomized = release_of(bits, Randomization(0.9, 0), 3, privacy=privacy, names=NAMES[:4])
    baskets = match_baskets(release, transactions_of(bits))
    assert baskets.expected_supports(4).tolist() == [1.75, 1.75, 1.75, 0.75]
    assert baskets.lengths.tolist() == [3, 1, 2]
    assert baskets.supports(4).tolist() == [2, 2, 2, 1]
