"""The auditor's own code for values, trees and parts, beside that of the publisher, on random input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.audit import parts, trees, values
from shoal.data import ragged
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from tests.making.node_trees import node_trees

LENGTHS = st.lists(st.integers(0, 4), max_size=8)
CELLS = {
    pa.int64(): st.integers(-(2**60), 2**60) | st.integers(-3, 3),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float64(): st.floats() | st.integers(-5, 5).map(float) | st.sampled_from([2.0**53, 2.0**53 - 1, -0.0, 1e22]),
    pa.string(): st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
    pa.decimal128(9, 2): st.decimals(-999, 999, places=2),
}


@given(LENGTHS, st.integers(0, 5))
def test_parts_are_laid_out_as_the_publisher_lays_them(lengths: list[int], shift: int) -> None:
    sizes = np.array(lengths, np.int64)
    assert parts.steps(sizes).tolist() == ragged.steps(sizes).tolist() == [i for n in lengths for i in range(n)]
    start = (np.arange(len(sizes)) * 7 + shift) % 11
    for own, other in zip(parts.expand(start, start + sizes), ragged.expand(start, start + sizes), strict=True):
        assert own.tolist() == other.tolist()


@st.composite
def columns(draw: st.DrawFn) -> tuple[pa.DataType, list[Any]]:
    kind = draw(st.sampled_from(list(CELLS)))
    return kind, draw(st.lists(CELLS[kind] | st.none(), min_size=1))


@given(columns())
def test_values_are_read_as_the_publisher_reads_them(made: tuple[Any, list[Any]]) -> None:
    kind, cells = made
    table = Table.from_arrow(pa.table({"v": pa.array(cells, kind), "w": pa.array(range(len(cells)), pa.int64())}))
    column, other = table.columns
    assert values.column_texts(column) == column.texts
    assert values.rows_of_values(column).tolist() == column.counts.tolist()
    for asked in ([column], [column, other], [other, column]):
        numbers = values.numbers_of_rows(asked)
        assert numbers.tolist() == table.group_numbers([one.name for one in asked]).tolist()


def test_rows_are_numbered_though_their_keys_would_be_too_large() -> None:
    codes = [np.array([0, 1, 1, 2**20]) for _ in range(5)]
    assert values.numbers_of_keys([(each, 2**20 + 1) for each in codes]).tolist() == [0, 1, 1, 2]


@given(st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1))
def test_records_of_items(records: list[set[str]]) -> None:
    data = Transactions.from_records(records)
    assert values.records_of_items(data).tolist() == [sum(word in one for one in records) for word in data.words]


@given(node_trees(max_nodes=14))
def test_what_is_below_a_node_is_what_the_publisher_says(tree: NodeTree) -> None:
    assert trees.ends(tree).tolist() == tree.ends.tolist()
    assert trees.depths(tree).tolist() == tree.depths.tolist()
    assert trees.bottom(tree).tolist() == tree.is_bottom.tolist()
    below = [[b for b in range(len(tree)) if a == b or a in tree.ancestors(b)] for a in range(len(tree))]
    assert trees.inner_nodes(tree).tolist() == [sum(not tree.is_bottom[b] for b in found) for found in below]
    lengths = [[int(tree.depths[b] - tree.depths[a]) for b in found] for a, found in enumerate(below)]
    assert trees.heights(tree).tolist() == [max(found) for found in lengths]


TWICE = Hierarchy.from_rows([("a", "m", "*", "*"), ("b", "m", "*", "*"), ("c", "n", "m", "*"), ("d", "o", "m", "*")])
"""A label of two nodes that are below the same one, at two levels."""


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Labels level by level, among them the root's, repeated ones, and nodes of one child."""
    n, height = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    groups = list(range(n))
    paths: list[list[str]] = [[f"v{leaf}"] for leaf in range(n)]
    for level in range(1, height):
        joined = {group: draw(st.integers(0, 3)) for group in sorted(set(groups))}
        named = {group: draw(st.sampled_from(["*", f"n{level}.{group}", f"m{group}"])) for group in range(4)}
        groups = [joined[group] for group in groups]
        for path, group in zip(paths, groups, strict=True):
            path.append("*" if path[-1] == "*" else named[group])
    return Hierarchy.from_rows([[*path, "*"] for path in paths])


@given(hierarchies())
@example(TWICE)
def test_a_tree_is_made_of_a_hierarchy_as_the_publisher_makes_it(hierarchy: Hierarchy) -> None:
    def of(made: Any) -> Any:
        try:
            tree = made(hierarchy)
        except InputError:
            return None
        assert all(0 <= parent < node for node, parent in enumerate(tree.parents.tolist()) if node)
        above = [None, *(tree.labels[parent] for parent in tree.parents[1:].tolist())]
        assert [end - 1 for end in tree.ends.tolist()] == [
            max(b for b in range(len(tree)) if a == b or a in tree.ancestors(b)) for a in range(len(tree))
        ]
        return {(label, parent, int(n)) for label, parent, n in zip(tree.labels, above, tree.leaves, strict=True)}

    assert of(trees.tree_of) == of(NodeTree.from_hierarchy)


def outcome(looked_up: Callable[[], list[str]]) -> list[str] | str:
    """The leaves, or what is wrong; not what to do about it."""
    try:
        return looked_up()
    except InputError as error:
        first, *lines = str(error).splitlines()
        return "\n".join([first, *(line for line in lines if line.startswith("  "))])  # without advice


NUMBERS = ("1", "1.0", "01", "+1", "1e0", "-0", "0", "0.50", ".5", "5e-1", "9007199254740993", "9007199254740992", "x")


@given(st.lists(st.sampled_from(NUMBERS), min_size=1, unique=True), st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0**53])))
def test_values_are_looked_up_as_the_publisher_looks_them_up(leaves: list[str], cells: list[float]) -> None:
    hierarchy = Hierarchy.from_rows([(leaf, "*") for leaf in leaves])
    column = Table.from_arrow(pa.table({"v": pa.array(cells, pa.float64())})).column("v")
    own = outcome(lambda: trees.leaves_of(values.column_texts(column), hierarchy, numbers=True))
    assert own == outcome(lambda: [leaves[place] for place in hierarchy.places(column).tolist()])
    if not set(column.texts) <= set(leaves):
        with pytest.raises(InputError, match="without a place"):
            trees.leaves_of(column.texts, hierarchy, numbers=False)
