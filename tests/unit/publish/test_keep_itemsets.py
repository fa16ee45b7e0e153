"""Itemsets that an analysis needs stay together where the promise allows it."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.measuring.baskets.kept_itemsets import kept_itemsets
from shoal.mining.itemsets import frequent_itemsets
from shoal.publish.disassociation.kept_itemsets import Wanted
from tests.making.given_clusters import publish_given


def supports_inside_chunks(release: Any, wanted: frozenset[str]) -> int:
    words = release.words
    rows = np.split(release.items, release.subrecord_offsets[1:-1])
    return sum(wanted <= {words[code] for code in row.tolist()} for row in rows)


records = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=6), min_size=10, max_size=40)


@settings(max_examples=100)
@given(records, st.frozensets(st.sampled_from("abcdefgh"), min_size=2, max_size=3), st.sampled_from(["greedy", "dls"]))
def test_a_set_that_enough_records_hold_survives_as_a_whole(rows, wanted, vertical) -> None:
    """In clusters of records that all hold it, nothing tears it apart but Lemma 2: then an item is in a term chunk."""
    count = sum(wanted <= row for row in rows)
    assume(count >= 3 and (count == len(rows) or len(rows) - count >= 3))
    data = Transactions.from_records(rows)
    release = shoal.disassociate(data, 3, 2, keep_itemsets=[wanted], vertical=vertical, refine_rounds=0)
    (kept,) = kept_itemsets(data, release, [wanted])
    assert kept.original == count
    assert kept.certain >= supports_inside_chunks(release, wanted)
    stepped_back = wanted & {release.words[code] for code in release.term_items.tolist()}
    assert supports_inside_chunks(release, wanted) == count or stepped_back


def test_a_rarer_set_comes_first_so_that_both_are_kept() -> None:
    # Clustered with all that hold {a, b}, the six records with c would be split up by u, v, ...: these are in seven.
    rows = [{"a", "b", other} for other in "uvwxyz" for _ in range(6)] + [{"a", "b", "c", other} for other in "uvwxyz"]
    data = Transactions.from_records([*rows, *[{"q"}] * 5])
    sets = [{"a", "b"}, {"a", "b", "c"}]
    for asked, expected in ((sets, [42, 6]), (sets[:1], [42, 0])):
        release = shoal.disassociate(data, 3, 3, keep_itemsets=asked, refine_rounds=0)
        assert [supports_inside_chunks(release, frozenset(items)) for items in sets] == expected


def test_too_few_are_not_left_over() -> None:
    data = Transactions.from_records([{"a", "b"}] * 8 + [{"c"}] * 2)
    wanted = Wanted.of(data, [{"a", "b"}], np.zeros(3, np.uint8), 3)
    assert wanted.groups(10, 3) is None
    groups = wanted.groups(10, 2)
    assert groups is not None
    assert groups.tolist() == [0] * 8 + [1] * 2


def test_items_of_a_set_come_to_chunks_together_before_more_frequent_ones() -> None:
    # e is more frequent than a and b, and meets b twice only: whoever takes it first tears {a, b} apart.
    cluster = [{"a", "b"}] * 4 + [{"a", "e"}] * 5 + [{"b", "e"}] * 2 + [{"e"}] * 2
    torn = publish_given([cluster], 3, 2)
    assert supports_inside_chunks(torn, frozenset("ab")) == 0
    data = Transactions.from_records(cluster)
    wanted = Wanted.of(data, [{"a", "b"}], np.zeros(3, np.uint8), 20)
    kept = publish_given([cluster], 3, 2, rank=wanted.rank)
    assert supports_inside_chunks(kept, frozenset("ab")) == 4


def test_so_they_do_in_the_clusters_of_another_set() -> None:
    others = [{"c", "d"}] * 4 + [{"c", "e"}] * 5 + [{"d", "e"}] * 2 + [{"e"}] * 2
    rows = [{"x", "y", *other} for other in others] + [{"c", "d"}] * 14 + [{"q"}] * 5
    data = Transactions.from_records(rows)
    release = shoal.disassociate(data, 3, 2, keep_itemsets=["xy", "cd"], max_cluster_size=20, refine_rounds=0)
    assert [supports_inside_chunks(release, frozenset(items)) for items in ("xy", "cd")] == [13, 18]


@given(records, st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=2, max_size=3), max_size=6))
def test_groups_are_of_records_that_hold_a_set_and_never_too_small(rows, sets) -> None:
    data = Transactions.from_records(rows)
    sets = [wanted for wanted in sets if wanted <= set(data.words)]
    wanted = Wanted.of(data, sets, np.zeros(data.n_items, np.uint8), 3)
    group = wanted.groups(len(rows), 3)
    holders = [[at for at, row in enumerate(rows) if items <= row] for items in set(sets)]
    assert sorted(map(np.ndarray.tolist, wanted.holders)) == sorted(holders)
    if group is None:
        assert all(len(held) < 3 or 0 < len(rows) - len(held) < 3 for held in holders)
        return
    sizes = np.bincount(group)
    assert sizes.min() >= 3
    for number in range(len(sizes) - 1):
        in_all = frozenset.intersection(*(rows[at] for at in np.flatnonzero(group == number).tolist()))
        assert any(items <= in_all for items in sets)


def test_many_sets_on_real_looking_data_keep_more_than_without() -> None:
    data = shoal.quest(3000, n_items=60, seed=4)
    frequent = frequent_itemsets(data, 30)
    sets = [items for items, _ in frequent if len(items) == 2]
    sets = random.Random(1).sample(sets, 12)
    options: dict[str, Any] = {"k": 5, "m": 2}
    plain = shoal.disassociate(data, **options)
    release = shoal.disassociate(data, keep_itemsets=sets, **options)
    shares = [
        sum(kept.certain for kept in found) / sum(kept.original for kept in found)
        for found in (kept_itemsets(data, plain, sets), kept_itemsets(data, release, sets))
    ]
    assert shares[1] > 4 * shares[0]
    assert shares[1] > 0.8


def test_what_cannot_be_kept_is_refused() -> None:
    data = Transactions.from_records([{"a", "b", "s"}] * 9)
    for sets, message in (
        ([{"a"}], "two items or more"),
        ([{"a", "tea"}], "not in the data: 'tea'"),
        ([{"a", "s"}], "'s' is sensitive, so it must not be linked to other items"),
    ):
        with pytest.raises(InputError, match=message):
            shoal.disassociate(data, 3, 2, keep_itemsets=sets, sensitive=["s"], l=3)


def test_a_set_with_a_dropped_item_has_nothing_left() -> None:
    rows = [{"a", "b"}] * 6 + [{"a", "x"}]
    data = Transactions.from_records(rows)
    sets = [{"a", "b"}, {"a", "x"}]
    release = shoal.disassociate(data, 3, 2, keep_itemsets=sets, drop_rare=True)
    found = kept_itemsets(data, release, sets)
    assert [(kept.items, kept.original, kept.certain, kept.expected) for kept in found] == [
        (("a", "b"), 6, 6, 6.0),
        (("a", "x"), 1, 0, 0.0),
    ]


@settings(max_examples=30)
@given(records, st.randoms())
def test_kept_itemsets_are_counted_as_their_names_say(rows, chance) -> None:
    data = Transactions.from_records(rows)
    release = shoal.disassociate(data, 3, 2)
    sets = chance.sample(list(combinations(data.words, 2)), min(5, data.n_items * (data.n_items - 1) // 2))
    for items, kept in zip(sets, kept_itemsets(data, release, sets), strict=True):
        told = release.support(items, term_items="once")
        assert kept == shoal.results.KeptItemset(
            items, sum(set(items) <= row for row in rows), told.least, told.expected
        )
