"""Hiding associations: nothing is left by the definition, and cells only ever become more general."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import Infeasible, InputError
from shoal.mining import group_associations as mining
from shoal.promises import HiddenAssociations
from shoal.publish.hiding import METHODS, fill, hide, residual_of
from shoal.run import Run
from tests.making.sensitive_groups import DEEP, FLAT, PAIR, Groups, groups_of, shares
from tests.oracles import associations as oracle


def promise_of(support, confidence, method="greedy"):
    return HiddenAssociations(("s",), support, confidence, method == "resistant")


def hidden(drawn, support, confidence, method, **options):
    """The groups after hiding."""
    return drawn.read(hide(*drawn.arrays, promise_of(support, confidence, method), method=method, **options))


@settings(max_examples=150)
@given(groups_of(hidden=True), shares, shares, st.sampled_from(METHODS))
def test_nothing_is_left(drawn, support, confidence, method):
    for before, rows in zip(drawn.groups, hidden(drawn, support, confidence, method), strict=True):
        assert oracle.associations(rows, drawn.trees, support, confidence) == {}
        if method == "resistant":
            filled = oracle.fill(rows, drawn.trees)
            assert oracle.associations(filled, drawn.trees, support, confidence, filled=True) == {}
        for was, now in zip(before, rows, strict=True):
            assert all(map(oracle.at_or_below, drawn.trees, was, now))
        if not oracle.associations(before, drawn.trees, support, confidence) and method != "resistant":
            assert list(before) == rows


TIED = (("t", "c"), ("t", "c"), ("q", "b"), ("r", "a"), ("r", "a"))
MIXED = (
    *[("s", "b", "y")] * 3,
    ("t", "b", "n"),
    ("p", "a", "n"),
    *[("p", "b", "n")] * 2,
    *[("q", "c", "n")] * 4,
)


@pytest.mark.parametrize(
    ("trees", "rows", "support", "confidence"),
    [
        pytest.param((DEEP, FLAT), TIED, 0.4, 1.0, id="of values that are shown as often the first is filled in"),
        pytest.param(
            (DEEP, FLAT, PAIR), MIXED, 0.2, 0.75, id="cells as they are can show what filled ones do not: not P, so b"
        ),
    ],
)
def test_groups_that_are_easily_got_wrong(trees, rows, support, confidence):
    (left,) = hidden(Groups(trees, (rows,)), support, confidence, "resistant")
    assert oracle.associations(left, trees, support, confidence) == {}
    assert oracle.associations(oracle.fill(left, trees), trees, support, confidence, filled=True) == {}


@given(groups_of(hidden=False), shares, shares, st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(drawn, support, confidence, method, random):
    shuffled = tuple(tuple(random.sample(rows, len(rows))) for rows in drawn.groups)
    other = Groups(drawn.trees, shuffled)
    pairs = []
    for groups in (drawn, other):
        made = zip(groups.groups, hidden(groups, support, confidence, method), strict=True)
        pairs.append([sorted(zip(was, now, strict=True)) for was, now in made])
    assert pairs[0] == pairs[1]


@given(groups_of(hidden=False), shares, shares)
def test_association_rules_alone(drawn, support, confidence):
    for rows in hidden(drawn, support, confidence, "greedy", values=False, absence=False):
        left = oracle.associations(rows, drawn.trees, support, confidence)
        assert all(kind != "rule" for kind, _, _ in left)


@given(groups_of(hidden=True))
def test_cells_are_filled_with_the_value_that_is_shown_most(drawn):
    assert drawn.read(fill(*drawn.arrays)) == [oracle.fill(rows, drawn.trees) for rows in drawn.groups]


@given(groups_of(hidden=False), shares, shares, st.sampled_from(METHODS))
def test_what_filling_brings_back_is_counted(drawn, support, confidence, method):
    nodes, trees, offsets = drawn.arrays
    promise = promise_of(support, confidence, method)
    made = hide(nodes, trees, offsets, promise, method=method)
    found = residual_of(nodes, made, trees, offsets, promise)
    cells = right = had = back = 0
    for before, rows in zip(drawn.groups, drawn.read(made), strict=True):
        filled = oracle.fill(rows, drawn.trees)
        for was, now, guess in zip(before, rows, filled, strict=True):
            changed = [c for c in range(len(was)) if was[c] != now[c]]
            cells += len(changed)
            right += sum(was[c] == guess[c] for c in changed)
        first = oracle.associations(before, drawn.trees, support, confidence)
        had += len(first)
        back += len(first.keys() & oracle.associations(filled, drawn.trees, support, confidence, filled=True).keys())
    assert (found.hidden_cells, found.filled_right, found.associations, found.associations_back) == (
        cells, right, had, back
    )  # fmt: skip
    assert method != "resistant" or found.associations_back == 0


def test_values_and_absence_alone_are_kept_where_only_rules_are_hidden():
    drawn = Groups((FLAT, PAIR), ((("a", "n"), ("a", "y"), ("a", "y"), ("b", "n")),))
    options = {"values": False, "absence": False}
    assert hidden(drawn, 0.75, 0.75, "greedy", **options) == [list(drawn.groups[0])]
    assert hidden(drawn, 0.75, 0.75, "greedy") != [list(drawn.groups[0])]


def test_a_value_is_hidden_in_as_many_rows_as_it_takes():
    drawn = Groups((FLAT,), ((("a",),) * 7 + (("b",),) * 2 + (("c",),),))
    for method in ("greedy", "iga"):
        assert sorted(hidden(drawn, 0.1, 0.5, method)[0]) == [("*",)] * 3 + [("a",)] * 4 + [("b",)] * 2 + [("c",)]


def test_a_value_of_most_rows_takes_its_column_with_it_where_filling_is_resisted():
    drawn = Groups((FLAT, PAIR), ((("a", "y"),) * 3 + (("a", "n"),) * 2 + (("b", "n"),) * 2 + (("c", "y"),) * 2,))
    rows = hidden(drawn, 0.5, 0.5, "resistant")[0]
    assert {row[0] for row in rows} == {"*"}


def test_only_the_group_that_gives_something_away_is_changed():
    quiet = (("a",), ("b",), ("c",))
    drawn = Groups((FLAT,), (quiet, (("a",),) * 3, quiet))
    rows = hidden(drawn, 0.5, 0.5, "greedy")
    assert [rows[0], rows[2]] == [list(quiet)] * 2
    assert sorted(rows[1]) == [("*",), ("*",), ("a",)]


def test_nodes_are_hidden_below_their_parents_first_and_looked_for_again():
    drawn = Groups((DEEP,), ((("p",),) * 4 + (("q",),) * 2 + (("r",), ("s",), ("t",), ("t",)),))
    rows = hidden(drawn, 0.1, 0.4, "greedy")[0]
    # p is in 4 of 10 rows, and P above it in 6: one row loses p, and three lose P.
    assert sorted(rows).count(("*",)) == 3
    assert sum(row[0] in "Ppq" for row in rows) == 3


def test_a_hidden_cell_also_counts_against_other_rules():
    both = Groups((FLAT, PAIR), ((("a", "y"), ("a", "y"), ("b", "n"), ("b", "y"), ("c", "n"), ("c", "n")),))
    rows = hidden(both, 0.3, 0.8, "greedy")[0]
    # a => y and c => n hold for two rows each. What hides one a may be a c, too: one cell is enough for both.
    assert sorted(rows) == [("*", "y"), *sorted(both.groups[0])[1:]]


def test_what_is_wrong_is_said(monkeypatch):
    drawn = Groups((FLAT,), ((("a",), ("b",)),))
    with pytest.raises(InputError, match="method is 'best': it must be one of greedy, iga, resistant"):
        hide(*drawn.arrays, promise_of(0.1, 0.5), method="best")
    with pytest.raises(InputError, match="'greedy' does not resist filling: use 'resistant'"):
        hide(*drawn.arrays, promise_of(0.1, 0.5, "resistant"), method="greedy")
    monkeypatch.setattr(mining, "_MOST_CELLS", 2)
    with pytest.raises(Infeasible, match=r"group 0: .* more than 2 combinations"):
        hide(*drawn.arrays, promise_of(0.1, 0.5))


def test_progress_is_reported_and_no_rows_are_no_problem():
    seen = []
    drawn = Groups((FLAT,), ((("a",), ("b",)),))
    hide(*drawn.arrays, promise_of(0.1, 0.5), run=Run(progress=lambda *event: seen.append(event)))
    assert [event for event in seen if event[0] != "compile"] == [
        ("hide associations", 0, 1),
        ("hide associations", 1, 1),
    ]
    _, trees, _ = drawn.arrays
    assert hide([np.empty(0, np.int32)], trees, np.zeros(1, np.int64), promise_of(0.1, 0.5))[0].size == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_column_of_one_value_cannot_be_hidden(method):
    people = pa.table({"age": [21, 22, 41, 42], "ill": ["flu"] * 4, "work": ["own", "city"] * 2})
    data = shoal.read_table(people, quasi="age", sensitive=["work", "ill"])
    with pytest.raises(Infeasible, match=r"^ill has one value in all rows that are published, so everyone knows"):
        shoal.k_anonymity(data, 2, hide=method)
    other = shoal.Hierarchy.from_rows([("flu", "*"), ("gout", "*")], name="ill")
    release = shoal.k_anonymity(data, 2, hide=method, hierarchies={"ill": other}, publish_hierarchies=True)
    assert {row["ill"] for row in release.to_arrow()["rows"].to_pylist()} == {"*"}
