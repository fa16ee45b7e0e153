"""Counts of generalized releases, against all possible originals: every value below every cell."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.tables import label_ranges
from shoal.analyse.tables.counts import count_rows
from shoal.analyse.tables.label_ranges import Interval
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.errors import InputError
from shoal.release.generalized import Generalized, GeneralizedColumn
from shoal.run import Run
from tests.making.generalized_from_dicts import Row, generalized, parents_of, recoded
from tests.oracles import generalized_utility as oracle

HIERARCHIES = {
    "n": Hierarchy.from_rows(
        [
            ("0", "[0, 2)", "[0, 4)", "*"),
            ("1", "[0, 2)", "[0, 4)", "*"),
            ("2.5", "[2, 4)", "[0, 4)", "*"),
            ("7", "[6, 8)", "[4, 8)", "*"),
            ("?", "*", "*", "*"),
        ],
        name="n",
    ),
    "w": Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], name="w"),
    "s": Hierarchy.from_rows([("x", "any"), ("y", "any"), ("z", "any")], name="s"),
}
TREES = {name: NodeTree.from_hierarchy(hierarchy) for name, hierarchy in HIERARCHIES.items()}
PARENTS = {name: parents_of(tree) for name, tree in TREES.items()}
Asked = tuple[str, Callable[[Row], bool]]


def _number(text: str) -> Decimal | None:
    return None if text == "?" else Decimal(text)


def _named(column: str, labels: list[str]) -> set[str]:
    return {value for label in labels for value in oracle.values_below(PARENTS[column], label)}


def _on_labels(column: str) -> st.SearchStrategy[Asked]:
    label = st.sampled_from(TREES[column].labels)
    listed = st.lists(label, min_size=1, max_size=3)
    return st.one_of(
        label.map(lambda v: (f"{column} = '{v}'", lambda row: row[column] in _named(column, [v]))),
        label.map(lambda v: (f"{column} != '{v}'", lambda row: row[column] not in _named(column, [v]))),
        listed.map(
            lambda vs: (
                f"{column} in {{{', '.join(map(repr, vs))}}}",
                lambda row: row[column] in _named(column, vs),
            )
        ),
    )


def _on_numbers() -> st.SearchStrategy[Asked]:
    number = st.sampled_from([-1, 0, 0.5, 1, 2, 2.5, 4, 7, 8])

    def asked(sign: str, test: Callable[[Decimal, Decimal], bool]) -> st.SearchStrategy[Asked]:
        def meets(end: float) -> Callable[[Row], bool]:
            def of(row: Row) -> bool:
                value = _number(row["n"])
                return value is not None and test(value, Decimal(str(end)))

            return of

        return number.map(lambda end: (f"n {sign} {end}", meets(end)))

    between = st.tuples(number, number).map(sorted)
    return st.one_of(
        asked("<", lambda a, b: a < b),
        asked("<=", lambda a, b: a <= b),
        asked(">", lambda a, b: a > b),
        asked(">=", lambda a, b: a >= b),
        between.map(
            lambda ends: (
                f"n in {ends[0]}..{ends[1]}",
                lambda row: row["n"] != "?" and ends[0] <= float(row["n"]) <= ends[1],
            )
        ),
    )


def queries(numbers: bool = True) -> st.SearchStrategy[Asked]:
    kinds = [_on_labels("w"), _on_labels("s"), *([_on_labels("n"), _on_numbers()] if numbers else [])]
    return st.lists(st.one_of(kinds), min_size=1, max_size=3).map(
        lambda parts: (" and ".join(text for text, _ in parts), lambda row: all(test(row) for _, test in parts))
    )


@st.composite
def releases(draw: st.DrawFn, cut: bool) -> tuple[list[Row | None], Generalized]:
    leaves = {name: st.sampled_from(hierarchy.leaves) for name, hierarchy in HIERARCHIES.items()}
    original = draw(st.lists(st.fixed_dictionaries(leaves), min_size=1, max_size=5))
    rows = draw(recoded(original, HIERARCHIES))
    return rows, generalized(rows, TREES, ["n", "w"], cut=cut)


@settings(deadline=None, max_examples=200)
@given(releases(cut=False), queries())
def test_counts_are_those_of_all_possible_originals(drawn: tuple[list[Row | None], Generalized], asked: Asked) -> None:
    rows, release = drawn
    text, meets = asked
    least, mean, variance, most = oracle.originals_counted(rows, PARENTS, meets)
    found = release.count(text)
    assert (found.least, found.most) == (least, most)
    assert found.expected == pytest.approx(float(mean), abs=1e-9)
    assert found.deviation == pytest.approx(math.sqrt(variance), abs=1e-6)


@settings(deadline=None, max_examples=200)
@given(releases(cut=True), queries())
def test_bounds_hold_where_trees_are_cut(drawn: tuple[list[Row | None], Generalized], asked: Asked) -> None:
    rows, release = drawn
    text, meets = asked
    least, _, _, most = oracle.originals_counted(rows, PARENTS, meets)
    found = release.count(text)
    assert found.least <= least
    assert found.most >= most
    assert math.isnan(found.expected) or found.least - 1e-9 <= found.expected <= found.most + 1e-9


@settings(deadline=None, max_examples=200)
@given(releases(cut=True), queries(numbers=False))
def test_conditions_on_labels_are_exact_where_trees_are_cut(
    drawn: tuple[list[Row | None], Generalized], asked: Asked
) -> None:
    rows, release = drawn
    text, meets = asked
    least, mean, variance, most = oracle.originals_counted(rows, PARENTS, meets)
    labels = {label for name in "ws" for label in release.column(name).tree.labels}
    assume(set(re.findall(r"'(.*?)'", text)) <= labels)
    found = release.count(text)
    assert (found.least, found.most) == (least, most)
    assert found.expected == pytest.approx(float(mean), abs=1e-9)
    assert found.deviation == pytest.approx(math.sqrt(variance), abs=1e-6)


def ages(labels: list[str | None], paths: list[tuple[str, ...]], *, cut: bool = True) -> Generalized:
    tree = NodeTree.from_hierarchy(Hierarchy.from_rows(paths, name="age"))
    rows: list[Row | None] = [None if label is None else {"age": label} for label in labels]
    return generalized(rows, {"age": tree}, ["age"], cut=cut)


YEARS = [(str(age), f"[{age // 10 * 10}, {age // 10 * 10 + 10})", "*") for age in range(20, 60)]


def test_ranges_are_read_from_labels_where_the_tree_is_cut() -> None:
    release = ages(["[20, 30)", "[20, 30)", "[30, 40)", "[40, 50)"], YEARS)
    half = release.count("age in 25..34")
    assert (half.least, half.most) == (0, 3)
    assert half.expected == pytest.approx(0.5 + 0.5 + 0.5)
    assert release.count("age >= 20 and age < 40") == shoal.results.Support(3, 3, 3.0, 0.0)
    # 39.5 would be in [30, 40), too: the bound stays below, and the mean counts whole numbers.
    assert release.count("age in 20..39") == shoal.results.Support(2, 3, 3.0, 0.0)
    one = release.count("age = 33")
    assert (one.least, one.expected, one.most) == (0, pytest.approx(0.1), 1)
    assert release.count("age > 50").most == 0
    assert release.count("age = '[20, 30)'") == shoal.results.Support(2, 2, 2.0, 0.0)
    other = release.count("age != 33")
    assert (other.least, other.most) == (3, 4)
    assert release.count("age in {33, 99}").most == 1
    assert release.count("age in 30..35 and age in 33..39").expected == pytest.approx(0.3)


def test_labels_that_do_not_say_exactly_where_they_end_are_good_for_means_only() -> None:
    # As in the hierarchy of ages that ARX has for Adult: 15-19 stands for 16 to 20.
    paths = [(str(age), f"{(age - 1) // 5 * 5}-{(age - 1) // 5 * 5 + 4}", "*") for age in range(16, 31)]
    release = ages(["15-19", "15-19", "20-24"], paths)
    for query, truth in (("age >= 20", 3), ("age < 20", 0), ("age = 20", 2)):
        found = release.count(query)
        assert found.least <= truth <= found.most, query
    assert release.count("age >= 20").expected == 1
    assert release.count("age > 30 and age < 16") == shoal.results.Support(0, 0, 0.0, 0.0)


def test_a_range_that_what_is_listed_below_it_contradicts_bounds_nothing() -> None:
    paths = [("3", "[0, 5)", "*"), ("7", "[0, 5)", "*"), ("8", "[0, 5)", "*"), ("9", "[5, 10)", "*")]
    assert ages(["[0, 5)", "3"], paths).count("age in 8..9").most == 0
    assert ages(["[0, 5)", "7"], paths).count("age in 8..9").most == 1


def test_what_one_column_excludes_need_not_be_known_in_another() -> None:
    trees = {
        "age": NodeTree.from_hierarchy(
            Hierarchy.from_rows([("20", "young", "*"), ("25", "young", "*"), ("70", "old", "*")])
        ),
        "sex": NodeTree.from_hierarchy(Hierarchy.from_rows([("f", "*"), ("m", "*")])),
    }
    release = generalized([{"age": "young", "sex": "f"}, {"age": "20", "sex": "m"}], trees, ["age", "sex"])
    assert release.count("age < 22 and sex = m") == shoal.results.Support(1, 1, 1.0, 0.0)


def test_a_range_without_the_parts_that_are_listed() -> None:
    paths = [(age, bounds, f"[{int(age) // 20 * 20}, {int(age) // 20 * 20 + 20})", "*") for age, bounds, _ in YEARS]
    # [20, 30) is listed, [30, 40) is not: what else is below [20, 40) is from 30 on.
    release = ages(["[20, 30)", "[20, 40)", "[20, 40)"], paths)
    found = release.count("age < 30")
    assert (found.least, found.most) == (1, 3)
    assert found.expected == pytest.approx(1 + 0.5 + 0.5)
    assert release.count("age < 40").expected == 3


def test_where_nothing_is_known_of_what_is_below_it_says_so() -> None:
    paths = [("20", "young", "*"), ("25", "young", "*"), ("70", "old", "*"), ("75", "old", "*")]
    release = ages(["young", "young", "old", None], paths)
    found = release.count("age < 22")
    assert (found.least, found.most) == (0, 4)
    assert math.isnan(found.expected)
    assert math.isnan(found.deviation)
    assert str(found) == "between 0 and 4 for certain; no known expectation"
    # What another condition excludes need not be known.
    assert release.count("age = young and age != young") == shoal.results.Support(0, 0, 0.0, 0.0)
    assert release.count("age = young") == shoal.results.Support(2, 3, 2.0, 0.0)
    disclosed = ages(["young", "young", "old", None], paths, cut=False)
    assert disclosed.count("age < 22") == shoal.results.Support(0, 3, 1.0, pytest.approx(math.sqrt(0.5)))


def test_a_value_that_is_not_listed_may_be_below_any_node_that_does_not_list_all() -> None:
    release = ages(["20", "20", "old", "old", None], [("20", "*", "*"), ("70", "old", "*"), ("75", "old", "*")])
    for query, least, most in (
        ("age = seventy", 0, 3),
        ("age != seventy", 2, 5),
        ("age in {seventy, 20}", 2, 5),
        ("age in {20, old}", 5, 5),
    ):
        found = release.count(query)
        assert (found.least, found.most) == (least, most), query
        assert math.isnan(found.expected) == ("seventy" in query)
    assert release.count("age = 20 and age = seventy") == shoal.results.Support(0, 0, 0.0, 0.0)


def test_a_column_that_is_all_hidden_may_be_anything() -> None:
    release = ages(["*", "*"], YEARS)
    found = release.count("age < 22")
    assert (found.least, found.most) == (0, 2)
    assert math.isnan(found.expected)
    alone = ages(["*", "*"], [("20", "*")])
    assert (alone.count("age = 30").least, alone.count("age = 30").most) == (0, 2)


def test_suppressed_rows_widen_the_upper_bound_only() -> None:
    release = ages(["20", "25", None, None], [("20", "*"), ("25", "*"), ("70", "*")])
    assert release.count("age = 20") == shoal.results.Support(1, 3, 1.0, 0.0)
    assert release.count("age != 20") == shoal.results.Support(1, 3, 1.0, 0.0)
    assert release.count("age = '*'") == shoal.results.Support(4, 4, 4.0, 0.0)  # whatever they are
    assert release.count("age = 20 and age = 25") == shoal.results.Support(0, 0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("agee > 3", "character 1: no such column: 'agee' (did you mean 'age'?)"),
        ("age in 40..30", "character 8: 40..30 is empty: write the lesser first"),
        ("age > old", "character 7: 'old' is no number"),
        ("job = Clerk", "column 'job' has no value and no node 'Clerk' in the release (did you mean 'clerk'?)"),
        ("sex > 3", "character 1: column 'sex' holds no numbers"),
        ("sex = F", "column 'sex' has no value and no node 'F' in the release (did you mean 'f'?)"),
        ("sex = 3", "column 'sex' has no value and no node '3' in the release"),
    ],
)
def test_mistakes_are_named_and_shown(query: str, said: str) -> None:
    trees = {
        "age": NodeTree.from_hierarchy(Hierarchy.from_rows(YEARS)),
        "sex": NodeTree.from_hierarchy(Hierarchy.from_rows([("f", "*"), ("m", "*")])),
        "job": NodeTree.from_hierarchy(Hierarchy.from_rows([("clerk", "*"), ("nurse", "*")])),
    }
    rows: list[Row | None] = [
        {"age": "[20, 30)", "sex": "f", "job": "clerk"},
        {"age": "[20, 30)", "sex": "m", "job": "clerk"},
    ]
    with pytest.raises(InputError) as caught:
        generalized(rows, trees, ["age"]).count(query)
    assert said in str(caught.value).split("\n")[0]


def _damaged(**change: Any) -> Generalized:
    release = ages(["20", "25"], [("20", "y", "*"), ("25", "y", "*"), ("70", "o", "*"), ("75", "o", "*")], cut=False)
    column = release.columns[0]
    tree = replace(column.tree, **change)
    return replace(release, columns=(GeneralizedColumn(column.name, column.role, tree, column.nodes),))


@pytest.mark.parametrize(
    "change",
    [
        {"leaves": np.array([4, 2, 1, 1, 2, 1, 2])},
        {"leaves": np.array([4, 2, 1, 1, 2, 1, 0])},
        {"leaves": np.array([3, 2, 1, 1, 2, 1, 1])},
        {"parents": np.array([-1, 0, 1, 0, 1, 1, 4], np.int32)},
        {"parents": np.array([-1, 0, 0, 1, 0, 0, 0], np.int32), "leaves": np.array([9, 2, 1, 1, 1, 1, 1])},
    ],
)
def test_trees_that_are_none_are_refused(change: dict[str, Any]) -> None:
    assert _damaged().count("age = y").least == 2
    with pytest.raises(InputError, match="the hierarchy of column 'age' is no tree"):
        _damaged(**change).count("age = y")


@pytest.mark.parametrize(
    ("label", "interval"),
    [
        ("[20, 40)", Interval(Decimal(20), Decimal(40), False, True)),
        ("[20, 40[", Interval(Decimal(20), Decimal(40), False, True)),
        ("(20,40]", Interval(Decimal(20), Decimal(40), True, False)),
        ("]-2, 4.5]", Interval(Decimal(-2), Decimal("4.5"), True, False)),
        ("20-39", Interval(Decimal(20), Decimal(39))),
        ("< 20", Interval(None, Decimal(20), False, True)),
        ("<=20", Interval(None, Decimal(20))),
        (">= 60", Interval(Decimal(60))),
        (">60", Interval(Decimal(60), None, True)),
        ("40-20", None),
        ("[20, 20)", None),
        ("2024-05-01", None),
        ("130**", None),
        ("20", None),
        ("*", None),
    ],
)
def test_labels_that_are_ranges(label: str, interval: Interval | None) -> None:
    assert label_ranges.read(label) == interval


def _intervals() -> st.SearchStrategy[Interval]:
    end = st.none() | st.integers(0, 4).map(Decimal)
    return st.tuples(end, end, st.booleans(), st.booleans()).map(
        lambda drawn: Interval(drawn[0], drawn[1], drawn[2] and drawn[0] is not None, drawn[3] and drawn[1] is not None)
    )


def _holds(interval: Interval, number: Decimal) -> bool:
    above = interval.low is None or number > interval.low or (number == interval.low and not interval.without_low)
    below = interval.high is None or number < interval.high or (number == interval.high and not interval.without_high)
    return above and below


@given(_intervals(), _intervals())
def test_intervals_are_sets_of_numbers(one: Interval, other: Interval) -> None:
    # Ends are whole, so that quarters and what is outside stand for all numbers.
    line = [Decimal(n) / 4 for n in range(-4, 21)]
    first, second = ({number for number in line if _holds(interval, number)} for interval in (one, other))
    assert one.empty == (not first)
    assert {number for number in line if _holds(one & other, number)} == first & second
    assert one.meets(other) == bool(first & second)
    if first:
        assert one.within(other) == (first <= second)
    if one.low is not None and one.high is not None:
        wholes = [number for number in first if number == int(number)]
        assert one.size(whole=True) == len(wholes)


def test_open_ranges_have_no_share_unless_all_or_nothing_of_them_is_asked() -> None:
    old = Interval(Decimal(60))
    assert math.isnan(old.share(Interval(Decimal(70)), whole=True))
    assert old.share(Interval(Decimal(50)), whole=True) == 1
    assert old.share(Interval(None, Decimal(50)), whole=True) == 0
    assert Interval(Decimal(0), Decimal(4)).share(Interval(Decimal(1)), whole=False) == 0.75


def test_many_queries_at_once_and_progress() -> None:
    seen: list[tuple[str, int, int]] = []
    release = ages(["20", "25"], [("20", "*"), ("25", "*")])
    found = count_rows(release, ["age = 20", "age < 30"], run=Run(progress=lambda *event: seen.append(event)))
    assert found.least.tolist() == [1, 2]
    assert seen[-1] == ("count rows", 2, 2)
