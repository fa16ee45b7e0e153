"""The bound is never above what can be reached, and for simple clusters it is exactly that."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.possible_originals import shared_chunk_room
from shoal.audit.attack.disassociated.possible_originals.bound import lower_bounds
from shoal.audit.attack.disassociated.possible_originals.chunk_supports import smallest_supports
from shoal.audit.attack.disassociated.possible_originals.shared_chunk_room import Room
from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from shoal.audit.disassociated.km import Limits
from tests.making.cluster_trees import NO_ROOM, PRINTED, bag, joint_trees, simple_trees, trees
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import chunks
from tests.oracles import disassociation as oracle

FAR = 99


def bounds(nodes: list[Any], most_known: int, most: int = FAR) -> list[int]:
    found: list[int] = lower_bounds(Trees.of(disassociated(nodes)), most_known, most).tree.tolist()
    return found


def smallest(node: Any, most_known: int) -> int | None:
    return min(oracle.largest_supports(node, most_known).values(), default=None)


@settings(max_examples=120)
@given(joint_trees(), st.integers(1, 3))
def test_a_joint_is_never_overrated(node: Any, most_known: int) -> None:
    exact = smallest(node, most_known)
    if exact is not None:
        assert bounds([node], most_known)[0] <= exact


@settings(max_examples=100)
@given(simple_trees(), st.integers(1, 3))
def test_a_simple_cluster_is_rated_exactly(node: Any, most_known: int) -> None:
    exact = smallest(node, most_known)
    if exact is not None:
        assert bounds([node], most_known) == [exact]


def test_all_small_simple_clusters() -> None:
    """Up to four records, one chunk of {a}, {b}, {a, b} and one of {c}, with and without terms."""
    seen = 0
    for size in range(1, 5):
        rows = [
            [bag(*chosen) for count in range(1, size + 1) for chosen in combinations_with_replacement(kinds, count)]
            for kinds in (("a", "b", "ab"), ("c",))
        ]
        nodes = [(size, [one, two], terms) for one in rows[0] for two in rows[1] for terms in (set(), {"t"})]
        for node, bound in zip(nodes, bounds(nodes, 2), strict=True):
            exact = smallest(node, 2)
            if exact is not None:
                assert bound == exact
                seen += 1
    assert seen > 300


@pytest.mark.parametrize("k", [2, 3])
@settings(max_examples=40)
@given(st.lists(trees(), min_size=2, max_size=4), st.integers(1, 3))
def test_all_trees_at_once_as_one_by_one_and_cut_off(k: int, nodes: list[Any], most_known: int) -> None:
    assert bounds(nodes, most_known, k) == [min(k, bounds([node], most_known)[0]) for node in nodes]


def test_counterexamples() -> None:
    """What the paper's conditions let pass, or what breaks them after refining."""
    assert oracle.property1(PRINTED, 2, 2)
    assert bounds([PRINTED], 2)[0] < 2
    # A leaf with one chunk that does not fill it, and no term chunk: the formula (c - s) / (h - 1) says nothing.
    assert bounds([(3, [bag("a", "a")], set())], 2) == [0]
    assert oracle.property1(NO_ROOM, 3, 2)
    assert all(oracle.lemma2(leaf, 3, 2) for leaf in oracle.leaves(NO_ROOM))
    assert not oracle.guarantee1(NO_ROOM, 3, 2)
    assert bounds([NO_ROOM], 2) == [2]
    without_property_1 = (
        [(3, [bag("ab", "ab", "ab")], set()), (3, [], {"e"}), (3, [], {"f"})],
        [bag("ac", "ac", "ac", "c", "d", "d", "d")],
    )
    assert bounds([without_property_1], 2) == [1]


