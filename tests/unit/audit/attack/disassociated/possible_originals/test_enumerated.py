"""The enumeration of a tree agrees with the definition, and counts its worlds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.possible_originals.enumerated import Enumerator, Exact, count_simple, exact
from shoal.audit.attack.disassociated.possible_originals.tree import Tree
from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from tests.making.cluster_trees import NO_ROOM, PRINTED, bag, count_worlds, simple_trees, trees
from tests.making.disassociated_releases import disassociated
from tests.oracles import disassociation as oracle

PLENTY = 10_000_000


def solved(node: Any, most_known: int, budget: float = PLENTY) -> tuple[Exact, dict[str, int]]:
    release = disassociated([node])
    answer = exact(Trees.of(release).one(0), most_known, budget)
    assert answer is not None
    return answer, {word: code for code, word in enumerate(release.words)}


def assert_agrees(node: Any, most_known: int) -> None:
    answer, code = solved(node, most_known)
    largest = oracle.largest_supports(node, most_known)
    for itemset, support in largest.items():
        assert answer.support(code[item] for item in itemset) == support
    assert answer.smallest == min(largest.values(), default=0)
    assert (answer.worlds > 0) == bool(largest)
    if largest:
        names = {number: word for word, number in code.items()}
        assert largest[frozenset(names[number] for number in answer.witness)] == answer.smallest


@settings(max_examples=150)
@given(trees(), st.integers(1, 3))
def test_largest_supports_as_the_definition_says(node: Any, most_known: int) -> None:
    assert_agrees(node, most_known)


@settings(max_examples=60)
@given(trees().filter(lambda node: sum(leaf[0] * len(leaf[2]) for leaf in oracle.leaves(node)) <= 6))
def test_worlds_are_counted_as_the_definition_says(node: Any) -> None:
    answer, _ = solved(node, 1)
    assert answer.worlds == count_worlds(node)


@given(simple_trees())
def test_a_simple_cluster_of_any_size_is_counted_in_closed_form(node: Any) -> None:
    size, chunks, terms = node
    answer, _ = solved(node, 1)
    assert answer.worlds == count_simple(size, [tuple(Counter(chunk).values()) for chunk in chunks], len(terms))


def test_counts_worked_out_by_hand() -> None:
    # The item is in one of two records, the term item in the other one or in both.
    assert solved((2, [bag("a")], {"t"}), 1)[0].worlds == 4
    assert solved((2, [], {"t"}), 1)[0].worlds == 1
    assert solved((2, [], {"t", "u"}), 1)[0].worlds == 7
    # Three of six records, then three of the other three.
    assert solved((6, [bag("a", "a", "a"), bag("b", "b", "b")], set()), 1)[0].worlds == 20
    assert count_simple(40, [(40,)], 0) == 1
    # The shared item goes to any of the four records.
    assert solved(([(2, [bag("a", "a")], set()), (2, [bag("c", "c")], set())], [bag("b")]), 1)[0].worlds == 4


def test_counterexamples() -> None:
    answer, code = solved(PRINTED, 2)
    assert (answer.smallest, answer.witness) == (1, (code["a"], code["b"]))
    assert answer.below(2) == [((code["a"], code["b"]), 1)]
    answer, code = solved(NO_ROOM, 2)
    assert answer.support([code["b"], code["y"]]) == 2
    assert answer.smallest == 2


def test_a_tree_without_worlds() -> None:
    answer, _ = solved((3, [bag("a")], set()), 2)
    assert (answer.worlds, answer.smallest, answer.witness, answer.below(9)) == (0, 0, (), [])


def test_an_item_that_is_not_there() -> None:
    answer, _ = solved((2, [bag("a", "a")], set()), 2)
    assert answer.support([0]) == 2
    assert answer.support([7]) == 0


def test_sets_of_the_same_kind_are_all_named() -> None:
    answer, code = solved((2, [bag("ab", "c")], {"t", "u"}), 3)
    (kind,) = [kind for kind, _ in answer.below(2) if set(kind) == {code["a"], code["t"]}]
    names = {"".join(sorted(word for word in code if code[word] in one)) for one in answer.like(kind, 3)}
    assert names == {"at", "au", "bt", "bu", "abt", "abu", "atu", "btu"}


@pytest.mark.parametrize("budget", [0, 1, 30])
def test_a_budget_that_does_not_suffice(budget: float) -> None:
    release = disassociated([(6, [bag("a", "a", "b", "b"), bag("c", "c", "d"), bag("e", "f")], {"t"})])
    assert exact(Trees.of(release).one(0), 2, budget) is None
    assert exact(Trees.of(release).one(0), 2, PLENTY) is not None


def test_a_tree_too_large_to_recurse_over_is_left() -> None:
    leaves = [(2, [bag("a", "a")], {"t"})] * 150
    assert exact(Trees.of(disassociated([(leaves, [bag("b", "b")])])).one(0), 2, 1e300) is None


def test_names_do_not_matter() -> None:
    first = (4, [bag("ab", "ab", "b"), bag("cd", "c")], {"x", "y"})
    second = (4, [bag("pq", "pq", "p"), bag("rs", "s")], {"k", "l"})
    laid_out = Trees.of(disassociated([first, second]))
    enumerator = Enumerator(2, PLENTY, PLENTY)
    one = enumerator.exact(laid_out.one(0))
    left = enumerator.left
    other = enumerator.exact(laid_out.one(1))
    assert one is not None
    assert other is not None
    assert left < PLENTY
    assert enumerator.left == left
    assert (one.worlds, one.smallest) == (other.worlds, other.smallest)
    assert one.witness != other.witness


def test_what_all_trees_may_take() -> None:
    tree = Trees.of(disassociated([(4, [bag("a", "a"), bag("b", "b")], {"x"})])).one(0)
    assert Enumerator(2, PLENTY, 3).exact(tree) is None
    assert Enumerator(2, PLENTY, 1_000).exact(tree) is not None


def test_no_takers_at_all() -> None:
    """A shared subrecord that no leaf may take: there is no possible original."""
    node = ([(2, [bag("a", "a")], set()), (2, [bag("a", "a")], set())], [bag("a")])
    assert not list(oracle.worlds(node))
    answer, _ = solved(node, 2)
    assert answer.worlds == 0


def test_trees_are_values() -> None:
    tree = Trees.of(disassociated([(2, [bag("a", "a")], {"x"})])).one(0)
    assert isinstance(tree, Tree)
    assert hash(tree) == hash(Trees.of(disassociated([(2, [bag("a", "a")], {"x"})])).one(0))
