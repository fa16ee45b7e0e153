"""What generalized releases cost, against the definitions, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.data import hierarchy_builders
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.measuring.tables.generalization import generalization
from shoal.measuring.tables.utility import compared, query_metric, rule_metrics, table_utility
from shoal.release.generalized import Generalized
from shoal.run import Run
from tests.making.generalized_from_dicts import Row, generalized, parents_of, recoded
from tests.oracles import generalized_utility as oracle
from tests.oracles import table_utility as rule_oracle

QUASI = ("n", "w")
WORDS = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], name="w")
# One value alone below its parent, and two names of the root.
SECRETS = Hierarchy.from_rows([("x", "xy", "any"), ("y", "xy", "any"), ("z", "z", "any")], name="s")


def table(rows: list[Row]) -> Table:
    columns = {
        "n": [int(row["n"]) for row in rows],
        "w": [row["w"] for row in rows],
        "s": [row["s"] for row in rows],
        "t": [row["t"] for row in rows],
    }
    return Table.from_arrow(pa.table(columns), quasi=QUASI, sensitive=["s", "t"])


class Case:
    """An original, what became of each of its rows, and the release."""

    def __init__(self, original: list[Row], rows: list[Row | None], hierarchies: dict[str, Hierarchy], cut: bool):
        self.original, self.rows = original, rows
        self.nodes = {name: NodeTree.from_hierarchy(hierarchy) for name, hierarchy in hierarchies.items()}
        self.trees = {name: parents_of(tree) for name, tree in self.nodes.items()}
        release = generalized(rows, self.nodes, QUASI, cut=cut)
        columns = (replace(column, making=hierarchies[column.name].making) for column in release.columns)
        self.release = replace(release, columns=tuple(columns))
        # Those of n and t are made from the original, and none is needed where all are disclosed.
        self.given: dict[str, Hierarchy] = {"w": WORDS, "s": SECRETS} if cut else {}

    def __repr__(self) -> str:
        return f"Case({self.original}, {self.rows}, {self.release})"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    row = st.fixed_dictionaries(
        {
            "n": st.sampled_from(["0", "1", "2", "9", "20"]),
            "w": st.sampled_from("abc"),
            "s": st.sampled_from("xyz"),
            "t": st.sampled_from("uv"),
        }
    )
    original = draw(st.lists(row, min_size=1, max_size=9))
    columns = table(original)
    hierarchies = {
        "n": hierarchy_builders.balanced(columns.column("n")),
        "w": WORDS,
        "s": SECRETS,
        "t": hierarchy_builders.flat(columns.column("t")),
    }
    return Case(original, draw(recoded(original, hierarchies)), hierarchies, draw(st.booleans()))


@settings(deadline=None)
@given(cases())
def test_metrics_of_the_release_alone_are_those_of_the_definitions(case: Case) -> None:
    found = generalization(case.release)
    n = len(case.rows)
    assert found["NCP"].value == pytest.approx(float(oracle.ncp(case.rows, case.trees, QUASI)))
    for name in QUASI:
        assert found[f"NCP {name}"].value == pytest.approx(float(oracle.ncp(case.rows, case.trees, [name])))
    total = oracle.discernibility(case.rows, QUASI)
    assert (found["discernibility"].details["sum_over_rows"], found["discernibility"].value) == (total, total / n**2)
    size = oracle.average_class_size(case.rows, QUASI, 2)
    assert found["average class size"].value == pytest.approx(float(size))
    hidden = [oracle.hidden(case.rows, case.trees, name) for name in "st"]
    there = n - case.release.suppressed
    assert found["hidden cells"].value == sum(hidden) / (2 * there)
    assert [found[f"hidden cells {name}"].value for name in "st"] == [number / there for number in hidden]
    for metric in found:
        assert metric.value is None or metric.range[0] <= metric.value <= metric.range[1]


@settings(deadline=None)
@given(cases())
def test_entropy_loss_is_that_of_the_definition(case: Case) -> None:
    found = table_utility(table(case.original), case.release, hierarchies=case.given, queries=1, run=Run(chance=1))
    bits = [oracle.entropy_loss(case.original, case.rows, case.trees[name], name) for name in QUASI]
    for name, (lost, most) in zip((" n", " w", ""), (*bits, map(sum, zip(*bits, strict=True))), strict=True):
        metric = found[f"entropy loss{name}"]
        assert metric.details["bits"] == pytest.approx(lost, abs=1e-9)
        assert metric.details["of"] == pytest.approx(most, abs=1e-9)
        assert metric.value is None if most < 1e-9 else metric.value == pytest.approx(lost / most, abs=1e-9)
        assert metric.value is None or 0 <= metric.value <= 1


@settings(deadline=None)
@given(
    cases(),
    st.sampled_from("st"),
    st.sets(st.sampled_from(["0", "2", "9"])),
    st.sets(st.sampled_from("abd")),
    st.sets(st.sampled_from("xzu")),
)
def test_expected_counts_are_those_of_the_definition(
    case: Case, sensitive: str, n: set[str], w: set[str], s: set[str]
) -> None:
    people = table(case.original)
    both = compared(people, case.release, sensitive=sensitive, hierarchies=case.given)
    masks = {0: _mask(people, "n", n), 1: _mask(people, "w", w)}
    secret = _mask(people, sensitive, s)
    # What the original does not have is not asked for.
    held = {name: {text for text in people.column(name).texts if text in wanted} for name, wanted in
            {"n": n, "w": w, sensitive: s}.items()}  # fmt: skip
    expected = oracle.counter(case.rows, case.trees, sensitive)({"n": held["n"], "w": held["w"]}, held[sensitive])
    assert both.release.count(masks, secret) == pytest.approx(float(expected))
    whole = oracle.counter(case.original, case.trees, sensitive)({"n": held["n"], "w": held["w"]}, held[sensitive])
    assert both.original.count(masks, secret) == whole


@settings(deadline=None, max_examples=50)
@given(cases(), st.integers(1, 2), st.integers(1, 2))
def test_errors_of_rules_are_those_of_the_definitions(case: Case, most: int, least: int) -> None:
    people = table(case.original)
    domains = {name: people.column(name).texts for name in QUASI}
    asked = (domains, people.column("s").texts, most, least, Fraction(5, 4))
    before, after = (oracle.counter(rows, case.trees, "s") for rows in (case.original, case.rows))
    wanted, found = (set(rule_oracle.interesting(count, *asked)) for count in (before, after))
    both = compared(people, case.release, hierarchies=case.given)
    confidence, plus, minus = rule_metrics(both, max_attributes=most, min_support=least, min_conviction=1.25)
    if not wanted:
        assert (confidence.value, plus.value, minus.value) == (None,) * 3
        return
    error = rule_oracle.confidence_error(before, after, wanted)
    assert error is not None
    assert confidence.value == pytest.approx(float(error))
    assert plus.value == pytest.approx(len(found - wanted) / len(wanted))
    assert minus.value == pytest.approx(len(wanted - found) / len(wanted))


def _mask(people: Table, name: str, wanted: set[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.array([text in wanted for text in people.column(name).texts])


ROWS: list[Row] = [
    {"n": "0", "w": "a", "s": "x", "t": "u"},
    {"n": "1", "w": "b", "s": "y", "t": "v"},
    {"n": "9", "w": "c", "s": "z", "t": "u"},
    {"n": "20", "w": "c", "s": "z", "t": "u"},
]


def published(rows: list[Row | None], *, cut: bool = True) -> Generalized:
    people = table(ROWS)
    hierarchies = {
        "n": hierarchy_builders.balanced(people.column("n")),
        "w": WORDS,
        "s": SECRETS,
        "t": hierarchy_builders.flat(people.column("t")),
    }
    return Case(ROWS, rows, hierarchies, cut).release


def test_nothing_generalized_costs_nothing() -> None:
    release = published(list(ROWS))
    found = table_utility(table(ROWS), release, hierarchies={"w": WORDS, "s": SECRETS}, sel=1.0, run=Run(chance=1))
    costs = ("entropy loss", "NCP", "hidden cells", "query error", "confidence error", "sigma+", "sigma-")
    assert {found[name].value for name in costs} == {0.0}
    assert found["rows kept"].value == 1
    assert (found.method, found.sensitive) == ("bottom-up", "s")


def test_all_suppressed_but_one_row_is_nearly_all_lost() -> None:
    found = generalization(published([ROWS[0], None, None, None]))
    assert found["NCP"].value == 0.75
    assert found["discernibility"].value == (1 + 3 * 4) / 16
    assert found["average class size"].value == 0.5
    assert found["hidden cells"].value == 0


def test_the_report_names_the_sensitive_column_and_all_columns() -> None:
    release = published([{**row, "t": "*"} for row in ROWS])
    found = table_utility(
        table(ROWS), release, sensitive="t", hierarchies={"w": WORDS, "s": SECRETS}, run=Run(chance=1)
    )
    assert "queries on 2 columns and t, up to 0.1 of their values" in found.head
    assert any(line.split()[:4] == ["hidden", "cells", "t", "1"] for line in str(found).splitlines())
    assert found["hidden cells"].value == 0.5
    alone = generalization(release)
    assert alone.head == "4 rows in 4 groups, 0 suppressed, bottom-up"
    assert alone.as_dict()["metrics"][0]["name"] == "discernibility"


def test_a_release_without_sensitive_columns_has_queries_on_quasi_identifiers() -> None:
    nodes = {"w": NodeTree.from_hierarchy(WORDS)}
    release = generalized([{"w": "ab"}, {"w": "ab"}, {"w": "c"}, {"w": "c"}], nodes, ["w"])
    found = table_utility(table(ROWS), release, hierarchies={"w": WORDS}, sel=1.0, run=Run(chance=1))
    assert found["confidence error"].value is None
    assert found["confidence error"].reason == "the release has no sensitive column"
    assert found["hidden cells"].value is None
    assert found["query error"].value == 0  # a and b are in one row each, and the node stands for both in equal parts
    assert found["entropy loss"].value == pytest.approx(2 / 6)
    assert "queries on 1 columns, up to" in found.head
    with pytest.raises(InputError, match="'s' is not a sensitive column of the release: it has none"):
        table_utility(table(ROWS), release, sensitive="s")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"hierarchies": {"s": SECRETS}},
            r"column 'w' that is not the one built.*" r'\(hierarchies=\{"w": \.\.\.\}\)' ": it has no 'ab'",
        ),
        (
            {"hierarchies": {"w": WORDS, "q": WORDS}},
            "a hierarchy is given for 'q', which is not a column of the release",
        ),
        ({"quasi": ["n"]}, "the quasi-identifiers of the release are n, w: remove quasi"),
        ({"sensitive": "w"}, "'w' is not a sensitive column of the release: s, t"),
        ({"dim": 3}, "there are only 2 quasi columns"),
    ],
)
def test_what_does_not_fit_is_named(change: Mapping[str, Any], said: str) -> None:
    release = published([{**row, "w": "ab" if row["w"] in "ab" else "cd"} for row in ROWS])
    with pytest.raises(InputError, match=said):
        table_utility(table(ROWS), release, **{"hierarchies": {"w": WORDS, "s": SECRETS}, **change})


def test_another_hierarchy_with_the_same_labels_is_refused() -> None:
    release = published([{**row, "w": "ab" if row["w"] in "ab" else "cd"} for row in ROWS])
    other = Hierarchy.from_rows([("a", "ab", "*"), ("b", "cd", "*"), ("c", "cd", "*"), ("d", "cd", "*")])
    with pytest.raises(InputError, match="it has no 'ab'"):
        table_utility(table(ROWS), release, hierarchies={"w": other, "s": SECRETS})


def test_a_hierarchy_in_which_a_label_stands_for_more_is_refused() -> None:
    release = published([{**row, "w": "ab" if row["w"] in "ab" else "cd"} for row in ROWS])
    other = Hierarchy.from_rows([*WORDS.rows(), ("e", "ab", "*")])
    with pytest.raises(InputError, match=r"'\*' represents 5 values there, and 4 in the release"):
        table_utility(table(ROWS), release, hierarchies={"w": other, "s": SECRETS})


def test_another_original_is_refused() -> None:
    release = published(list(ROWS))
    given = {"w": WORDS, "s": SECRETS}
    with pytest.raises(InputError, match="it has 4 rows and 0 suppressed ones, and the original 3"):
        table_utility(table(ROWS[1:]), release, hierarchies=given)
    with pytest.raises(InputError, match="2 of its rows have 'cd' or a value below it in column 'w', and only 1 of"):
        table_utility(table([*ROWS[:3], {**ROWS[3], "w": "a"}]), release, hierarchies=given)
    with pytest.raises(InputError, match="no such column: 'n'"):
        shoal.measure(Table.from_arrow(pa.table({"w": ["a"]})), release)
    with pytest.raises(InputError, match="a table is measured against its original"):
        shoal.measure(None, table(ROWS))


def test_a_tree_of_one_value_and_of_numbers_spelled_otherwise() -> None:
    tree = Hierarchy.from_rows([("1.0", "*")], name="n")
    people = Table.from_arrow(pa.table({"n": [1, 1]}), quasi="n")
    for label in ("1.0", "*"):
        release = generalized([{"n": label}] * 2, {"n": NodeTree.from_hierarchy(tree)}, ["n"])
        found = table_utility(people, release, hierarchies={"n": tree}, run=Run(chance=1))
        assert (found["NCP"].value, found["entropy loss"].value, found["query error"].value) == (0, None, 0)
    disclosed = generalized([{"n": "*"}] * 2, {"n": NodeTree.from_hierarchy(tree)}, ["n"], cut=False)
    assert table_utility(people, disclosed, run=Run(chance=1))["query error"].value == 0


def test_suppressed_rows_are_lost_to_queries() -> None:
    rows: list[Row | None] = [*ROWS[:2], None, None]
    both = compared(table(ROWS), published(rows), hierarchies={"w": WORDS, "s": SECRETS})
    found = query_metric(both, dim=2, sel=1.0, number=200, run=Run(chance=1))
    assert found.value is not None
    assert 0 < found.value <= 1
    assert replace(found, value=None).shown == "nothing"
