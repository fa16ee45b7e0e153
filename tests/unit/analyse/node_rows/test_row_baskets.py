"""Rows of nodes as baskets: as they are called, with items in the place of groups, and as often as counts say."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from shoal.analyse.node_rows import row_baskets as module
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_hierarchies import neighbours
from shoal.errors import Infeasible, InputError
from shoal.run import Run
from tests.making.generalized_baskets import (
    Recoded,
    generalized_baskets,
    hierarchy_of,
    noisy_baskets,
    noisy_counts,
    recoded,
)
from tests.oracles import basket_utility as oracle

FLAT = {item: (item, "*") for item in "abcdef"}


@given(recoded())
def test_filled_rows_are_possible_originals(case: Recoded) -> None:
    given_tree = list(case.release(whole=False).reconstruct(2, hierarchy=case.hierarchy, run=Run(chance=1)))
    assert [list(one) for one in given_tree] == [
        list(one) for one in case.release(whole=True).reconstruct(2, run=Run(chance=1))
    ]
    for drawn in given_tree:
        assert Counter(oracle.generalized(list(drawn), case.raised)) == Counter(case.rows)
        assert all(len(record) == len(row) for record, row in zip(drawn, sorted_rows(case), strict=True))


def sorted_rows(case: Recoded) -> list[frozenset[str]]:
    return list(case.release(whole=True).baskets())


def test_every_item_of_a_group_is_as_likely() -> None:
    """False alarm: by Hoeffding, 4 times 2 exp(-2 20,000 .02^2) is less than one in a million."""
    records = [frozenset("a")] * 20_000
    group = frozenset("abcd")
    paths = {item: (item, "g" if item in group else "other", "*") for item in "abcdef"}
    (drawn,) = generalized_baskets(records, hierarchy_of(paths), [group]).reconstruct(run=Run(chance=5))
    assert set(drawn.words) == group
    assert all(abs(support / len(records) - 0.25) < 0.02 for support in drawn.supports.tolist())


def test_groups_stand_under_their_names() -> None:
    records = [frozenset("ab"), frozenset("c"), frozenset("be")]
    paths = {item: (item, "g" if item in "ab" else "h", "*") for item in "abcdef"}
    release = generalized_baskets(records, hierarchy_of(paths), [frozenset("ab")])
    assert sorted(map(sorted, release.baskets())) == [["c"], ["e", "g"], ["g"]]


@given(noisy_counts())
def test_baskets_come_as_often_as_counted(counts: dict[frozenset[str], int]) -> None:
    release = noisy_baskets(counts, hierarchy_of(FLAT))
    if not counts:
        with pytest.raises(InputError, match="no rows"):
            release.baskets()
        return
    assert Counter(release.baskets()) == Counter(counts)


def test_counts_that_would_fill_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    release = noisy_baskets({frozenset("a"): 2**52}, hierarchy_of(FLAT))
    with pytest.raises(Infeasible, match="4,503,599,627,370,496 baskets"):
        release.baskets()
    monkeypatch.setattr(module, "available_memory", lambda: 48 * 8 - 1)
    small = {frozenset("a"): 2, frozenset("bc"): 1}
    with pytest.raises(Infeasible):
        noisy_baskets({**small, frozenset("d"): 1}, hierarchy_of(FLAT)).baskets()  # 4 records and 5 items
    monkeypatch.setattr(module, "available_memory", lambda: 48 * 9)
    assert len(noisy_baskets({**small, frozenset("d"): 1}, hierarchy_of(FLAT)).baskets()) == 4


def test_without_the_items_of_a_group_nothing_is_drawn() -> None:
    records = [frozenset("ab")] * 3 + [frozenset("e")]
    paths = {item: (item, "g" if item in "abc" else "h", "*") for item in "abcdef"}
    cut = generalized_baskets(records, hierarchy_of(paths), [frozenset("abc")], whole=False)
    with pytest.raises(InputError, match=r"does not tell what 'g' stands for.*hierarchy="):
        cut.reconstruct()
    with pytest.raises(InputError, match=r"in the release, but not in this hierarchy \(2\): 'g', 'h';"):
        cut.reconstruct(hierarchy=neighbours("abcdef", fanout=3))
    smaller = {item: path for item, path in paths.items() if item != "b"}
    with pytest.raises(InputError, match=r"'\*' stands for 6 items in the release and for 5 in this hierarchy"):
        cut.reconstruct(hierarchy=hierarchy_of(smaller))
    with pytest.raises(InputError, match="n is 0"):
        cut.reconstruct(0, hierarchy=hierarchy_of(paths))


def test_a_cut_hierarchy_is_enough_where_nothing_was_generalized() -> None:
    records = [frozenset("ab"), frozenset("e")]
    (drawn,) = generalized_baskets(records, hierarchy_of(FLAT), [], whole=False).reconstruct()
    assert Counter(drawn) == Counter(records)


def test_a_hierarchy_of_one_item_has_a_root_that_is_none() -> None:
    only = Hierarchy.from_rows([("a", "*")])
    release = generalized_baskets([frozenset("a")] * 2, only, [])
    assert release.tree.labels == ("*", "a")
    assert [list(one) for one in release.reconstruct(run=Run(chance=1))] == [[frozenset("a")] * 2]
