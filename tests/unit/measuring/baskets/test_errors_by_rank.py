"""The relative error of pairs along the ranks of items: by definition, and by the metric of the first range."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.measuring.baskets import errors_by_rank as ranks
from shoal.measuring.baskets.errors_by_rank import RankError, errors_by_rank
from shoal.measuring.baskets.views import view_of
from shoal.run import Run
from tests.making.disassociated_releases import disassociated, nodes_of
from tests.making.generalized_baskets import hierarchy_of, noisy_baskets, noisy_counts
from tests.making.transaction_strategies import Published, publications, records
from tests.oracles import basket_utility, utility


@settings(max_examples=40)
@given(publications(joints=False), st.integers(2, 3))
def test_a_disassociated_release_is_off_by_what_is_expected_and_by_what_chunks_hold(
    published: Published, width: int
) -> None:
    original = Transactions.from_records(published.records)
    release = disassociated(published.nodes, published.k, published.m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "WIDTH", width)
        patch.setattr(ranks, "STARTS", (0, 1, 3))
        found = errors_by_rank(original, view_of(original, release, run=Run(chance=0)))
    rows = utility.subrecords(published.nodes)
    starts = [start for start in (0, 1, 3) if start + 2 <= original.n_items]
    assert [one.start for one in found] == starts
    for one in found:
        end = one.start + width
        assert one.items == len(utility.ranked(published.records)[one.start : end])
        wanted = utility.re(
            published.records, lambda pair: utility.expected_support(published.nodes, pair), one.start, end
        )
        assert one.told == pytest.approx(wanted)
        sure = utility.re(published.records, lambda pair: utility.support(rows, pair), one.start, end)
        assert one.certain == pytest.approx(sure)


@settings(max_examples=40)
@given(records(1, 8, "abcde"), noisy_counts())
def test_of_noisy_counts_nothing_but_what_is_told_is_certain(
    rows: list[frozenset[str]], counts: dict[frozenset[str], int]
) -> None:
    original = Transactions.from_records(rows)
    release = noisy_baskets(counts, hierarchy_of({item: (item, "*") for item in "abcdef"}))
    found = errors_by_rank(original, view_of(original, release))
    seen = basket_utility.repeated(counts)
    wanted = utility.re(rows, lambda pair: utility.support(seen, pair), 0, 20)
    if wanted is None:
        assert found == ()
    else:
        assert found == (RankError(0, original.n_items, pytest.approx(wanted), None),)


def test_the_first_range_is_that_of_the_metric_and_ranges_go_as_far_as_there_are_items() -> None:
    original = shoal.read([{str(n), str(n + 1), str(n % 7), "all"} for n in range(60)] * 2)
    release = shoal.disassociate(original, k=3, m=2)
    found = errors_by_rank(original, view_of(original, release, run=Run(chance=5)))
    assert original.n_items == 62
    assert [(one.start, one.items) for one in found] == [(0, 20), (20, 20), (50, 12)]
    metrics = shoal.measure(original, release, ranges=[(0, 20), (20, 40), (50, 70)], run=Run(chance=5), common=True)
    assert [one.told for one in found] == [metrics[f"re {a}-{b}"].value for a, b in ((0, 20), (20, 40), (50, 70))]
    rows = list(original)
    chunks = utility.subrecords(nodes_of(release))
    for one in found:
        sure = utility.re(rows, lambda pair: utility.support(chunks, pair), one.start, one.start + 20)
        assert one.certain == pytest.approx(sure)


def test_a_single_item_has_no_pair() -> None:
    original = shoal.read([{"a"}] * 4)
    release = shoal.disassociate(original, k=2, m=2)
    assert errors_by_rank(original, view_of(original, release, run=Run(chance=0))) == ()
