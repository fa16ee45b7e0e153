from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.table import BLANKS, Column, Table
from shoal.errors import InputError
from tests.oracles import hierarchies as oracle

WORK = [("State", "Gov", "*"), ("Federal", "Gov", "*"), ("Own", "Self", "*"), ("None", "Self", "*")]


def column(values: list[Any], kind: pa.DataType | None = None) -> Column:
    return Table.from_arrow(pa.table({"c": pa.array(values, kind)})).column("c")


# --- what a tree is


def test_views_of_a_tree() -> None:
    tree = Hierarchy.from_rows(WORK, name="work")
    assert (tree.height, tree.n_leaves, tree.root) == (2, 4, "*")
    assert tree.leaves == ("State", "Federal", "Own", "None")
    assert tree.labels[1:] == (("Gov", "Self"), ("*",))
    assert [tree.level_codes(level).tolist() for level in range(3)] == [[0, 1, 2, 3], [0, 0, 1, 1], [0] * 4]
    assert tree.parents(0).tolist() == [0, 0, 1, 1]
    assert tree.parents(1).tolist() == [0, 0]
    assert [tree.leaf_counts(level).tolist() for level in range(3)] == [[1] * 4, [2, 2], [4]]
    assert tree.ancestors("Own") == ("Own", "Self", "*")
    assert tree.generalize(np.array([3, 0, 3]), 1).tolist() == [1, 0, 1]
    assert list(tree.rows()) == WORK
    assert repr(tree) == "Hierarchy('work', 4 leaves, height 2)"
    assert tree.codes.dtype == tree.parents(0).dtype == tree.generalize(tree.codes[0], 1).dtype == np.int32


def test_frozen() -> None:
    tree = Hierarchy.from_rows(WORK)
    with pytest.raises(ValueError, match="read-only"):
        tree.level_codes(1)[0] = 1
    with pytest.raises(AttributeError):
        tree.name = "x"  # type: ignore[misc]


def test_the_same_label_at_different_levels_is_two_nodes() -> None:
    tree = Hierarchy.from_rows([("Other", "Other", "*"), ("a", "Other", "*"), ("*", "*", "*")])
    assert tree.ancestors("Other") == ("Other", "Other", "*")
    assert tree.leaf_counts(1).tolist() == [2, 1]


def test_blanks_trailing_empties_blank_rows_and_repeated_rows_are_harmless() -> None:
    tree = Hierarchy.from_rows([(" a ", "x", "*", ""), (), ("", ""), ("a", "x", "*"), ("b", "x ", "*")])
    assert list(tree.rows()) == [("a", "x", "*"), ("b", "x", "*")]


def test_levels_out_of_range() -> None:
    tree = Hierarchy.from_rows(WORK, name="work")
    for level in (-1, 3):
        with pytest.raises(InputError, match=f"hierarchy 'work': there is no level {level}, only 0 to 2"):
            tree.level_codes(level)
    with pytest.raises(InputError, match="level 2 is the root, which has no parent"):
        tree.parents(2)


# --- what is wrong is said at once


def test_one_error_lists_everything() -> None:
    rows = [
        ("a", "x", "P", "*"),
        ("b", "x", "Q", "*"),
        ("c", "y", "*"),
        ("a", "z", "P", "*"),
        ("d", "", "P", "*"),
        ("e",),
    ]
    with pytest.raises(InputError) as caught:
        Hierarchy.from_rows(rows, name="h", column=["a", "k", "l", None])
    assert str(caught.value).splitlines() == [
        "hierarchy 'h' does not fit:",
        "  empty label (1): row 5 at level 1",
        "  ragged levels (2): row 3 ('c') has 3 of 4, row 6 ('e') has 1 of 4",
        "  two paths (1): 'a' to x > P > * (row 1) and to z > P > * (row 4)",
        "  two parents (1): 'x' at level 1 below 'P' (row 1) and 'Q' (row 2)",
        "  without a place (3): 'k', 'l', '?'",
        "add complete=True to correct this (ragged levels, without a place): short rows are padded with the root, and "
        "values without a place are put directly below it; to be corrected by hand: empty label, two paths, "
        "two parents",
    ]
    with pytest.raises(InputError) as still:
        Hierarchy.from_rows(rows, name="h", column=["a", "k"], complete=True)
    assert [line.split(" (")[0].strip() for line in str(still.value).splitlines()[1:-1]] == [
        "empty label",
        "two paths",
        "two parents",
    ]
    assert "complete" not in str(still.value)


def test_long_lists_are_cut() -> None:
    with pytest.raises(InputError, match=r"without a place \(1,007\): '0', .*'9', \.\.\. and 997 more\n"):
        Hierarchy.from_rows(WORK).check_against(range(1007))


def test_no_common_root() -> None:
    rows = [("a", "x"), ("b", "y")]
    with pytest.raises(
        InputError, match=r"no common root \(2\): 'x', 'y'\nadd complete=True to correct this \(no common root"
    ):
        Hierarchy.from_rows(rows)
    assert list(Hierarchy.from_rows(rows, complete=True).rows()) == [("a", "x", "*"), ("b", "y", "*")]
    with pytest.raises(InputError, match=r"no common root \(1\): 'a'"):
        Hierarchy.from_rows([("a",)])
    assert list(Hierarchy.from_rows([("a",), ("*",)], complete=True).rows()) == [("a", "*"), ("*", "*")]


