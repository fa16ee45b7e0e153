"""Thresholds for other miners: with them, plain counts find just what estimates find."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.randomized.fake_thresholds import fake_thresholds
from shoal.analyse.randomized.itemsets import estimated_itemsets
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.run import Run
from tests.making.randomized_strategies import lengths_of, releases, rows_of
from tests.oracles import itemsets as plain
from tests.oracles import randomized_supports as oracle


@settings(max_examples=80, deadline=None)
@given(releases(most_items=5, flipped=False), st.one_of(st.integers(1, 6), st.sampled_from([0.05, 0.1, 0.3, 0.7])))
def test_an_off_the_shelf_count_with_the_thresholds_finds_what_estimates_find(release, min_support):
    thresholds = fake_thresholds(release, min_support)
    least = {one.size: one.rows for one in thresholds}
    rows = rows_of(release)
    frequent = plain.frequent(rows, min(least.values())) if any(rows) else {}
    reached = {items for items, count in frequent.items() if count >= least[min(len(items), max(least))]}
    # A set is found if all of its subsets are.
    found = {items for items in reached if all(items - {item} in reached or len(items) == 1 for item in items)}
    while (shrunk := {i for i in found if all(i - {item} in found or len(i) == 1 for item in i)}) != found:
        found = shrunk
    mined = estimated_itemsets(release, min_support, run=Run(engine=Threads(1)))
    assert {frozenset(map(int, items)) for items, _ in mined} == found
    for one in thresholds:
        fake = oracle.fake_share(lengths_of(release), one.size, release.n_items) if one.size <= release.n_items else 0
        wanted = min_support / release.n_records if isinstance(min_support, int) else min_support
        share = (wanted + release.n_fakes / release.n_records * float(fake)) / (1 + release.n_fakes / release.n_records)
        assert one.share == pytest.approx(share)


def test_the_list_ends_where_larger_sets_need_no_more():
    release = shoal.fakes(shoal.read([{"a", "b"}, {"b", "c"}] * 50), fakes=2, fake_length=2, run=Run(chance=1))
    found = fake_thresholds(release, 10)
    # Of three items two: 2/3 of the made-up rows hold a given one, 1/3 a given pair, none a triple.
    assert [(one.size, one.rows) for one in found] == [(1, 144), (2, 77), (3, 10)]
    assert [one.size for one in fake_thresholds(release, 10, max_length=2)] == [1, 2]
    assert [one.size for one in fake_thresholds(release, 10, max_length=5)] == [1, 2, 3, 4, 5]


def test_flipped_items_have_no_thresholds():
    release = shoal.mask(shoal.read([{"a"}, {"b"}]), keep_prob=0.9, run=Run(chance=1))
    with pytest.raises(InputError, match=r"flipped \(mask\): how often a set stands in its rows says nothing"):
        fake_thresholds(release, 0.1)
