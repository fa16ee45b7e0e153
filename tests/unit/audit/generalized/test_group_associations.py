"""Associations of groups and the filling adversary, counted by the auditor and by the definition's own words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.generalized import associations as counting
from shoal.audit.generalized.associations import KINDS, Associations, find_associations
from shoal.audit.generalized.filling import fill
from shoal.audit.generalized.shares import at_least
from shoal.audit.generalized.shown_rows import ShownRows, gather
from tests.making.generalized_releases import Tree, flat_tree, node_tree
from tests.oracles import associations as oracle

TREES: list[Tree] = [
    flat_tree("abc"),
    {"*": None, "x": "*", "a": "x", "b": "x", "y": "*", "c": "y", "d": "y", "e": "*"},
    {"*": None, "m": "*", "u": "m", "p": "u", "q": "u", "r": "m", "s": "*"},
]


@st.composite
def groups(draw: st.DrawFn) -> tuple[list[Tree], list[list[tuple[str, ...]]]]:
    """Some groups of rows, whose cells are few different nodes at any height of their trees."""
    trees = draw(st.lists(st.sampled_from(TREES), min_size=1, max_size=3))
    cells = [draw(st.lists(st.sampled_from(list(tree)), min_size=1, max_size=4)) for tree in trees]
    row = st.tuples(*(st.sampled_from(column) for column in cells))
    return trees, draw(st.lists(st.lists(row, min_size=1, max_size=9), min_size=1, max_size=3))


def shown_rows(trees: list[Tree], rows: list[list[tuple[str, ...]]]) -> ShownRows:
    made = [node_tree(tree) for tree in trees]
    group = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
    flat = [row for part in rows for row in part]
    columns = [np.array([tree.labels.index(row[j]) for row in flat]) for j, tree in enumerate(made)]
    return gather(group, columns, made, np.bincount(group))[0]


def by_name(shown: ShownRows, found: Associations) -> dict[tuple[int, oracle.Association], Fraction]:
    def names(nodes: list[int]) -> oracle.Itemset:
        return frozenset((j, shown.trees[j].labels[node]) for j, node in enumerate(nodes) if node)

    made = {}
    for at in range(len(found)):
        sets = names(found.antecedent[at].tolist()), names(found.consequent[at].tolist())
        made[int(found.group[at]), (KINDS[found.kind[at]], *sets)] = Fraction(
            int(found.holders[at]), int(found.applies[at])
        )
    assert len(made) == len(found)
    return made


thresholds = st.sampled_from([0.1, 0.2, 0.3, 0.5, 1.0]), st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.75, 1.0])


@given(groups(), *thresholds, st.booleans())
@settings(max_examples=400, deadline=None)
def test_the_same_as_by_definition(
    drawn: tuple[list[Tree], list[list[tuple[str, ...]]]], support: float, confidence: float, filled: bool
) -> None:
    trees, rows = drawn
    shown = shown_rows(trees, rows)
    seen = fill(shown) if filled else shown
    found = find_associations(seen, support, confidence, Budget(1e9), filled=filled)
    wanted = {}
    for group, part in enumerate(rows):
        true = oracle.fill(part, trees) if filled else part
        for association, share in oracle.associations(true, trees, support, confidence, filled=filled).items():
            wanted[group, association] = share
    assert by_name(shown, found) == wanted
    # Fewer are looked at where only a witness is wanted, and every group that has any has one.
    some = by_name(shown, find_associations(seen, support, confidence, Budget(1e9), filled=filled, every=False))
    assert some.items() <= wanted.items()
    assert {group for group, _ in some} == {group for group, _ in wanted}


@given(groups(), *thresholds)
@settings(max_examples=100, deadline=None)
def test_parts_do_not_matter(
    drawn: tuple[list[Tree], list[list[tuple[str, ...]]]], support: float, confidence: float
) -> None:
    shown = shown_rows(*drawn)
    whole = by_name(shown, find_associations(shown, support, confidence, Budget(1e9)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_BLOCK", 3)
        patch.setattr(counting, "_PAIRS", 4)
        assert by_name(shown, find_associations(shown, support, confidence, Budget(1e9))) == whole


@given(groups())
@settings(max_examples=200, deadline=None)
def test_filled_as_by_definition(drawn: tuple[list[Tree], list[list[tuple[str, ...]]]]) -> None:
    trees, rows = drawn
    filled = fill(shown_rows(trees, rows))
    made = [
        (int(filled.group[at]), *(tree.labels[node] for tree, node in zip(filled.trees, nodes, strict=True)))
        for at, nodes in enumerate(filled.nodes.tolist())
        for _ in range(int(filled.count[at]))
    ]
    wanted = [(group, *row) for group, part in enumerate(rows) for row in oracle.fill(part, trees)]
    assert sorted(made) == sorted(wanted)


def test_a_node_that_is_cut_may_be_any_of_its_values() -> None:
    """In a cut tree nothing may stand below a node of two values: it is hidden all the same."""
    tree = node_tree({"*": None, "x": "*", "c": "*"}, {"x": 2, "*": 3})
    shown = gather(np.zeros(3, np.int64), [np.array([1, 1, 2])], [tree], np.array([3]))[0]
    assert fill(shown).nodes.tolist() == [[1], [2]]  # no value below x is shown
    hidden = gather(np.zeros(3, np.int64), [np.array([0, 2, 2])], [tree], np.array([3]))[0]
    assert fill(hidden).nodes.tolist() == [[2]]


def test_shares_are_taken_as_written() -> None:
    """.1 of 30 rows are 3, and .7 of 10 rows are 7, although .7 * 10 is a little more than 7 in binary."""
    assert at_least(0.1, np.array([30, 31])).tolist() == [3, 4]
    assert at_least(0.07, np.array([100])).tolist() == [7]
    tree = flat_tree("ab")
    rows = [[("a",)] * 7 + [("*",)] * 93]
    shown = shown_rows([tree], rows)
    assert len(find_associations(shown, 1.0, 0.07, Budget(1e9))) == 1  # 0.07 * 100 > 7 in floating point


def test_work_is_bounded() -> None:
    rows = [[tuple(f"{(at * 7 + j) % 30}" for j in range(3)) for at in range(60)]]
    shown = shown_rows([flat_tree([str(number) for number in range(30)])] * 3, rows)
    with pytest.raises(OutOfBudget):
        find_associations(shown, 0.001, 0.5, Budget(1_000))
