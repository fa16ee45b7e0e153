"""Every set of items that stays below k in a tree is among its suspects, when these are said to be all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.possible_originals.bound import lower_bounds
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.suspects import suspects
from tests.making.cluster_trees import NO_ROOM, PRINTED, bag, trees
from tests.making.disassociated_releases import disassociated
from tests.oracles import disassociation as oracle


def suspected(node: Any, k: int, most_known: int, most: int = 10**6) -> tuple[set[frozenset[str]], bool]:
    release = disassociated([node])
    candidates = Candidates.of(release)
    bound = lower_bounds(candidates.trees, most_known, k)
    found, complete = suspects(candidates, bound, candidates.trees.one(0), k, most_known, most)
    return {frozenset(release.words[code] for code in itemset) for itemset in found}, complete


def below(node: Any, k: int, most_known: int) -> set[frozenset[str]]:
    return {itemset for itemset, count in oracle.largest_supports(node, most_known).items() if count < k}


@settings(max_examples=250)
@given(trees(), st.integers(2, 3), st.integers(1, 3))
def test_none_is_missed(node: Any, k: int, most_known: int) -> None:
    found, complete = suspected(node, k, most_known)
    if complete:
        assert below(node, k, most_known) <= found


def test_an_item_may_come_from_elsewhere_although_the_chunk_has_it() -> None:
    """For the first leaf a is closed: it comes from its own chunk, and c from the shared chunk that has a too."""
    node = ([(2, [bag("ab", "ab")], {"e"}), (2, [], {"d"})], [bag("c", "ac")])
    found, complete = suspected(node, 2, 3)
    assert complete
    assert frozenset("abc") in below(node, 2, 3) <= found


def test_few_are_named_where_little_is_wrong() -> None:
    found, complete = suspected(NO_ROOM, 3, 2)
    assert complete
    assert below(NO_ROOM, 3, 2) <= found
    assert all("b" in itemset for itemset in found)
    assert suspected((3, [bag("a", "a", "a")], {"t"}), 3, 2) == (set(), True)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_no_more_are_listed_than_asked_for(most: int) -> None:
    found, complete = suspected(NO_ROOM, 3, 2, most)
    assert len(found) == most
    assert not complete


def test_a_leaf_that_its_own_chunks_do_not_fill_makes_everything_suspect() -> None:
    assert not suspected(PRINTED, 2, 2)[1]
