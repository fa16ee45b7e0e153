"""Local recoding: what it does row by row, what every group may rely on, and that nothing depends on the order."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data.node_tree import NodeTree
from shoal.publish import mondrian
from shoal.publish.mondrian import generalize
from shoal.run import Run
from tests.making.node_trees import bottoms, node_trees
from tests.oracles.local_recoding import child_above, path, recode

ALLOWANCES = st.sampled_from([0, 0, 1, 3, 9])


@st.composite
def tables(draw):
    """Trees, and rows of their bottom nodes, of which some are frequent."""
    trees = draw(st.lists(node_trees(), min_size=1, max_size=3))
    row = st.tuples(*(st.sampled_from(bottoms(tree)) for tree in trees))
    kinds = draw(st.lists(st.tuples(row, st.integers(1, 5)), min_size=3, max_size=9))
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


@given(tables(), st.integers(2, 4), ALLOWANCES)
def test_every_row_is_published_as_the_description_says(table, k, allowance):
    trees, rows = table
    if len(rows) < k:
        return
    expected = recode(
        rows, [one.parents.tolist() for one in trees], [one.leaves.tolist() for one in trees], k, allowance
    )
    assert published(trees, rows, k, allowance) == expected


@given(tables(), st.integers(2, 4), ALLOWANCES)
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


@given(tables(), st.integers(2, 4))
def test_no_split_is_left_that_the_rule_allows(table, k):
    # From what is published alone: a group is what shares all labels.
    trees, rows = table
    if len(rows) < k:
        return
    groups = {}
    for row, nodes in zip(rows, published(trees, rows, k), strict=True):
        groups.setdefault(nodes, []).append(row)
    for nodes, members in groups.items():
        for column, (one, node) in enumerate(zip(trees, nodes, strict=True)):
            sizes = Counter(child_above(one.parents.tolist(), node, row[column]) for row in members)
            if None in sizes:
                assert list(sizes) == [None]  # all of them are at the bottom
                continue
            few = sum(size for size in sizes.values() if size < k)
            large = sum(size >= k for size in sizes.values())
            assert len(sizes) > 1
            assert large == 0 or (large == 1 and 0 < few < k)


@given(tables(), st.integers(2, 4), ALLOWANCES, st.randoms())
def test_the_order_of_rows_is_irrelevant(table, k, allowance, random):
    trees, rows = table
    if len(rows) < k:
        return
    order = list(range(len(rows)))
    random.shuffle(order)
    found = published(trees, rows, k, allowance)
    assert published(trees, [rows[i] for i in order], k, allowance) == [found[i] for i in order]


@given(tables(), st.integers(2, 4), ALLOWANCES, st.integers(1, 30))
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
    # Columns that go down for free are lost by a suppressed row: one is worth the two rows that it lets go down, three
    # are not.
    rows = [(1, 1)] * 3 + [(1, 2)] * 2 + [(1, 3)]
    assert published([FLAT] * 2, rows, 2, allowance=1) == [(1, 1)] * 3 + [(1, 2)] * 2 + [None]
    rows = [(1, 1, *row) for row in rows]
    assert published([FLAT] * 4, rows, 2, allowance=1) == [(1, 1, 1, 1)] * 3 + [(1, 1, 1, 0)] * 3


def test_the_allowance_is_of_people_not_of_kinds_of_them():
    pairs = tree([-1, 0, 1, 1, 1, 0, 5, 5, 5], [6, 3, 1, 1, 1, 3, 1, 1, 1])
    rows = [(2,)] * 4 + [(3,)] * 2 + [(6,)] * 4 + [(7,)] * 2
    one = [(2,)] * 4 + [None] * 2 + [(5,)] * 6
    assert published([pairs], rows, 3, allowance=3) == one
    assert published([pairs], rows, 3, allowance=4) == one[:6] + [(6,)] * 4 + [None] * 2


def test_of_children_of_one_size_the_first_stays():
    rows = [(2,)] * 2 + [(1,)] * 2 + [(3,)]
    assert published([FLAT], rows, 2) == [(2,)] * 2 + [(0,)] * 3


def test_who_stayed_goes_down_when_those_are_gone_who_kept_them():
    # The smallest child, 1, stays for the sake of a single 2. The other column, which saves less, parts them again.
    trees = [FLAT, tree([-1, 0, 0, 0], [30, 28, 28, 28])]
    rows = [(1, 1)] * 2 + [(1, 2), (2, 2)] + [(3, 3)] * 4
    assert published(trees, rows, 2) == [(1, 1)] * 2 + [(0, 2)] * 2 + [(3, 3)] * 4


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
    generalize([np.array([1, 1, 2], np.int32)], [FLAT], 2, run=Run(progress=lambda *step: seen.append(step)))
    assert [step for step in seen if step[0] == "generalize"] == [("generalize", 0, 3), ("generalize", 3, 3)]
