"""The trees of a release, what is closed in them, and which subrecords may go where, as the definition says."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.possible_originals import trees as laid_out
from shoal.audit.attack.disassociated.possible_originals.restricted_subrecords import Takers
from shoal.audit.attack.disassociated.possible_originals.shared_chunk_room import Room
from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from shoal.errors import InputError
from tests.making.cluster_trees import NO_ROOM, bag, joint_trees, trees
from tests.making.disassociated_releases import disassociated
from tests.oracles import disassociation as oracle


def closed_below(node: Any) -> list[set[str]]:
    """For each leaf below a node, in order: the items that are closed for it as seen from the node's own chunks."""
    if len(node) == 3:
        return [set()]
    closed = []
    for child in node[0]:
        own = {item for chunk in child[1] for row in chunk for item in row}
        closed.extend(shut | own for shut in closed_below(child))
    return closed


def joints(node: Any) -> list[Any]:
    return [] if len(node) == 3 else [node, *(below for child in node[0] for below in joints(child))]


@settings(max_examples=100)
@given(st.lists(joint_trees(), min_size=1, max_size=2))
def test_closed_items_restricted_subrecords_and_free_records(nodes: list[Any]) -> None:
    release = disassociated(nodes)
    seen = Trees.of(release)
    takers = Takers.of(seen)
    words = np.array(release.words, object)
    # The builder numbers clusters depth first, so that shared chunks come in the order of their joints.
    shared = np.flatnonzero(release.chunk_shared).tolist()
    expected = [(joint, chunk) for node in nodes for joint in joints(node) for chunk in joint[1]]
    assert len(shared) == len(expected)
    for chunk, (joint, subrecords) in zip(shared, expected, strict=True):
        domain = set().union(*subrecords)
        closed = closed_below(joint)
        sizes = [leaf[0] for leaf in oracle.leaves(joint)]
        items = words[seen.domains.item[seen.domains.offsets[chunk] : seen.domains.offsets[chunk + 1]]]
        found = [set(items[row]) for row in seen.closed_items(chunk)]
        assert found == [domain & shut for shut in closed]
        free = [not domain & shut for shut in closed]
        assert seen.free_records[chunk] == sum(size for size, is_free in zip(sizes, free, strict=True) if is_free)
        somewhere = set().union(*closed)
        assert seen.restricted_subrecords[chunk] == sum(bool(row & somewhere) for row in subrecords)
        first = int(seen.first_leaf[release.chunk_owner[chunk]])
        leaves = np.arange(first, first + len(closed))
        assert takers.free(np.full(len(leaves), chunk), leaves).tolist() == free
        room = Room.of(seen, chunk)
        assert room is not None
        rows = range(int(seen.row_of_chunk[chunk]), int(seen.row_of_chunk[chunk + 1]))
        for number, row in enumerate(rows):
            held = set(words[seen.bags.items[seen.bags.offsets[row] : seen.bags.offsets[row + 1]]])
            allowed = [not held & shut for shut in closed]
            assert takers.allowed(np.full(len(leaves), row), leaves).tolist() == allowed
            assert room.allowed[number][room.pattern].tolist() == allowed


@given(st.lists(trees(), min_size=1, max_size=3))
def test_one_tree_as_values(nodes: list[Any]) -> None:
    release = disassociated(nodes)
    seen = Trees.of(release)
    assert seen.n_trees == len(nodes)
    for number, node in enumerate(nodes):
        tree, leaves = seen.one(number), oracle.leaves(node)
        assert tree.sizes == tuple(leaf[0] for leaf in leaves)
        assert [{release.words[item] for item in terms} for terms in tree.terms] == [set(leaf[2]) for leaf in leaves]
        assert sum(sum(part.counts) for part in tree.parts) == sum(
            len(chunk) for part in [*leaves, *joints(node)] for chunk in part[1]
        )
        for part in tree.parts:
            assert part.shared or (len(part.leaves) == 1 and not part.closed[0])
        # What is further down comes first.
        spans = [len(part.leaves) for part in tree.parts]
        for early, late in zip(tree.parts, tree.parts[1:], strict=False):
            assert set(early.leaves) <= set(late.leaves) or not set(early.leaves) & set(late.leaves)
        assert spans.count(len(tree.sizes)) >= (len(node[1]) > 0)


def test_who_may_take_what() -> None:
    release = disassociated([NO_ROOM])
    tree = Trees.of(release).one(0)
    top = tree.parts[-1]
    code = {word: number for number, word in enumerate(release.words)}
    takers = {row: top.takers(number) for number, row in enumerate(top.rows)}
    assert takers == {(code["a"],): [1, 2], (code["b"],): [0, 1, 2]}


def test_blocks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [NO_ROOM, ([NO_ROOM, (3, [bag("b", "b", "b")], {"t"})], [bag("ab", "a", "y")])]
    before = Trees.of(disassociated(nodes)).free_records.tolist()
    monkeypatch.setattr(laid_out, "_PAIRS", 1)
    assert Trees.of(disassociated(nodes)).free_records.tolist() == before
    assert before[-1] != before[0]


def test_a_long_chain_of_joints() -> None:
    node: Any = (2, [bag("a", "a")], {"x"})
    for number in range(300):
        node = ([node, (2, [bag(f"{number}", f"{number}")], {"x"})], [bag("b", "b")] if number % 100 == 0 else [])
    seen = Trees.of(disassociated([node]))
    assert len(seen.leaves) == 301
    # From the second b up, whatever is below the first is closed.
    assert sorted(seen.free_records[seen.release.chunk_shared].tolist()) == [4, 200, 200]


@pytest.mark.parametrize(
    ("node", "why"),
    [
        ((2, [bag("a", "a"), bag("a")], set()), "a is in chunk"),
        ((2, [bag("a", "a")], {"a"}), "term chunk"),
        ((1, [bag("a", "a")], {"b"}), "2 subrecords for 1 record"),
        ((2, [[]], {"b"}), "no subrecord"),
        ((0, [], {"b"}), "claims 0 records"),
    ],
)
def test_what_is_no_disassociation_is_refused(node: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        Trees.of(disassociated([node]))


def test_an_endless_chain_is_refused() -> None:
    release = disassociated([([(2, [bag("a", "a")], {"x"})], [bag("b", "b")])])
    fields = {field.name: getattr(release, field.name) for field in dataclasses.fields(release)}
    fields["cluster_parent"] = np.array([1, 0], np.int64)
    with pytest.raises(InputError, match=r"circle|owner"):
        Trees.of(type(release)(**fields))
