"""Bottom-up generalization against trying every candidate on all rows at every step."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.publish.bottom_up import Weights, generalize
from tests.making.node_trees import bottoms, node_trees
from tests.oracles.bottom_up import bottom_up


@st.composite
def rows_with_trees(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], list[Any]]:
    """Up to 24 rows of up to three columns."""
    trees = draw(st.lists(node_trees(), min_size=1, max_size=3))
    cells = st.tuples(*(st.sampled_from(bottoms(tree)) for tree in trees))
    return draw(st.lists(cells, min_size=2, max_size=24)), trees


def published(rows: list[tuple[int, ...]], trees: list[Any], k: int, **options: Any) -> list[tuple[str, ...] | None]:
    values = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    nodes, suppressed = generalize(values, trees, k, **options)
    labels = [[tree.labels[node] for node in column] for tree, column in zip(trees, nodes, strict=True)]
    cells = zip(*labels, strict=True)
    return [None if gone else row for row, gone in zip(cells, suppressed.tolist(), strict=True)]


def oracle(rows: list[tuple[int, ...]], trees: list[Any], k: int, **options: Any) -> list[tuple[str, ...] | None]:
    named = [
        {label: None if up < 0 else tree.labels[up] for label, up in zip(tree.labels, tree.parents, strict=True)}
        for tree in trees
    ]
    texts = [tuple(tree.labels[cell] for tree, cell in zip(trees, row, strict=True)) for row in rows]
    leaves = [dict(zip(tree.labels, tree.leaves.tolist(), strict=True)) for tree in trees]
    return bottom_up(texts, named, k, leaves=leaves, **options)


@given(rows_with_trees(), st.data())
def test_steps_are_those_of_the_definition(case: tuple[list[tuple[int, ...]], list[Any]], data: st.DataObject) -> None:
    rows, trees = case
    k = data.draw(st.integers(2, len(rows)))
    allowance = data.draw(st.integers(0, len(rows) - 1))
    loss = data.draw(st.sampled_from(["entropy", "taxonomy", "ncp"]))
    weights = data.draw(st.sampled_from([(1.0, 1.0), (0.0, 1.0), (2.0, 0.5), (1.0, 0.0)]))
    take_back = data.draw(st.booleans())
    found = published(rows, trees, k, allowance=allowance, loss=loss, weights=Weights(*weights), take_back=take_back)
    options = {"allowance": allowance, "loss": loss, "weights": weights, "take_back": take_back}
    assert found == oracle(rows, trees, k, **options)


@given(rows_with_trees(), st.data())
def test_every_group_has_k_rows_and_few_rows_are_suppressed(
    case: tuple[list[tuple[int, ...]], list[Any]], data: st.DataObject
) -> None:
    rows, trees = case
    k = data.draw(st.integers(2, len(rows)))
    allowance = data.draw(st.integers(0, len(rows) - 1))
    found = published(rows, trees, k, allowance=allowance)
    assert min(Counter(row for row in found if row is not None).values()) >= k
    assert sum(row is None for row in found) <= allowance


@given(rows_with_trees(), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(case: tuple[list[tuple[int, ...]], list[Any]], random: Any) -> None:
    rows, trees = case
    order = list(range(len(rows)))
    random.shuffle(order)
    found = published(rows, trees, 2)
    again = published([rows[at] for at in order], trees, 2)
    assert again == [found[at] for at in order]


def test_many_groups_of_one_row_are_handled_as_the_definition_says() -> None:
    """More groups than are remembered of each candidate, so that remembering them matters."""
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.node_tree import NodeTree

    generator = np.random.default_rng(7)
    numbers = Hierarchy.from_rows([(str(i), f"t{i // 4}", f"u{i // 16}", "*") for i in range(48)], name="number")
    tree = NodeTree.from_hierarchy(numbers)
    leaves = np.array(bottoms(tree))
    rows = [tuple(row) for row in leaves[generator.integers(0, 48, (120, 2))].tolist()]
    for k, allowance in ((2, 0), (5, 10)):
        assert published(rows, [tree, tree], k, allowance=allowance) == oracle(
            rows, [tree, tree], k, allowance=allowance
        )


@pytest.mark.parametrize(("loss", "first"), [("entropy", "a"), ("taxonomy", "b")])
def test_the_two_losses_prefer_different_steps(loss: str, first: str) -> None:
    """Column a has three values that are rare but for one, column b two that are equally frequent; both steps do."""
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.node_tree import NodeTree

    a = NodeTree.from_hierarchy(Hierarchy.from_rows([("x", "*"), ("y", "*"), ("z", "*")]))
    b = NodeTree.from_hierarchy(Hierarchy.from_rows([("p", "*"), ("q", "*")]))
    rows = [(1, 1)] * 10 + [(1, 2)] * 10 + [(2, 1), (2, 2), (3, 1), (3, 2)]
    found = published(rows, [a, b], 2, loss=loss, weights=Weights(anonymity=0), take_back=False)
    names = {row for row in found if row is not None}
    assert {first} == ({"a"} if any(b_cell != "*" for _, b_cell in names) else {"b"})


@pytest.mark.parametrize(("weights", "joined"), [(Weights(), "b"), (Weights(loss=0), "a"), (Weights(loss=0.5), "a")])
def test_what_weighs_less_decides_less(weights: Weights, joined: str) -> None:
    """Joining the four values of a makes the smallest group grow by 6, the two of b by 3; they lose 3 and 1."""
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.node_tree import NodeTree

    a = NodeTree.from_hierarchy(Hierarchy.from_rows([(value, "*") for value in "wxyz"]))
    b = NodeTree.from_hierarchy(Hierarchy.from_rows([("p", "*"), ("q", "*")]))
    rows = [(value, other) for value in range(1, 5) for other in (1, 2) for _ in range(1 + other)]
    found = published(rows, [a, b], 4, loss="taxonomy", weights=weights, take_back=False)
    assert {"a" if row[0] == "*" else "b" for row in found if row is not None} == {joined}
