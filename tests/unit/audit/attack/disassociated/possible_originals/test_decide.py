"""A release is decided as the definition says, however it is decided."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.possible_originals.decide import Decided, Effort, Way, decide
from shoal.audit.attack.disassociated.possible_originals.decide import in_digits as digits
from shoal.errors import InputError
from tests.making.cluster_trees import NO_ROOM, PRINTED, bag, trees
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications
from tests.oracles import disassociation as oracle

EFFORTS = {
    "everything": Effort(),
    "no enumeration": Effort(leaves=0),
    "no enumeration, no sample": Effort(leaves=0, draws=0),
    "few sets": Effort(leaves=0, sets=3, all_sets=5),
}


def decided(nodes: list[Any], k: int, m: int, effort: Effort | None = None, known: int | None = None) -> Decided:
    return decide(disassociated(nodes, k, m), np.random.default_rng(7), most_known=known, effort=effort)


@pytest.mark.parametrize("effort", EFFORTS)
@settings(max_examples=40)
@given(st.lists(trees(), min_size=1, max_size=2), st.integers(2, 3), st.integers(1, 3))
def test_what_is_decided_is_right(effort: str, nodes: list[Any], k: int, m: int) -> None:
    each = [oracle.largest_supports(node, m) for node in nodes]
    total: Counter[frozenset[str]] = Counter()
    for one in each:
        total.update(one)
    outcome = decided(nodes, k, m, EFFORTS[effort])
    assert outcome.unsafe == 0
    assert sum(outcome.trees.values()) == len(nodes)
    assert sum(outcome.leaves.values()) == sum(len(oracle.leaves(node)) for node in nodes)
    if not all(each):
        return  # nothing is possible, so that anything may be said but that it is safe
    assert outcome.impossible == 0
    for violation in outcome.violations:
        assert 0 < total[frozenset(violation.items)] <= violation.most < k
    if not outcome.trees[Way.UNDECIDED]:
        assert outcome.holds == all(count >= k for count in total.values())


@settings(max_examples=40)
@given(trees(), st.integers(2, 3), st.integers(1, 3))
def test_a_tree_alone_is_decided_exactly(node: Any, k: int, m: int) -> None:
    outcome = decided([node], k, m)
    possible = bool(oracle.largest_supports(node, m))
    assert outcome.trees[Way.EXACTLY] == 1
    assert outcome.impossible == (not possible)
    assert outcome.compared == possible
    assert outcome.holds == (possible and oracle.guarantee1(node, k, m))


@settings(max_examples=40)
@given(publications())
def test_publications_that_keep_the_conditions_are_decided(published: Published) -> None:
    outcome = decided(published.nodes, published.k, published.m)
    assert not outcome.violations
    assert outcome.impossible == outcome.unsafe == 0


@pytest.mark.parametrize("effort", ["everything", "no enumeration"])
def test_the_release_of_refine_as_printed(effort: str) -> None:
    outcome = decided([PRINTED, (3, [bag("x", "x", "x")], {"y"})], 2, 2, EFFORTS[effort])
    assert not outcome.holds
    if effort == "everything":
        (violation,) = outcome.violations
        assert (violation.items, violation.most, violation.root) == (("a", "b"), 1, 0)
        # Two ways to put the two a of the larger leaf on its records times three, and the b: one on the empty record,
        # the other on one of four.
        assert violation.worlds == 3 * 4
        assert (
            str(violation) == "{a, b} is in at most 1 records, below root cluster 0 (12 possible originals of its tree)"
        )


@pytest.mark.parametrize("effort", EFFORTS)
def test_what_the_conditions_of_the_paper_let_pass(effort: str) -> None:
    assert oracle.property1(NO_ROOM, 3, 2)
    assert all(oracle.lemma2(leaf, 3, 2) for leaf in oracle.leaves(NO_ROOM))
    outcome = decided([NO_ROOM], 3, 2, EFFORTS[effort])
    assert not outcome.holds
    if effort != "few sets":
        (violation,) = outcome.violations
        assert violation.most == 2
        assert set(violation.items) in ({"b", "y"}, {"b", "w"}, {"b", "r"}, {"b", "t"}, {"b", "z"})
        assert oracle.largest_supports(NO_ROOM, 2)[frozenset(violation.items)] == 2


def test_trees_help_each_other() -> None:
    """Two clusters of one record each hold the same item: one record at most in either, two in both."""
    outcome = decided([(1, [], {"a"}), (1, [], {"a"})], 2, 2)
    assert outcome.holds
    assert [(one.items, one.most, one.root) for one in outcome.helped] == [(("a",), 1, 0), (("a",), 1, 1)]
    outcome = decided([(1, [], {"a"}), (1, [], {"a", "b"})], 2, 2)
    assert [(one.items, one.most, one.root) for one in outcome.violations] == [(("b",), 1, 1)]


def test_a_set_that_only_a_world_shows() -> None:
    """{b, d} must go to the leaf with a, {a, d} to the one with b: neither has two d, both together have."""
    node = ([(4, [bag("b", "b")], {"u"}), (3, [bag("a", "a")], {"t"})], [bag("bd", "ad")])
    assert oracle.guarantee1(node, 2, 1)
    assert decided([node], 2, 1, Effort(leaves=0, draws=0)).trees[Way.UNDECIDED] == 1
    outcome = decided([node], 2, 1, Effort(leaves=0))
    assert outcome.holds
    assert outcome.trees[Way.SAMPLE] == 1
    assert outcome.share(Way.SAMPLE) == 1


def test_a_leaf_that_only_shared_subrecords_fill_is_undecided_unless_enumerated() -> None:
    node = ([(4, [bag("a", "a")], set()), (2, [bag("c", "c")], {"t"})], [bag(*"bbbb")])
    assert oracle.guarantee1(node, 2, 2)
    assert decided([node], 2, 2).holds
    outcome = decided([node], 2, 2, Effort(leaves=0))
    assert outcome.trees[Way.UNDECIDED] == 1
    assert not outcome.violations


@pytest.mark.parametrize("effort", ["everything", "no enumeration"])
def test_a_set_with_an_item_that_is_closed_for_one_of_its_chunks(effort: str) -> None:
    """In the first leaf a comes from its own chunk, although the shared chunk that c comes from has it too."""
    first = ([(2, [bag("d", "d"), bag("ab", "ab")], {"e"}), (1, [], {"d"})], [bag("c", "ac")])
    second = ([(2, [bag("bd", "bd"), bag("e")], set()), (3, [bag("d", "d"), bag("a", "a", "a")], {"e"})], [bag("c")])
    node = ([first, second], [])
    assert [set(one) for one, count in oracle.largest_supports(node, 3).items() if count < 2] == [set("abc")]
    outcome = decided([node], 2, 3, EFFORTS[effort])
    assert [(set(one.items), one.most) for one in outcome.violations] == [(set("abc"), 1)]


@pytest.mark.parametrize("effort", ["everything", "no enumeration"])
def test_figure_4(effort: str) -> None:
    """Lemma 2 fails: {a, b} is in one record, since three records need the four subrecords."""
    outcome = decided([(3, [bag("a", "a"), bag("b", "b")], set())], 2, 2, EFFORTS[effort])
    assert [(one.items, one.most, one.worlds) for one in outcome.violations] == [(("a", "b"), 1, 6)]


def test_what_other_trees_may_hold_is_no_violation() -> None:
    """What is known of the joint is too little to say that it helps, and enough not to say that it does not."""
    outcome = decided([(1, [], {"a"}), PRINTED], 2, 1)
    assert not outcome.violations
    assert outcome.trees == {Way.EXACTLY: 1, Way.BOUND: 0, Way.SAMPLE: 0, Way.UNDECIDED: 1}


def test_a_tree_without_possible_original() -> None:
    outcome = decided([(3, [bag("a")], set()), (2, [bag("c", "c")], {"t"})], 2, 2)
    assert outcome.impossible == 1
    assert not outcome.holds
    assert outcome.compared == 1


def test_more_known_than_promised() -> None:
    node = (4, [bag("abc", "abd", "acd", "bcd")], {"t"})
    assert decided([node], 2, 2).holds
    outcome = decided([node], 2, 2, known=3)
    assert not outcome.holds
    assert (outcome.most_known, outcome.violations[0].most) == (3, 1)
    with pytest.raises(InputError, match="at least 1"):
        decided([node], 2, 2, known=0)


def test_nothing_is_said_beyond_the_effort() -> None:
    nodes = [(3, [bag("ab", "b", "a")], {"t"})] * 2 + [(3, [bag("cd", "c", "d")], {"t"})]
    outcome = decided(nodes, 2, 2, Effort(all_sets=0))
    assert outcome.trees[Way.UNDECIDED] == 3
    assert not outcome.violations
    assert outcome.share(Way.UNDECIDED) == 1


def test_k_beyond_all_records() -> None:
    outcome = decided([(3, [bag("a", "a", "a")], set())], 10**12, 10**12)
    assert outcome.violations[0].most == 3


def test_a_large_simple_cluster_is_decided_by_its_bound() -> None:
    rows = [f"{one}{two}" for one in "abcdef" for two in "ghijkl"]
    node = (500, [bag(*rows, *rows), bag(*"mnopqrstuv" * 9), bag(*"wxyz" * 30)], {"T"})
    outcome = decided([node, (500, [bag(*rows, *rows, "G"), bag(*"mnopqrstuv" * 9), bag(*"wxyz" * 30)], {"T"})], 2, 2)
    assert outcome.trees[Way.BOUND] == 2
    assert [(one.items, one.most, one.root) for one in outcome.violations] == [(("G",), 1, 1)]
    assert "possible originals" in str(outcome.violations[0])


def test_long_numbers_are_shortened() -> None:
    assert digits(12_345) == "12,345"
    assert digits(10**400) == "about 10^400"
