"""The worst items of a person, against all sets of them; and shares with their denominators and intervals."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given

from shoal.audit.attack.disassociated.every_attack import attack
from shoal.audit.attack.disassociated.people.known_items import people_in
from shoal.audit.attack.people import count_before, draw_victims
from shoal.audit.attack.shares import few_left, interval, told
from shoal.audit.attack.worst_items import worst_items
from shoal.data.transactions import Transactions
from shoal.publish.disassociation import disassociate
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import records
from tests.oracles import adversaries


@given(records(max_size=8))
def test_the_worst_set_is_held_by_no_more_records_than_any_other(rows: list[frozenset[str]]) -> None:
    release = disassociated([(len(rows), [], sorted(frozenset().union(*rows)))])
    people = people_in(release, Transactions.from_records(rows))
    victims = draw_victims(people, 100, 3, np.random.default_rng(1))
    asked = worst_items(people, victims, 3)
    for j, (sets, counts) in enumerate(zip(asked.sets, count_before(people, asked), strict=True), start=1):
        assert asked.who[j - 1] == tuple(range(len(rows)))
        for record, items, count in zip(victims.records, sets, counts, strict=True):
            assert 1 <= len(items) <= j
            assert {release.words[code] for code in items} <= rows[record]
            assert count == adversaries.worst_support(rows, rows[record], j)


def test_people_with_too_many_sets_are_counted_and_widen_the_interval() -> None:
    rows = [frozenset("abcdefgh"), frozenset("ab"), frozenset("ab")]
    people = people_in(disassociated([(3, [], "abcdefgh")]), Transactions.from_records(rows))
    asked = worst_items(people, draw_victims(people, 3, 2, np.random.default_rng(1)), 2, work=20_000)
    assert asked.undecided == (0, 1)
    assert [len(sets) for sets in asked.sets] == [3, 2]
    row = few_left("original", [1, 9], 5, undecided=1)
    assert row["at_least_in_original_share"] == interval(1, 3)[0]
    assert row["at_most_in_original_share"] == interval(2, 3)[1]


@pytest.mark.parametrize(("hits", "sample"), [(0, 10), (3, 10), (10, 10), (11, 205)])
def test_the_interval_is_that_of_the_binomial_tails(hits: int, sample: int) -> None:
    low, high = interval(hits, sample)

    def tail(share: float, sizes: range) -> float:
        p = Fraction(share)
        return float(sum(comb(sample, size) * p**size * (1 - p) ** (sample - size) for size in sizes))

    assert low <= hits / sample <= high
    assert (low == 0) if hits == 0 else tail(low, range(hits, sample + 1)) == pytest.approx(0.025)
    assert (high == 1) if hits == sample else tail(high, range(hits + 1)) == pytest.approx(0.025)


def test_both_adversaries_are_told_with_their_denominators() -> None:
    rows = [{"tea", "milk", "rare"}, *[{"tea", "milk"}] * 9, *[{"tea"}] * 10]
    release = disassociate(Transactions.from_records(rows), 5, 2)
    found = attack(release, generator=np.random.default_rng(3), original=Transactions.from_records(rows), struck=0.0)[
        "known items"
    ]
    random, worst = found.numbers["random_items"], found.numbers["worst_items"]
    assert [column["people"] for column in random] == [20, 10, 1, 0]
    assert [column["people"] for column in worst] == [20, 20, 20]
    assert worst[1]["below_k_in_original"] == 1
    # Everybody was looked at, and the worst items are no matter of chance: the share is counted.
    assert worst[1]["at_least_in_original_share"] == worst[1]["at_most_in_original_share"] == 0.05
    assert random[1]["at_most_in_original_share"] > random[1]["below_k_in_original_share"]
    assert f"for {told(random, 2, 'original')}, and one who" in found.sentence
    assert "one who knows the worst 2 items for 1 of 20 people (5.0 %)" in found.sentence