def test_a_root_of_its_own_name_is_kept() -> None:
    tree = Hierarchy.from_rows([("a", "x", "Any"), ("b", "Any")], column=["a", "c"], complete=True)
    assert list(tree.rows()) == [("a", "x", "Any"), ("b", "Any", "Any"), ("c", "Any", "Any")]


def test_nothing_and_texts_instead_of_rows() -> None:
    for nothing in ([], [()], [("", "")]):
        with pytest.raises(InputError, match="hierarchy 'h' is empty: give one row for each value"):
            Hierarchy.from_rows(nothing, name="h")
    with pytest.raises(InputError, match=r"the hierarchy: row 1 is the text 'a;\*', not a sequence of labels"):
        Hierarchy.from_rows(["a;*"])


labels = st.sampled_from(["a", "b", "c", "*"])


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(st.lists(st.lists(labels, min_size=1, max_size=4).map(tuple), min_size=1, max_size=6))
def test_a_hierarchy_is_accepted_exactly_if_it_is_a_tree(rows: list[tuple[str, ...]]) -> None:
    wrong = oracle.faults(rows) or (["no level above the leaves"] if len(rows[0]) == 1 else [])
    if wrong:
        with pytest.raises(InputError, match="does not fit"):
            Hierarchy.from_rows(rows)
    else:
        tree = Hierarchy.from_rows(rows)
        assert list(tree.rows()) == list(dict.fromkeys(rows))
        for level in range(tree.height + 1):
            below = oracle.leaves_below(rows, level)
            assert dict(zip(tree.labels[level], tree.leaf_counts(level).tolist(), strict=True)) == below
        for level in range(tree.height):
            above = tree.parents(level)[tree.level_codes(level)]
            assert above.tolist() == tree.level_codes(level + 1).tolist()


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(st.lists(st.lists(labels, min_size=1, max_size=4).map(tuple), min_size=1, max_size=6), st.lists(labels))
def test_whatever_completing_accepts_is_a_tree_with_a_place_for_every_value(
    rows: list[tuple[str, ...]], values: list[str]
) -> None:
    try:
        tree = Hierarchy.from_rows(rows, column=values, complete=True)
    except InputError as error:
        complaint = str(error)
    else:
        complaint = ""
    if complaint:
        assert "two p" in complaint, "two paths or two parents: no padding mends that"
        return
    completed = list(tree.rows())
    assert oracle.faults(completed) == []
    assert set(tree.leaves) == {row[0] for row in rows} | set(values)
    for row, before in zip(completed, dict.fromkeys(rows), strict=False):
        assert row[: len(before)] == before or len({r[0] for r in rows}) < len(set(rows))
    for value in set(values) - {row[0] for row in rows}:
        assert set(tree.ancestors(value)[1:]) == {tree.root}


# --- against the data


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([39, 7], pa.int64()),
        ([39.0, 7.0], pa.float64()),
        ([Decimal("39.00"), Decimal(7)], pa.decimal128(5, 2)),
        (["39", "7"], pa.string()),
    ],
)
@pytest.mark.parametrize("spelling", ["39", " 39"])
def test_numbers_are_found_by_their_text(values: list[Any], kind: pa.DataType, spelling: str) -> None:
    tree = Hierarchy.from_rows([(spelling, "*"), ("7", "*")])
    numbers = column(values, kind)
    assert tree.check_against(numbers) is tree
    assert tree.places(numbers).tolist() == [tree.leaves.index(text.removesuffix(".00")) for text in numbers.texts]


def test_numbers_are_found_by_other_spellings_and_texts_are_not() -> None:
    tree = Hierarchy.from_rows([("39.0", "x", "*"), ("007", "y", "*"), ("1e3", "y", "*")])
    assert tree.places(column([39, 7, 1000])).tolist() == [1, 0, 2]
    with pytest.raises(InputError, match="'39', '7'"):
        tree.places(column(["39", "7"]))


def test_checking_says_what_is_lost_and_completing_adds_it() -> None:
    tree = Hierarchy.from_rows(WORK, name="work")
    data = column(["Own", "Church", None])
    with pytest.raises(InputError) as caught:
        tree.check_against(data)
    assert str(caught.value).splitlines()[:2] == [
        "hierarchy 'work' does not fit:",
        "  without a place (2): 'Church', '?'",
    ]
    completed = tree.check_against(data, complete=True)
    assert list(completed.rows()) == [*WORK, ("Church", "*", "*"), ("?", "*", "*")]
    assert completed.name == "work"
    assert completed.places(data).tolist() == [4, 2, 5]
    assert tree.n_leaves == 4


def test_a_value_given_once_is_checked_once() -> None:
    tree = Hierarchy.from_rows(WORK)
    assert tree.check_against(iter(["x", "x"]), complete=True).n_leaves == 5
    assert tree.check_against(Table.from_arrow(pa.table({"c": ["Own"]})).column("c")) is tree


def test_blanks_mean_the_same_to_tables_and_to_hierarchies() -> None:
    padded = BLANKS + "a b" + BLANKS
    assert Hierarchy.from_rows([(padded, "*")]).leaves == tuple(column([padded]).texts) == ("a b",)
