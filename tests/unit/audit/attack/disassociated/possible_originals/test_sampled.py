"""A world that is found is possible, is no better than the best, and is aimed well."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.possible_originals import sampled
from shoal.audit.attack.disassociated.possible_originals.sampled import draw, largest_seen
from shoal.audit.attack.disassociated.possible_originals.tree import Tree
from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from tests.making.cluster_trees import NO_ROOM, PRINTED, bag, trees
from tests.making.disassociated_releases import disassociated
from tests.oracles import disassociation as oracle


def laid_out(node: Any) -> tuple[Tree, dict[str, int], list[str]]:
    release = disassociated([node])
    return Trees.of(release).one(0), {word: code for code, word in enumerate(release.words)}, release.words


@settings(max_examples=100)
@given(trees(), st.integers(0, 99))
def test_what_is_drawn_is_a_possible_original(node: Any, seed: int) -> None:
    tree, _, words = laid_out(node)
    world = draw(tree, np.random.default_rng(seed))
    # A joint, so that the oracle places every chunk in every way.
    possible = {tuple(map(frozenset, one)) for one in oracle.worlds(([node], []))}
    if world is None:
        return
    filled = tuple(
        frozenset(words[item] for item in record | set(tree.terms[leaf]))
        for leaf, record in zip(world.leaf.tolist(), world.records, strict=True)
    )
    assert filled in possible


@settings(max_examples=100)
@given(trees(), st.integers(1, 3), st.integers(0, 99))
def test_what_is_seen_can_be_reached(node: Any, most_known: int, seed: int) -> None:
    tree, code, _ = laid_out(node)
    largest = oracle.largest_supports(node, most_known)
    coded = {tuple(sorted(code[item] for item in itemset)): count for itemset, count in largest.items()}
    seen = largest_seen(tree, list(coded), 99, np.random.default_rng(seed), 1)
    assert all(seen[itemset] <= count for itemset, count in coded.items())


def test_aimed_worlds_are_nearly_always_the_best() -> None:
    outcomes: Counter[bool] = Counter()

    @settings(max_examples=60, database=None, derandomize=True)
    @given(trees())
    def look(node: Any) -> None:
        tree, code, _ = laid_out(node)
        largest = oracle.largest_supports(node, 2)
        coded = {tuple(sorted(code[item] for item in itemset)): count for itemset, count in largest.items()}
        seen = largest_seen(tree, list(coded), 99, np.random.default_rng(5), 3)
        outcomes.update(seen[itemset] == count for itemset, count in coded.items())

    look()
    assert outcomes[True] > 100
    assert outcomes[False] <= outcomes[True] // 50


@pytest.mark.parametrize(("node", "itemset", "best"), [(NO_ROOM, "by", 2), (NO_ROOM, "bq", 3), (PRINTED, "ab", 1)])
def test_counterexamples(node: Any, itemset: str, best: int) -> None:
    tree, code, _ = laid_out(node)
    wanted = tuple(code[item] for item in itemset)
    assert largest_seen(tree, [wanted], 99, np.random.default_rng(1), 12) == {wanted: best}


def test_no_world_is_found_where_there_is_none() -> None:
    nodes = [
        (3, [bag("a")], set()),
        ([(2, [bag("a", "a")], {"t"}), (2, [bag("a", "a")], {"t"})], [bag("a")]),
    ]
    for node in nodes:
        tree, code, _ = laid_out(node)
        assert draw(tree, np.random.default_rng(1)) is None
        assert largest_seen(tree, [(code["a"],)], 2, np.random.default_rng(1)) == {(code["a"],): 0}


def test_the_same_chance_draws_the_same_world() -> None:
    tree, _, _ = laid_out((6, [bag("a", "b", "c"), bag("d", "e", "f")], {"t"}))
    one, two = (draw(tree, np.random.default_rng(3)) for _ in range(2))
    other = draw(tree, np.random.default_rng(4))
    assert one is not None
    assert two is not None
    assert other is not None
    assert one.records == two.records != other.records


def test_a_world_that_is_not_possible_is_seen_through() -> None:
    tree, code, _ = laid_out(([(2, [bag("a", "a")], set()), (2, [bag("c", "c")], set())], [bag("b", "a")]))
    world = draw(tree, np.random.default_rng(1))
    assert world is not None
    assert world.is_possible()
    a, b, c = (frozenset([code[item]]) for item in "abc")
    for records in (
        (a, a, c, c),  # b is missing
        (a | b, a, c | b, c | a),  # b is there twice
        (a | b, a, c, frozenset([code["a"]])),  # a record lost its c
        (a | b, frozenset(), c | a, c),  # one is empty
        (a | b, a | c, c | a, c),  # an item from nowhere
    ):
        assert not replace(world, records=records).is_possible()
    assert replace(world, records=(a | b, a, c | a, c)).is_possible()


def test_too_large_a_tree_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, code, _ = laid_out((2, [bag("a", "a")], set()))
    monkeypatch.setattr(sampled, "CELLS", 3)
    assert largest_seen(tree, [(code["a"],)], 2, np.random.default_rng(1)) == {(code["a"],): 0}
