"""Rows of nodes with marks, and how many of them hold nodes below given ones, against naive twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.rare_node_sets import node_places, raised_rows, rows_with
from tests.making.node_trees import bottoms, node_trees


@st.composite
def marked_rows(draw):
    """A tree, and rows of its bottom nodes."""
    tree = draw(node_trees())
    row = st.sets(st.sampled_from(bottoms(tree)), min_size=1)
    return tree, draw(st.lists(row, min_size=1, max_size=8))


def flat(tree, rows):
    mark = len(tree)
    return np.array([mark, *(x for row in rows for x in (*sorted(row), mark))], np.int32)


@given(marked_rows(), st.data())
def test_rows_with_nodes_below_are_counted_once_each_up_to_enough(made, data):
    tree, rows = made
    chosen: list[int] = []
    for node in data.draw(st.permutations(range(len(tree)))):
        if all(node >= tree.ends[x] or x >= tree.ends[node] for x in chosen):
            chosen.append(node)
    chosen = sorted(chosen[: data.draw(st.integers(1, 3))])
    held = flat(tree, rows)
    starts, places = node_places(held, len(tree))
    for node in range(len(tree)):
        assert places[starts[node] : starts[node + 1]].tolist() == np.flatnonzero(held == node).tolist()
    expected = sum(all(any(x <= y < tree.ends[x] for y in row) for x in chosen) for row in rows)
    for enough in (1, 3, 100):
        counted = rows_with(held, starts, places, tree.ends, np.array(chosen), len(chosen), enough, len(tree))
        assert counted == min(expected, enough)


@given(marked_rows(), st.data())
def test_raised_rows_hold_each_node_once(made, data):
    tree, rows = made
    now = np.arange(len(tree), dtype=np.int32)
    for node in data.draw(st.lists(st.integers(0, len(tree) - 1), max_size=3)):
        if now[node] == node:
            now[node : tree.ends[node]] = node
    raised = raised_rows(flat(tree, rows), now, len(tree))
    assert raised.tolist() == flat(tree, [{int(now[x]) for x in row} for row in rows]).tolist()
