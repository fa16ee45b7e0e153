"""In how many records items are, as releases of baskets of every shape tell it: against brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.node_rows.supports import noisy_count
from shoal.analyse.randomized.estimates import NORMAL_95
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.measuring.baskets.item_supports import ItemSupports, published_supports, supports_beside
from shoal.release.randomized import Randomized
from tests.making.disassociated_releases import disassociated
from tests.making.generalized_baskets import (
    Recoded,
    generalized_baskets,
    hierarchy_of,
    noisy_baskets,
    noisy_counts,
    recoded,
)
from tests.making.randomized_strategies import keep_of, lengths_of, randomized, releases, rows_of
from tests.making.transaction_strategies import Published, publications, records
from tests.oracles import basket_utility, item_supports, randomized_supports

FEW = settings(max_examples=40)
PATHS = {item: (item, "x" if item in "abc" else "y", "*") for item in "abcdef"}


def ranges(told: ItemSupports) -> dict[str, tuple[float, float, float]]:
    numbers = zip(told.low.tolist(), told.told.tolist(), told.high.tolist(), strict=True)
    return dict(zip(told.names, numbers, strict=True))


@FEW
@given(publications())
def test_a_disassociated_release_tells_the_least_and_the_most_of_all_possible_originals(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    told = ranges(published_supports(release))
    every = frozenset().union(*published.records)
    assert set(told) == every
    for item in every:
        possible = item_supports.possible(published.nodes, item, published.k, published.m)
        mean, variance = item_supports.moments(published.nodes, item, published.k, published.m)
        assert told[item] == pytest.approx((min(possible), float(mean), max(possible)))
        assert release.support({item}).deviation ** 2 == pytest.approx(float(variance), abs=1e-9)
    beside = supports_beside(Transactions.from_records(published.records), release)
    assert ranges(beside) == told


def test_the_original_need_not_have_its_items_in_the_order_of_the_release() -> None:
    rows = [{"9", "10"}] * 3 + [{"10", "a"}] * 3 + [{"b"}] * 4
    original = Transactions.from_records(rows)
    release = shoal.disassociate(original, k=3, m=2)
    beside = supports_beside(original, release)
    assert beside.names == tuple(original.words)
    assert beside.told.tolist() == original.supports.tolist()


def test_an_item_that_was_dropped_is_told_to_be_nowhere() -> None:
    original = shoal.read([{"tea", "milk"}] * 5 + [{"tea", "caviar"}])
    release = shoal.disassociate(original, k=3, m=2, drop_rare=True)
    assert set(published_supports(release).names) == {"tea", "milk"}
    assert ranges(supports_beside(original, release)) == {"tea": (6, 6, 6), "milk": (5, 5, 5), "caviar": (0, 0, 0)}


@FEW
@given(recoded(), st.booleans())
def test_generalized_baskets_tell_their_rows_and_leave_an_item_its_even_part(case: Recoded, whole: bool) -> None:
    release = case.release(whole=whole)
    told = ranges(published_supports(release))
    labels = {
        below: label
        for (_, label), below in sorted(basket_utility.nodes(case.paths).items(), reverse=True)
        if label != "*" or len(below) > 1
    }
    held = {node for row in case.rows for node in row}
    rows = {node: float(sum(node in row for row in case.rows)) for node in held}
    # Nodes that cover the same items are one, which has the label of the lowest.
    assert sorted(told.values()) == sorted((count, count, count) for count in rows.values())
    for node, count in rows.items():
        if len(node) == 1:
            assert told[next(iter(node))] == (count, count, count)
        elif list(basket_utility.nodes(case.paths).values()).count(node) == 1:
            assert told[labels[node]] == (count, count, count)
    beside = ranges(supports_beside(Transactions.from_records(case.records), release, hierarchy=case.hierarchy))
    assert set(beside) == frozenset().union(*case.records)
    for item, (low, mean, high) in beside.items():
        node = basket_utility.published(item, case.raised)
        assert (low, high) == (rows[node] if len(node) == 1 else 0, rows[node])
        assert mean == pytest.approx(
            float(basket_utility.mean_and_variance(case.rows, [frozenset([item])])[0]), rel=1e-12
        )


@FEW
@given(records(1, 8, "abcde"), noisy_counts())
def test_noisy_counts_are_summed_with_the_room_of_their_noise(
    rows: list[frozenset[str]], counts: dict[frozenset[str], int]
) -> None:
    release = noisy_baskets(counts, hierarchy_of(PATHS))
    told = published_supports(release)
    assert set(told.names) == frozenset().union(*counts)
    for item, (low, mean, high) in ranges(told).items():
        assert mean == sum(count for basket, count in counts.items() if item in basket)
        room = NORMAL_95 * noisy_count(release, [item]).error
        assert room > 0
        assert (low, high) == pytest.approx((max(0, mean - room), mean + room))
    beside = ranges(supports_beside(Transactions.from_records(rows), release))
    assert beside == {item: ranges(told).get(item, (0, 0, 0)) for item in frozenset().union(*rows)}


def test_a_noisy_release_without_a_basket_names_nothing_and_tells_of_nothing() -> None:
    release = noisy_baskets({}, hierarchy_of(PATHS))
    assert len(published_supports(release)) == 0
    assert published_supports(release).most_frequent(15).names == ()
    assert ranges(supports_beside(shoal.read([{"a", "b"}]), release)) == {"a": (0, 0, 0), "b": (0, 0, 0)}


@FEW
@given(releases())
def test_a_randomized_release_is_told_by_its_estimates_within_all_and_nobody(release: Randomized) -> None:
    told = ranges(published_supports(release))
    assert list(told) == [str(item) for item in range(release.n_items)]
    fake = randomized_supports.fake_share(lengths_of(release), 1, release.n_items) if release.n_fakes else Fraction(0)
    for item, (low, mean, high) in told.items():
        rows, n = rows_of(release), release.n_records
        wanted = randomized_supports.by_matrix(rows, [int(item)], keep_of(release), n, fake)
        assert mean == pytest.approx(n * min(1, max(0, float(wanted))), abs=1e-9)
        assert 0 <= low <= mean <= high <= n


@FEW
@given(st.lists(st.frozensets(st.integers(0, 3), min_size=1), min_size=1, max_size=12))
def test_what_only_has_fake_transactions_with_all_items_is_told_exactly(rows: list[frozenset[int]]) -> None:
    release = randomized([*rows, frozenset(range(4))], 4, keep=1.0, n_fakes=1, lengths=((4, 1.0),))
    told = ranges(published_supports(release))
    exact = {str(item): float(sum(item in row for row in rows)) for item in range(4)}
    for item, count in exact.items():
        assert told[item] == pytest.approx((count, count, count))
    original = Transactions.from_records([{str(item) for item in row} for row in rows])
    beside = supports_beside(original, release)
    assert beside.told.tolist() == pytest.approx(original.supports.tolist())


def test_the_most_frequent_come_first_and_of_equals_the_first() -> None:
    numbers = np.array([1.0, 5.0, 3.0, 5.0])
    told = ItemSupports(("a", "b", "c", "d"), numbers - 1, numbers, numbers + 1, "between")
    assert told.most_frequent(3).names == ("b", "d", "c")
    assert told.most_frequent(3).low.tolist() == [4.0, 4.0, 2.0]
    assert told.most_frequent(9).high.tolist() == [6.0, 6.0, 4.0, 2.0]


def test_what_is_not_the_original_is_refused() -> None:
    other = shoal.read([{"a", "zebra"}] * 3)
    for release in (
        disassociated([(3, [["ab"] * 3], "")]),
        randomized([frozenset([0])] * 3, 1, keep=0.9),
        generalized_baskets([frozenset("ab")] * 3, hierarchy_of(PATHS), []),
        noisy_baskets({frozenset("ab"): 3}, hierarchy_of(PATHS)),
    ):
        with pytest.raises(InputError, match="not the original"):
            supports_beside(other, release)
