"""Hierarchies of items made from their names alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.item_hierarchies import neighbours
from shoal.data.node_tree import NodeTree

# Names that look like the labels that are made up, and like the root.
names = st.sets(
    st.sampled_from(["a", "b", "c", "*", "**", "a .. b", "a .. b (group)", "*..a", "b .. c", "7", "10"]), min_size=1
)
numbers = st.sets(st.integers(0, 200).map(str), min_size=1, max_size=40)


@given(names | numbers, st.integers(2, 5))
def test_every_item_has_a_place_and_no_label_stands_for_two_things(items: set[str], fanout: int) -> None:
    made = neighbours(items, fanout=fanout)
    assert set(made.leaves) == items
    tree = NodeTree.from_hierarchy(made)  # refuses a label that stands for different values
    children = [0] * len(tree)
    for parent in tree.parents[1:].tolist():
        children[parent] += 1
    assert max(children) <= fanout
    assert tree.leaves[0] == len(items)


@given(numbers, st.integers(2, 5))
def test_groups_are_runs_of_neighbours(items: set[str], fanout: int) -> None:
    made = neighbours(items, fanout=fanout)
    ordered = sorted(items, key=int)
    assert list(made.leaves) == ordered
    for level in range(1, made.height):
        codes = made.level_codes(level).tolist()
        assert codes == [place // fanout**level for place in range(len(ordered))]


def test_a_group_is_called_by_its_ends_and_one_of_a_single_item_as_that() -> None:
    assert list(neighbours("abc", fanout=2).rows()) == [("a", "a .. b", "*"), ("b", "a .. b", "*"), ("c", "c", "*")]
    assert list(neighbours("ab", fanout=2).rows()) == [("a", "*"), ("b", "*")]


def test_nothing_but_the_names_decides() -> None:
    once = neighbours(["c", "a", "b", "a"], fanout=2)
    assert list(once.rows()) == list(neighbours(["a", "b", "c"], fanout=2).rows())


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(shoal.errors.InputError, match="no items"):
        neighbours([])
    with pytest.raises(shoal.errors.InputError, match="fanout is 1"):
        neighbours(["a"], fanout=1)
