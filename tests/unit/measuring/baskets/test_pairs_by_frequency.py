"""Pairs kept by how frequent they are: every pair once, and together what the metric says."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.pairs_by_frequency import PairsOfFrequency, pairs_by_frequency
from shoal.measuring.baskets.pairs_kept import pairs_told
from shoal.measuring.baskets.views import view_of
from shoal.release import BasketRelease
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.generalized_baskets import Recoded, hierarchy_of, noisy_baskets, noisy_counts, recoded
from tests.making.randomized_strategies import randomized
from tests.making.transaction_strategies import Published, publications, records
from tests.oracles import basket_utility, item_supports, utility

FEW = settings(max_examples=40)
PATHS = {item: (item, "*") for item in "abcdef"}


def found_in(
    original: Transactions, release: BasketRelease, hierarchy: Hierarchy | None = None
) -> tuple[PairsOfFrequency, ...]:
    view = view_of(original, release, hierarchy=hierarchy, run=Run(chance=0))
    return pairs_by_frequency(view, pairs_told(original, view))


def check(found: tuple[PairsOfFrequency, ...], rows: list[frozenset[str]], told: Any) -> None:
    """Every pair is in exactly one class, and each class keeps what the definition of pairs kept says of its pairs."""
    wanted = item_supports.pair_classes(rows)
    assert [one.least for one in found] == list(wanted)
    for one, counts in zip(found, wanted.values(), strict=True):
        assert (one.pairs, one.occurrences) == (len(counts), sum(counts.values()))
        assert one.least <= min(counts.values()) <= max(counts.values()) <= one.most
        kept = sum(min(count, max(0, told(pair))) for pair, count in counts.items())
        assert one.kept == pytest.approx(float(kept / sum(counts.values())))
    for one, other in pairwise(found):
        assert one.most < other.least


@FEW
@given(publications(joints=False), st.integers(1, 8))
def test_a_disassociated_release_keeps_what_is_expected_and_what_chunks_hold(published: Published, times: int) -> None:
    rows, nodes = published.records * times, published.nodes * times
    release = disassociated(nodes, published.k, published.m)
    original = Transactions.from_records(rows)
    found = found_in(original, release)
    check(found, rows, lambda pair: utility.expected_support(nodes, pair))
    for one, counts in zip(found, item_supports.pair_classes(rows).values(), strict=True):
        assert one.certain == pytest.approx(item_supports.sure(nodes, counts) / sum(counts.values()))
    pooled = shoal.measure(original, release, run=Run(chance=0), common=True)["pairs kept"].value
    total = sum(one.occurrences for one in found)
    if total:
        assert sum(one.kept * one.occurrences for one in found) / total == pytest.approx(pooled)
    else:
        assert pooled is None


@FEW
@given(records(1, 8, "abcde"), noisy_counts())
def test_of_noisy_counts_nothing_but_what_is_told_is_certain(
    rows: list[frozenset[str]], counts: dict[frozenset[str], int]
) -> None:
    found = found_in(Transactions.from_records(rows), noisy_baskets(counts, hierarchy_of(PATHS)))
    seen = basket_utility.repeated(counts)
    check(found, rows, lambda pair: utility.support(seen, pair))
    assert all(one.certain is None for one in found)


@FEW
@given(recoded())
def test_generalized_baskets_keep_what_even_division_says(case: Recoded) -> None:
    found = found_in(Transactions.from_records(case.records), case.release(whole=True))
    check(found, case.records, basket_utility.pair_support(case.rows))
    assert all(one.certain is None for one in found)


def test_fake_transactions_with_all_items_leave_every_pair_what_it_was() -> None:
    rows = [frozenset([0, 1])] * 12 + [frozenset([1, 2])]
    original = Transactions.from_records([{str(item) for item in row} for row in rows])
    release = randomized([*rows, frozenset(range(3))], 3, n_fakes=1, lengths=((3, 1.0),))
    found = [(one.least, one.most, one.pairs, one.occurrences, one.certain) for one in found_in(original, release)]
    assert found == [(1, 1, 1, 1, None), (10, 12, 1, 12, None)]
    assert [one.kept for one in found_in(original, release)] == pytest.approx([1, 1])


def test_records_of_one_item_have_no_pair() -> None:
    original = shoal.read([{"a"}, {"b"}] * 3)
    assert found_in(original, shoal.disassociate(original, k=2, m=2)) == ()


def test_what_a_release_has_too_much_makes_up_for_nothing() -> None:
    rows = [frozenset("ab")] * 2 + [frozenset("cd")] * 2 + [frozenset("a"), frozenset("c")]
    told = noisy_baskets({frozenset("ab"): 90}, hierarchy_of(PATHS))
    (one,) = found_in(Transactions.from_records(rows), told)
    assert (one.least, one.most, one.pairs, one.occurrences, one.kept) == (2, 2, 2, 4, 0.5)
