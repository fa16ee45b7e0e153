"""Itemsets mined from randomized rows: those of the definition, whatever the estimator; and what was left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.randomized.estimates import Chance
from shoal.analyse.randomized.itemsets import estimated_itemsets
from shoal.analyse.randomized.supports import estimated_supports
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.mining.itemsets import frequent_itemsets
from shoal.mining.rules import association_rules
from shoal.promises import Randomization
from shoal.run import Run
from tests.making import randomized_releases
from tests.making.randomized_strategies import all_itemsets, randomized, releases, rows_of
from tests.oracles import randomized_supports as oracle

THRESHOLDS = st.one_of(st.integers(1, 6), st.sampled_from([0.05, 0.2, 0.5, 1.0]))


def supports_of(release):
    itemsets = all_itemsets(release.n_items)
    found = estimated_supports(
        release, [[str(item) for item in items] for items in itemsets], run=Run(engine=Threads(1))
    )
    pairs = zip(found.estimate.tolist(), found.high.tolist(), strict=True)
    return {frozenset(items): pair for items, pair in zip(itemsets, pairs, strict=True)}


def as_dict(found):
    return {frozenset(map(int, items)): share for items, share in found}


def test_a_share_is_reached_between_two_records():
    """A quarter of ten records is no number of them, but an estimate can be just that: 5 rows, less 10/4 made-up."""
    rows = ["a"] * 5 + ["b"] * 4 + ["c"] * 5 + ["d"] * 6
    release = randomized_releases.randomized(rows, "abcd", Randomization(1, 1, ((1, 1.0),)), n_records=10)
    assert {tuple(items) for items, _ in estimated_itemsets(release, 0.25)} == {("a",), ("c",), ("d",)}
    assert {tuple(items) for items, _ in estimated_itemsets(release, 3)} == {("d",)}


@settings(max_examples=80, deadline=None)
@given(releases(most_items=5), THRESHOLDS, st.sampled_from(["estimate", "upper"]))
def test_what_is_found_is_what_the_definition_says(release, min_support, grow_from):
    found = estimated_itemsets(release, min_support, grow_from=grow_from, run=Run(engine=Threads(1)))
    wanted = min_support / release.n_records if isinstance(min_support, int) else min_support
    expected = oracle.mined(supports_of(release), wanted - 1e-12, upper=grow_from == "upper")
    assert as_dict(found) == pytest.approx(expected)
    ranks = [(-round(share, 9), len(items)) for items, share in found]
    assert ranks == sorted(ranks)
    assert not found.unexplored
    assert [level.reported for level in found.levels] == [
        sum(len(items) == level.size for items in expected) for level in found.levels
    ]


@settings(max_examples=60, deadline=None)
@given(releases(most_items=5), THRESHOLDS)
def test_the_matrix_says_the_same(release, min_support):
    plain = estimated_itemsets(release, min_support, run=Run(engine=Threads(1)))
    matrix = estimated_itemsets(release, min_support, estimator="matrix", run=Run(engine=Threads(1)))
    _require_equal(plain, matrix)


@settings(max_examples=60, deadline=None)
@given(releases(most_items=5))
def test_a_constant_number_of_counts_says_the_same_where_it_counts_all_and_else_is_off_by_no_more_than_it_says(release):
    # min_support is one record in very many: everything whose estimates are positive grows.
    few = estimated_itemsets(release, 1, grow_from="upper", estimator="constant", counts=2, run=Run(engine=Threads(1)))
    for items, share in few:
        exact = release.support(items)
        one = few.estimates[list(dict(few)).index(items)]
        if len(items) < 2 or release.promise.keep_prob == 1:
            assert share == pytest.approx(exact.estimate, abs=1e-9)
            assert one.error == pytest.approx(exact.error, abs=1e-9)
        else:
            size, chance = len(items), Chance.of(release)
            codes = frozenset(map(int, items))
            rest = sum(len(row & codes) < size - 1 for row in rows_of(release))
            bound = rest * chance.there ** (size - 2) * chance.missing**2 / release.n_records
            assert abs(share - exact.estimate) <= bound + 1e-9
            assert one.error >= exact.error - 1e-9
            assert one.low <= exact.low + 1e-9
            assert exact.high <= one.high + 1e-9
            assert one.high - one.low == pytest.approx(2 * (1.959964 * one.error + bound), abs=1e-9)
    all_of_them = estimated_itemsets(
        release, 1, estimator="constant", counts=release.n_items + 1, run=Run(engine=Threads(1))
    )
    _require_equal(estimated_itemsets(release, 1, run=Run(engine=Threads(1))), all_of_them)


def _require_equal(one, other):
    assert one.items.tolist() == other.items.tolist()
    assert one.offsets.tolist() == other.offsets.tolist()
    for name in ("estimate", "error", "low", "high"):
        assert getattr(one.estimates, name) == pytest.approx(getattr(other.estimates, name), abs=1e-9)
    for a, b in zip(one.levels, other.levels, strict=True):
        assert (a.size, a.candidates, a.kept, a.rows.tolist()) == (b.size, b.candidates, b.kept, b.rows.tolist())


def test_the_result_does_not_depend_on_threads_stretches_or_batches(monkeypatch):
    data = shoal.quest(300, n_items=30, seed=3)
    release = shoal.hybrid(data, keep_prob=0.95, fakes=1, fake_length=(1, 9), run=Run(chance=1))
    plain = estimated_itemsets(release, 0.05, run=Run(engine=Threads(1)))
    assert max(plain.sizes) >= 3
    _require_equal(plain, estimated_itemsets(release, 0.05, run=Run(engine=Threads(3))))
    monkeypatch.setattr("shoal.mining.occurrences._WORDS", 2)
    monkeypatch.setattr("shoal.mining.occurrences._KEPT", 0)
    monkeypatch.setattr("shoal.analyse.candidates._JOINS", 3)
    _require_equal(plain, estimated_itemsets(release, 0.05, run=Run(engine=Threads(2))))


def test_on_average_over_seeds_frequent_sets_are_found():
    data = shoal.quest(400, n_items=25, seed=2)
    truth = {items for items, _ in frequent_itemsets(data, 0.1)}
    found = {items for items, _ in estimated_itemsets(shoal.mask(data, keep_prob=0.999, run=Run(chance=1)), 0.1)}
    assert len(truth ^ found) < len(truth) / 10


def crowded():
    """Six items that are in all rows but few: every set of them is frequent."""
    rows = [frozenset(range(6))] * 30 + [frozenset({item}) for item in range(6)]
    return randomized(rows, 6, keep=0.99)


def test_a_limit_on_candidates_takes_the_likeliest_and_says_what_it_left_out():
    release = randomized(
        [frozenset({0, 1, 2, 3, 4})] * 20 + [frozenset({0, 1, 2, 3})] * 5 + [frozenset({0, 1, 2})] * 5, 5, keep=0.99
    )
    found = estimated_itemsets(release, 2, max_candidates=4)
    # Of ten pairs, four: those whose rarer item is the most frequent. 4 is the rarest item, then 3.
    pairs = {tuple(sorted(items)) for items, _ in found if len(items) == 2}
    assert pairs == {("0", "1"), ("0", "2"), ("1", "2"), ("0", "3")}
    assert found.unexplored[0].startswith("6 of 10 candidates of 2 items: --max-candidates is 4, and those were taken")
    assert (found.levels[1].candidates, found.levels[1].left_out) == (4, 6)
    assert len(found.unexplored) == 1
    assert not estimated_itemsets(release, 2, max_candidates=10).unexplored


def test_a_limit_on_joins_takes_the_worthiest_sets_and_says_so(monkeypatch):
    monkeypatch.setattr("shoal.analyse.randomized.itemsets._MOST_JOINS", 4)
    found = estimated_itemsets(crowded(), 2)
    assert "contain one of the 3 least frequent of 6 sets of 1" in found.unexplored[0]
    assert found.levels[1].candidates == 3
    assert found.levels[2].candidates == 1


def test_a_limit_on_length_is_said_where_it_leaves_something_out():
    found = estimated_itemsets(crowded(), 2, max_length=2)
    assert max(found.sizes) == 2
    assert found.unexplored == ("sets of more than 2 items, which 15 sets of 2 might be part of: --max-length is 2",)
    assert not estimated_itemsets(crowded(), 2, max_length=6).unexplored


def test_more_items_than_flips_can_be_undone_for_are_said(monkeypatch):
    monkeypatch.setattr("shoal.analyse.randomized.itemsets.MOST_ITEMS", 3)
    found = estimated_itemsets(crowded(), 2)
    assert max(found.sizes) == 3
    assert "so many flips are not undone together" in found.unexplored[0]


def test_warnings_come_where_chance_is_as_large_as_the_threshold():
    data = shoal.quest(500, n_items=20, seed=1)
    assert not estimated_itemsets(shoal.mask(data, keep_prob=0.999, run=Run(chance=1)), 0.1).warnings
    some = estimated_itemsets(shoal.mask(data, keep_prob=0.9, run=Run(chance=1)), 0.03, max_length=1)
    assert 0.015 < some.levels[0].median_error < 0.03
    assert "single items: the standard error is 0.01" in some.warnings[0]
    assert "many of the" in some.warnings[0]
    noisy = estimated_itemsets(shoal.mask(data, keep_prob=0.6, run=Run(chance=1)), 0.03, max_length=2)
    assert any("sets of 2 items" in text and "nearly nothing" in text for text in noisy.warnings)


def test_growing_from_upper_limits_finds_no_less():
    data = shoal.quest(400, n_items=15, seed=5)
    release = shoal.mask(data, keep_prob=0.9, run=Run(chance=2))
    plain, more = (as_dict_of_names(estimated_itemsets(release, 0.05, grow_from=how)) for how in ("estimate", "upper"))
    assert plain.items() < more.items()


def as_dict_of_names(found):
    return dict(found)


def test_top_is_the_beginning():
    release = crowded()
    found = estimated_itemsets(release, 2)
    best = estimated_itemsets(release, 2, top=5)
    assert list(best) == list(found)[:5]
    assert best.to_arrow().column_names == ["items", "size", "support", "error", "low", "high"]
    assert best.to_arrow().to_pylist() == found.to_arrow().to_pylist()[:5]


def test_nothing_frequent_is_an_empty_result():
    release = randomized([frozenset()] * 5, 3, keep=0.9)
    found = estimated_itemsets(release, 5)
    assert len(found) == 0
    assert list(found) == []
    assert found.to_arrow().num_rows == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_support": 0}, "min_support is 0"),
        ({"grow_from": "hope"}, "grow_from is 'hope': it must be one of estimate, upper"),
        ({"estimator": "guess"}, "estimator is 'guess': it must be one of counts, matrix, constant"),
        ({"max_candidates": 0}, "max_candidates is 0"),
        ({"counts": 0}, "counts is 0"),
        ({"max_length": 1.5}, "max_length is 1.5"),
    ],
)
def test_a_mistake_is_named(options, message):
    with pytest.raises(InputError, match=message):
        estimated_itemsets(crowded(), **options)


def test_the_matrix_is_refused_where_it_gets_too_large(monkeypatch):
    monkeypatch.setattr("shoal.analyse.randomized.estimators.MATRIX_ITEMS", 3)
    with pytest.raises(InputError, match=r"the matrix of all patterns of 4 items has 256 cells: set max_length=3"):
        estimated_itemsets(crowded(), 2, estimator="matrix")
    assert max(estimated_itemsets(crowded(), 2, estimator="matrix", max_length=3).sizes) == 3


def test_a_release_without_a_real_row_is_refused():
    release = randomized([frozenset({0})] * 2, 1, keep=0.9)
    object.__setattr__(release, "n_records", 0)
    with pytest.raises(InputError, match="no row that is real"):
        release.support(["0"])


def test_counts_are_shares_times_records():
    found = estimated_itemsets(crowded(), 2)
    assert np.array_equal(found.counts, found.estimates.estimate * 36)
    assert association_rules(found, 0.9).to_arrow().num_rows
