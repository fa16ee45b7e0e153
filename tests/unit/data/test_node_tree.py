"""Hierarchies as trees of nodes with labels of their own."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Table
from shoal.errors import InputError


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Trees of up to four levels whose labels tell where they are."""
    leaves = draw(st.integers(1, 12))
    levels = [[str(leaf) for leaf in range(leaves)]]
    groups = list(range(leaves))
    for level in range(draw(st.integers(0, 3))):
        n = max(groups) + 1
        joined = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
        dense = {group: at for at, group in enumerate(dict.fromkeys(joined))}
        groups = [dense[joined[group]] for group in groups]
        levels.append([f"{'abc'[level]}{group}" for group in groups])
    return Hierarchy.from_rows(zip(*levels, ["*"] * leaves, strict=True), name="made up")


def covered(hierarchy: Hierarchy) -> dict[str, frozenset[str]]:
    """The leaves below each label, the lowest label for those that cover the same."""
    below: dict[str, set[str]] = {}
    for row in hierarchy.rows():
        for label in row:
            below.setdefault(label, set()).add(row[0])
    return {label: frozenset(leaves) for label, leaves in below.items()}


@given(hierarchies())
def test_every_set_of_leaves_that_the_hierarchy_knows_is_one_node(hierarchy: Hierarchy) -> None:
    tree = NodeTree.from_hierarchy(hierarchy)
    below = covered(hierarchy)
    if hierarchy.n_leaves > 1:
        assert {below[label] for label in tree.labels} == set(below.values())
        assert len(tree) == len(set(below.values()))
    assert tree.leaves.tolist() == [len(below[label]) for label in tree.labels]
    assert set(hierarchy.leaves) <= set(tree.labels), "a value is never called by a node above it"


@given(hierarchies())
def test_what_is_below_a_node_follows_it(hierarchy: Hierarchy) -> None:
    tree = NodeTree.from_hierarchy(hierarchy)
    below = covered(hierarchy)
    for node, label in enumerate(tree.labels):
        inside = range(node, int(tree.ends[node]))
        for other, name in enumerate(tree.labels):
            if hierarchy.n_leaves > 1:
                assert (other in inside) == (below[name] <= below[label])
            assert bool(tree.at_or_above[node, other]) == (other in inside)
        assert tree.depths[node] == len(list(tree.ancestors(node)))
        assert bool(tree.is_bottom[node]) == (len(inside) == 1)


@given(hierarchies(), st.data())
def test_a_cut_tree_keeps_what_is_in_use_and_what_is_above_it(hierarchy: Hierarchy, data: st.DataObject) -> None:
    tree = NodeTree.from_hierarchy(hierarchy)
    used = data.draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree)))
    cut, place = tree.cut(used)
    kept = {node for node, use in enumerate(used) if use} | {0}
    kept |= {above for node in list(kept) for above in tree.ancestors(node)}
    assert [node for node in range(len(tree)) if place[node] >= 0] == sorted(kept)
    for node in kept:
        at = int(place[node])
        assert cut.labels[at] == tree.labels[node]
        assert cut.leaves[at] == tree.leaves[node]
        assert [cut.labels[above] for above in cut.ancestors(at)] == [tree.labels[a] for a in tree.ancestors(node)]


def test_numbers_in_labels_are_ordered_as_numbers_and_equal_beginnings_stay_together() -> None:
    rows = [("x", "01", "*"), ("b", "1", "*"), ("c", "01", "*"), ("a", "1", "*"), ("10", "9x", "*"), ("9", "9x", "*")]
    tree = NodeTree.from_hierarchy(Hierarchy.from_rows(rows))
    assert tree.labels == ("*", "01", "c", "x", "1", "a", "b", "9x", "9", "10")
    assert tree.ends.tolist() == [10, 4, 3, 4, 7, 6, 7, 10, 9, 10]


def test_values_find_their_nodes_however_the_number_is_written() -> None:
    hierarchy = Hierarchy.from_rows([("39.0", "old", "*"), ("40", "old", "*"), ("7", "young", "*")])
    column = Table.from_arrow(pa.table({"age": [39, 7, 40]})).column("age")
    tree = NodeTree.from_hierarchy(hierarchy)
    assert [tree.labels[node] for node in tree.places(column, hierarchy)] == ["7", "39.0", "40"]


def test_the_root_keeps_its_name_where_a_node_below_it_covers_all_values() -> None:
    hierarchy = Hierarchy.from_rows(
        [("130", "13*", "1**", "*"), ("131", "13*", "1**", "*"), ("148", "14*", "1**", "*")]
    )
    assert NodeTree.from_hierarchy(hierarchy).labels == ("*", "13*", "130", "131", "148")
    alone = NodeTree.from_hierarchy(Hierarchy.from_rows([("130", "13*", "1**", "*")]))
    assert (alone.labels, alone.parents.tolist(), alone.leaves.tolist()) == (("*", "130"), [-1, 0], [1, 1])


def test_a_label_for_two_sets_of_values_is_refused() -> None:
    hierarchy = Hierarchy.from_rows([("a", "a", "*"), ("b", "a", "*"), ("c", "d", "*")], name="job")
    with pytest.raises(InputError, match=r"'job'.*'a' occurs at two places"):
        NodeTree.from_hierarchy(hierarchy)


def test_values_without_a_place_are_directly_below_the_root_however_many_there_are() -> None:
    rows = [("beer", "drinks", "*"), ("wine", "drinks", "*"), ("bread", "food", "*")]
    tree = NodeTree.from_hierarchy(Hierarchy.from_rows(rows, column=["beer", "jam", "rum"], complete=True))
    below = {
        label: tree.labels[parent] for label, parent in zip(tree.labels[1:], tree.parents[1:].tolist(), strict=True)
    }
    assert below == {"beer": "drinks", "bread": "*", "drinks": "*", "jam": "*", "rum": "*", "wine": "drinks"}
    assert tree.leaves[0] == 5