def test_lemma_2_is_not_needed_by_what_cannot_occur() -> None:
    """Four records, two a and two b, nothing else: no record has both, so that each item is all that counts."""
    node = (4, [bag("a", "a"), bag("b", "b")], set())
    assert not oracle.lemma2(node, 2, 2)
    assert oracle.guarantee1(node, 2, 2)
    assert bounds([node], 2) == [2]
    # In a joint a shared subrecord may fill the record that is left: then {a, b} occurs, once.
    joint = ([node, (2, [bag("x", "x")], set())], [bag("c", "c")])
    assert oracle.largest_supports(joint, 2)[frozenset("ab")] == 2
    assert bounds([joint], 2) == [0]


def test_room_is_found_by_a_flow_where_counting_free_records_is_not_enough() -> None:
    """No leaf is free of both a and b, and still there is room for all of them anywhere."""
    leaves = [(5, [bag(*"aaaaa")], {"t"}), (5, [bag(*"bbbbb")], {"t"})]
    node = (leaves, [bag("a", "a", "b", "b")])
    seen = Trees.of(disassociated([node]))
    shared = int(np.flatnonzero(seen.release.chunk_shared)[0])
    assert (seen.free_records[shared], seen.restricted_subrecords[shared]) == (0, 4)
    assert bounds([node], 2) == [2]
    assert oracle.largest_supports(node, 2)[frozenset("ab")] == 4


@settings(max_examples=100)
@given(joint_trees())
def test_a_flow_finds_room_exactly_when_there_is_some(node: Any) -> None:
    """Only the chunks at the top are at stake here: below, every leaf gets a term item, and joints lose theirs."""

    def eased(part: Any) -> Any:
        if len(part) == 3:
            return (part[0], part[1], {*part[2], "t"})
        return ([eased(child) for child in part[0]], [])

    top = ([eased(child) for child in node[0]], node[1])
    seen = Trees.of(disassociated([top]))
    found = [Room.of(seen, int(chunk)) for chunk in np.flatnonzero(seen.release.chunk_shared)]
    possible = next(iter(oracle.worlds(top)), None) is not None
    assert all(room is not None and room.fits() for room in found) == possible


def test_too_much_to_look_at_counts_as_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    leaves = [(5, [bag(*"aaaaa")], {"t"}), (5, [bag(*"bbbbb")], {"t"})]
    monkeypatch.setattr(shared_chunk_room, "CELLS", 0)
    assert bounds([(leaves, [bag("a", "a", "b", "b")])], 2) == [0]
    # Where free records are enough, nothing has to be looked at.
    monkeypatch.setattr(shared_chunk_room, "CELLS", 0)
    assert bounds([([*leaves, (5, [], {"t"})], [bag("a", "a", "b", "b")])], 2) == [2]


WAYS = {"counted": Limits(), "tiny blocks": Limits(block_itemsets=1), "searched": Limits(chunk_itemsets=-1)}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=80)
@given(st.lists(chunks(), min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 6))
def test_smallest_supports(way: str, bags: list[Any], most_known: int, most: int) -> None:
    seen = Trees.of(disassociated([(99, [one], {"z"}) for one in bags]))
    found = smallest_supports(seen, np.ones(len(bags), bool), most, most_known, WAYS[way])
    expected = [min(most, *oracle.itemset_supports(one, most_known).values()) for one in bags]
    assert found.tolist() == expected


def test_supports_that_were_not_counted_are_unknown() -> None:
    seen = Trees.of(disassociated([(9, [bag("abc", "abd", "acd", "bcd")], {"z"})]))
    wanted = np.ones(1, bool)
    assert smallest_supports(seen, wanted, 3, 3, Limits(total_itemsets=0)).tolist() == [0]
    assert smallest_supports(seen, wanted, 3, 3, Limits(chunk_itemsets=-1, search_work=0)).tolist() == [0]
    assert smallest_supports(seen, ~wanted, 3, 3, Limits()).tolist() == [3]
    assert smallest_supports(seen, wanted, 3, 3, Limits()).tolist() == [1]


def test_k_and_m_beyond_everything() -> None:
    nodes = [(3, [bag("ab", "ab", "ab")], set())]
    assert lower_bounds(Trees.of(disassociated(nodes)), 2**70, 2**70).tree.tolist() == [3]
