"""Local recoding: what it does row by row, what every group may rely on, and that nothing depends on the order."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data.node_tree import NodeTree
from shoal.publish import mondrian
from shoal.publish.mondrian import generalize
from tests.node_trees import bottoms, node_trees
from tests.oracles.local_recoding import path, recode


@st.composite
def tables(draw):
    """Trees, and rows of their bottom nodes, of which some are frequent."""
    trees = draw(st.lists(node_trees(), min_size=1, max_size=3))
    row = st.tuples(*(st.sampled_from(bottoms(tree)) for tree in trees))
    kinds = draw(st.lists(st.tuples(row, st.integers(1, 6)), min_size=1, max_size=10))
    rows = [row for row, times in kinds for _ in range(times)]
    return trees, draw(st.permutations(rows))


def published(trees, rows, k, allowance=0):
    """The nodes of each row, None where it is suppressed."""
    values = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    nodes, suppressed = generalize(values, trees, k, allowance=allowance)
    assert all(not column[suppressed].any() for column in nodes)
    cells = zip(*(column.tolist() for column in nodes), strict=True)
    return [None if gone else row for row, gone in zip(cells, suppressed.tolist(), strict=True)]


def tree(parents, leaves):
    labels = tuple(f"n{node}" for node in range(len(parents)))
    return NodeTree(labels, np.array(parents, np.int32), np.array(leaves, np.int64))


@given(tables(), st.integers(2, 6), st.integers(0, 4))
def test_every_row_is_published_as_the_description_says(table, k, allowance):
    trees, rows = table
    if len(rows) < k:
        return
    expected = recode(
        rows, [one.parents.tolist() for one in trees], [one.leaves.tolist() for one in trees], k, allowance
    )
    assert published(trees, rows, k, allowance) == expected


@given(tables(), st.integers(2, 6), st.integers(0, 4))
def test_groups_have_k_rows_cells_are_above_the_values_and_the_allowance_is_kept(table, k, allowance):
    trees, rows = table
    if len(rows) < k:
        return
    found = published(trees, rows, k, allowance)
    groups = Counter(found)
    assert groups.pop(None, 0) <= allowance
    assert all(size >= k for size in groups.values())
    for row, nodes in zip(rows, found, strict=True):
        if nodes is not None:
            for one, value, node in zip(trees, row, nodes, strict=True):
                assert node in path(one.parents.tolist(), value)


@given(tables(), st.integers(2, 4), st.integers(0, 4), st.randoms())
def test_the_order_of_rows_is_irrelevant(table, k, allowance, random):
    trees, rows = table
    if len(rows) < k:
        return
    order = list(range(len(rows)))
    random.shuffle(order)
    found = published(trees, rows, k, allowance)
    assert published(trees, [rows[i] for i in order], k, allowance) == [found[i] for i in order]


@given(tables(), st.integers(2, 4), st.integers(0, 4), st.integers(1, 30))
def test_work_in_small_portions_comes_to_the_same(table, k, allowance, budget):
    trees, rows = table
    if len(rows) < k:
        return
    found = published(trees, rows, k, allowance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mondrian, "_BUDGET", budget)
        assert published(trees, rows, k, allowance) == found


FLAT = tree([-1, 0, 0, 0], [3, 1, 1, 1])


def test_small_children_stay_together_where_they_are_k_rows():
    rows = [(1,)] * 3 + [(2,)] + [(3,)]
    assert published([FLAT], rows, 2) == [(1,)] * 3 + [(0,)] * 2


def test_the_smallest_child_stays_with_those_who_are_too_few():
    rows = [(1,)] * 3 + [(2,)] * 2 + [(3,)]
    assert published([FLAT], rows, 2) == [(1,)] * 3 + [(0,)] * 3


def test_those_who_are_too_few_are_suppressed_if_that_costs_less():
    # At the root the row has lost all, so that suppressing it costs nothing more.
    rows = [(1,)] * 3 + [(2,)] * 2 + [(3,)]
    assert published([FLAT], rows, 2, allowance=1) == [(1,)] * 3 + [(2,)] * 2 + [None]
    assert published([FLAT], [*rows, (3,)], 3, allowance=1) == [(1,)] * 3 + [(0,)] * 4


def test_rows_are_not_suppressed_where_that_costs_more():
    # The first column goes down for free: a suppressed row loses it, too. Two rows saved pay for one, one does not.
    rows = [(1, 1)] * 3 + [(1, 2)] * 2 + [(1, 3)]
    assert published([FLAT, FLAT], rows, 2, allowance=1) == [(1, 1)] * 3 + [(1, 2)] * 2 + [None]
    rows = [(1, 1)] * 5 + [(1, 2)] * 2 + [(1, 3)] * 2
    trees = [FLAT, tree([-1, 0, 0, 0], [30, 28, 28, 28])]
    assert published(trees, rows, 3, allowance=9) == [(1, 1)] * 5 + [(1, 0)] * 4


def test_a_column_that_saves_more_goes_first():
    # Both columns could be split, but only one of them: the wide one saves two thirds a row, the other one half.
    half = tree([-1, 0, 0], [3, 2, 2])
    third = tree([-1, 0, 0], [4, 2, 2])
    rows = [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert published([half, third], rows, 2) == [(0, 1), (0, 2), (0, 1), (0, 2)]
    assert published([third, half], rows, 2) == [(1, 0), (1, 0), (2, 0), (2, 0)]


def test_rows_of_one_value_go_all_the_way_down_for_free():
    deep = tree([-1, *range(64)], [*range(66, 2, -1), 1])
    assert published([deep], [(64,)] * 2, 2) == [(64,)] * 2


@example(1)
@given(st.integers(1, 64))
def test_deep_trees_end(levels):
    # A comb: at each depth a value, and what is below.
    parents, leaves = [-1], [levels + 1]
    for level in range(levels):
        parents += [2 * level, 2 * level]
        leaves += [1, levels - level]
    comb = tree(parents, leaves)
    rows = [(node,) for node in bottoms(comb) for _ in range(2)]
    assert published([comb], rows, 2) == rows


def test_more_combinations_than_a_number_can_tell_apart():
    wide = tree([-1] + [0] * 3000, [3000] + [1] * 3000)
    rows = [tuple((i * 7 + c) % 3000 + 1 for c in range(8)) for i in range(4)] * 2
    assert published([wide] * 8, rows, 2) == rows


def test_progress_begins_at_nothing_and_ends_with_all_rows():
    seen = []
    generalize([np.array([1, 1, 2], np.int32)], [FLAT], 2, progress=lambda *step: seen.append(step))
    assert [step for step in seen if step[0] == "generalize"] == [("generalize", 0, 3), ("generalize", 3, 3)]
