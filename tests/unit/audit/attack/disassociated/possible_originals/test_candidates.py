"""How many records can hold a set: never more than can, exactly that in simple clusters, and ceilings above it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.possible_originals import restricted_subrecords, shared_chunk_room
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.ceilings import at_most
from tests.making.cluster_trees import NO_ROOM, PRINTED, bag, joint_trees, simple_trees, trees
from tests.making.disassociated_releases import disassociated
from tests.oracles import disassociation as oracle


class Asked:
    """Candidates that are asked by the names of items."""

    def __init__(self, nodes: list[Any]) -> None:
        release = disassociated(nodes)
        self.words = release.words
        self.code = {word: code for code, word in enumerate(self.words)}
        self.candidates = Candidates.of(release)

    def least(self, itemset: Any, within: int | None = None) -> int:
        return self.candidates.at_least([self.code[item] for item in itemset], within)

    def most(self, itemset: Any, within: int | None = None) -> int:
        return at_most(self.candidates, [self.code[item] for item in itemset], within)

    def sets(self, largest: int) -> list[tuple[str, ...]]:
        return [chosen for size in range(1, largest + 1) for chosen in combinations(self.words, size)]


def reachable(nodes: list[Any], most_known: int) -> Counter[frozenset[str]]:
    """What a possible original of the whole reaches; trees add up, and one that has none leaves none at all."""
    each = [oracle.largest_supports(node, most_known) for node in nodes]
    total: Counter[frozenset[str]] = Counter()
    for one in each if all(each) else []:
        total.update(one)
    return total


@settings(max_examples=80)
@given(simple_trees(), st.integers(1, 3))
def test_a_simple_cluster_is_counted_exactly(node: Any, most_known: int) -> None:
    asked, reached = Asked([node]), oracle.largest_supports(node, most_known)
    for itemset in asked.sets(most_known):
        assert asked.least(itemset) == reached[frozenset(itemset)] == asked.most(itemset)


@settings(max_examples=100)
@given(joint_trees(), st.integers(1, 3))
def test_a_joint_lies_between(node: Any, most_known: int) -> None:
    asked, reached = Asked([node]), oracle.largest_supports(node, most_known)
    for itemset in asked.sets(most_known):
        assert asked.least(itemset) <= reached[frozenset(itemset)] <= asked.most(itemset)


@settings(max_examples=40)
@given(st.lists(trees(), min_size=2, max_size=3))
def test_trees_add_up(nodes: list[Any]) -> None:
    asked, reached = Asked(nodes), reachable(nodes, 2)
    for itemset in asked.sets(2):
        each = [(asked.least(itemset, tree), asked.most(itemset, tree)) for tree in range(len(nodes))]
        assert (asked.least(itemset), asked.most(itemset)) == tuple(map(sum, zip(*each, strict=True)))
        if reached:
            assert asked.least(itemset) <= reached[frozenset(itemset)] <= asked.most(itemset)


def test_most_joints_are_counted_exactly() -> None:
    """A bound of zero would be sound too: on these it says what can be reached."""
    leaves = [(4, [bag("a", "a", "ab", "c")], {"t"}), (3, [bag("d", "d")], {"u"}), (3, [bag("c", "c", "c")], set())]
    node = ([leaves[0], (leaves[1:], [bag("t", "t", "te")])], [bag("e", "e", "e"), bag("x", "xy", "y")])
    asked, reached = Asked([node]), oracle.largest_supports(([leaves[0], leaves[1]], [bag("x", "xy", "y")]), 2)
    for itemset in [("a", "t"), ("x", "y"), ("a", "x"), ("d", "y"), ("t", "x")]:
        assert asked.least(itemset) >= min(reached[frozenset(itemset)], 1)
    assert asked.least("a") == 3
    assert asked.least("at") == 3
    assert asked.least("te") == asked.most("te") == 4
    assert asked.least("xy") == 1


def test_counterexamples() -> None:
    asked = Asked([NO_ROOM])
    assert (asked.least("by"), asked.most("by")) == (2, 2)
    assert (asked.least("bq"), asked.most("bq")) == (3, 3)
    asked = Asked([PRINTED])
    assert asked.least("ab") == 0
    assert asked.most("ab") >= 1


def test_a_chunk_whose_restricted_subrecords_need_a_flow() -> None:
    """No record is free of both a and b; what is vouched for goes to one leaf."""
    leaves = [(5, [bag(*"aaaaa")], {"t"}), (5, [bag(*"bbbbb")], {"u"})]
    asked = Asked([(leaves, [bag("a", "a", "b", "b", "c", "c", "c")])])
    reached = oracle.largest_supports((leaves, [bag("a", "a", "b", "b", "c", "c", "c")]), 2)
    for itemset, expected in {"ab": 4, "bt": 2, "ct": 3, "cu": 3}.items():
        assert reached[frozenset(itemset)] == expected == asked.most(itemset)
        assert min(expected, 2) <= asked.least(itemset) <= expected


def test_such_a_chunk_gives_to_one_leaf_only() -> None:
    leaves = [(5, [bag(*"aaaaa")], {"t"}), (5, [bag(*"bbbbb")], {"u"})]
    asked = Asked([(leaves, [bag("a", "a", "b", "b", "bd", "d", "d", "d")])])
    assert 1 <= asked.least("d") <= asked.most("d") == 4
    # Three a take all records of the leaf with b, so that c cannot be there.
    leaves = [(3, [bag("a", "a", "a")], {"t"}), (3, [bag("b", "b", "b")], {"u"})]
    asked = Asked([(leaves, [bag("a", "a", "a", "b", "c", "c")])])
    assert oracle.largest_supports((leaves, [bag("a", "a", "a", "b", "c", "c")]), 2)[frozenset("cu")] == 0
    assert asked.least("cu") == asked.most("cu") == 0


def test_where_there_is_no_world_nothing_is_claimed() -> None:
    nodes = [(3, [bag("a")], set())]
    assert Asked(nodes).least("a") == 0
    nodes = [([(2, [bag("a", "a")], {"t"}), (2, [bag("a", "a")], {"t"})], [bag("a")])]
    assert Asked(nodes).least("t") == 0


def test_items_that_no_leaf_has_together() -> None:
    asked = Asked([(3, [bag("a", "a", "a")], set()), (3, [bag("b", "b", "b")], set())])
    assert (asked.least("ab"), asked.most("ab")) == (0, 0)
    assert asked.least("a", within=1) == 0


def test_a_term_item_needs_no_subrecord() -> None:
    """An item of a term chunk that is in a shared chunk above too: the audit objects, but nothing is overrated."""
    node = ([(3, [bag("a", "a", "a")], {"s"}), (3, [bag("c", "c", "c")], {"u"})], [bag("s")])
    asked = Asked([node])
    assert asked.least("as") == 3 == oracle.largest_supports(node, 2)[frozenset("as")]


def test_sets_of_many_items() -> None:
    letters = "abcdefghij"
    asked = Asked([(4, [bag(*[letters] * 3), bag("k", "k")], set(letters.upper())), (2, [], set(letters + "k"))])
    assert asked.least(letters) == 5
    assert asked.least(letters + letters.upper()) == 3
    assert asked.least(letters + "k") == 4


@settings(max_examples=40)
@given(joint_trees())
def test_what_is_too_much_to_look_at_is_not_claimed(node: Any) -> None:
    reached = oracle.largest_supports(node, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_chunk_room, "CELLS", 0)
        patch.setattr(restricted_subrecords, "CELLS", 0)
        asked = Asked([node])
        for itemset in asked.sets(2):
            assert asked.least(itemset) <= reached[frozenset(itemset)] <= asked.most(itemset)
