"""Counts and aggregates of bucketized releases, against all permutations of the values of all groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.tables.aggregates import Range, aggregate_rows
from shoal.analyse.tables.counts import count_rows
from shoal.errors import InputError
from shoal.run import Run
from tests.making.bucketized_from_dicts import PATIENTS, bucketized
from tests.oracles import table_counts as oracle

Row = dict[str, Any]
Asked = tuple[str, Callable[[Row], bool]]
NUMBERS = [None, -3, 0, 1, 2, 7]
WORDS = [None, "a", "b", "c"]


def _text(value: object) -> str:
    return "?" if value is None else str(value)


def _conditions(column: str, values: list[Any], numeric: bool) -> st.SearchStrategy[Asked]:
    value = st.sampled_from(values)
    kinds: list[st.SearchStrategy[Asked]] = [
        value.map(lambda v: (f"{column} = {_text(v)}", lambda row: row[column] == v)),
        value.map(lambda v: (f"{column} != {_text(v)}", lambda row: row[column] != v)),
        st.lists(value, min_size=1, max_size=3).map(
            lambda vs: (f"{column} in {{{', '.join(map(_text, vs))}}}", lambda row: row[column] in vs)
        ),
    ]
    if numeric:
        number = st.sampled_from([-4, -3, 0, 1.5, 2, 7])
        there = lambda row: row[column] is not None  # noqa: E731
        kinds += [
            number.map(lambda v: (f"{column} < {v}", lambda row: there(row) and row[column] < v)),
            number.map(lambda v: (f"{column} >= {v}", lambda row: there(row) and row[column] >= v)),
            number.map(lambda v: (f"{column} > {v}", lambda row: there(row) and row[column] > v)),
            st.tuples(number, number).map(sorted).map(
                lambda ab: (f"{column} in {ab[0]}..{ab[1]}", lambda row: there(row) and ab[0] <= row[column] <= ab[1])
            ),
        ]  # fmt: skip
    return st.one_of(kinds)


@st.composite
def questions(draw: st.DrawFn, numeric_sensitive: bool) -> tuple[list[oracle.Group], list[Asked]]:
    sizes = draw(
        st.lists(st.integers(1, 4), min_size=1, max_size=3).filter(lambda s: math.prod(map(math.factorial, s)) <= 72)
    )
    secret = NUMBERS if numeric_sensitive else WORDS
    groups = []
    for size in sizes:
        rows = [{"n": draw(st.sampled_from(NUMBERS)), "w": draw(st.sampled_from(WORDS))} for _ in range(size)]
        groups.append((rows, [draw(st.sampled_from(secret)) for _ in range(size)]))
    # Columns that are all missing have no type; one known value each, in a group of its own.
    groups.append(([{"n": 1, "w": "a"}], [secret[-1]]))
    every = [({**row, "s": value}) for rows, values in groups for row, value in zip(rows, values, strict=True)]
    held = {name: sorted({row[name] for row in every}, key=str) for name in ("n", "w", "s")}
    clause = st.one_of(
        _conditions("n", held["n"], True),
        _conditions("w", held["w"], False),
        _conditions("s", held["s"], numeric_sensitive),
    )
    parts = draw(st.lists(st.lists(clause, min_size=1, max_size=3), min_size=1, max_size=2))
    asked = [
        (" and ".join(text for text, _ in part), lambda row, part=part: all(test(row) for _, test in part))
        for part in parts
    ]
    return groups, asked


@settings(deadline=None)
@given(st.booleans().flatmap(questions))
def test_counts_are_those_of_all_permutations(drawn: tuple[list[oracle.Group], list[Asked]]) -> None:
    groups, asked = drawn
    found = count_rows(bucketized(groups, "s"), [text for text, _ in asked])
    for at, (_, test) in enumerate(asked):
        least, mean, variance, most = oracle.count(groups, "s", test)
        assert (found[at].least, found[at].most) == (least, most)
        assert found[at].expected == pytest.approx(float(mean))
        assert found[at].deviation == pytest.approx(math.sqrt(variance), abs=1e-9)


@settings(deadline=None)
@given(questions(True), st.sampled_from(["n", "s"]))
def test_aggregates_are_those_of_all_permutations(drawn: tuple[list[oracle.Group], list[Asked]], of: str) -> None:
    groups, asked = drawn
    found = aggregate_rows(bucketized(groups, "s"), [text for text, _ in asked], of=of)
    for one, (_, test) in zip(found, asked, strict=True):
        least, most, minimum, maximum, average, expected = oracle.aggregate(groups, "s", test, of)
        assert (one.least_rows, one.most_rows) == (least, most)
        if minimum is None or maximum is None or average is None or expected is None:
            assert (one.minimum, one.maximum, one.average, one.expected_average) == (None,) * 4
            continue
        assert (one.minimum, one.maximum) == (Range(*minimum), Range(*maximum))
        assert one.average is not None
        assert (one.average.least, one.average.most) == (pytest.approx(float(average[0])), pytest.approx(average[1]))
        assert one.expected_average == pytest.approx(float(expected))


def test_an_average_takes_the_smallest_of_all_groups_first() -> None:
    groups: list[oracle.Group] = [
        ([{"n": 3, "w": "a"}], ["x"]),
        ([{"n": 5, "w": "a"}, {"n": 0, "w": "b"}], ["x", "y"]),
        ([{"n": 1, "w": "a"}, {"n": 0, "w": "b"}], ["x", "y"]),
    ]
    found = bucketized(groups, "s").aggregate("s = x and w = a", of="n")
    assert oracle.aggregate(groups, "s", lambda row: row["s"] == "x" and row["w"] == "a", "n")[4] == (2, 4)
    assert found.average == Range(2.0, 4.0)


def test_the_patients_of_the_paper() -> None:
    release = bucketized(PATIENTS, "disease")
    assert release.count("sex = M and disease = 'Heart Disease'") == shoal.results.Support(
        2, 3, pytest.approx(2 * 2 / 3 + 1), pytest.approx(math.sqrt(2 / 9))
    )
    assert release.count("disease = Flu") == shoal.results.Support(3, 3, 3.0, 0.0)
    assert release.count("age in 30..40") == shoal.results.Support(3, 3, 3.0, 0.0)
    assert release.count("age >= 30 and sex = F and disease = Flu").least == 0
    ages = release.aggregate("disease = 'Heart Disease'", of="age")
    assert (ages.least_rows, ages.most_rows) == (3, 3)
    assert (str(ages.minimum), str(ages.maximum)) == ("30 to 36", "47 to 52")
    assert (str(ages.average), ages.expected_average) == ("40 to 45", pytest.approx((2 / 3 * 142 + 98 / 3) / 3))
    assert str(release.aggregate("zip = 47605 and sex = M and disease = Flu", of="age")) == (
        "age: minimum 30, maximum 30, average 30 (30 expected); or no row at all: none is certain to meet the "
        "conditions"
    )
    none = release.aggregate("disease = Flu and sex = M and zip in {47677, 47602}", of="age")
    assert str(none) == "age: no row can meet the conditions and have a number"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("agee > 3", "character 1: no such column: 'agee' (did you mean 'age'?)"),
        ("age > 3 and diseas = Flu", "character 13: no such column: 'diseas' (did you mean 'disease'?)"),
        ("disease = flu", "no row of the release has 'flu' in column 'disease' (did you mean 'Flu'?)"),
        ("disease != measles", "no row of the release has 'measles' in column 'disease' (4 values)"),
        ("age = 31", "no row of the release has '31' in column 'age'; the nearest are 30 and 32"),
        ("age = 99", "the nearest is 52"),
        ("age in {29, old}", "character 13: column 'age' holds numbers, and 'old' is none"),
        ("age > old", "character 7: 'old' is no number"),
        ("sex > 3", "character 1: column 'sex' holds no numbers"),
        ("disease in 1..2", "column 'disease' holds no numbers"),
        ("age in 40..30", "character 8: 40..30 is empty: write the lesser first"),
    ],
)
def test_mistakes_are_named_and_shown(query: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        bucketized(PATIENTS, "disease").count(query)
    assert said in str(caught.value).split("\n")[0]


def test_numbers_are_compared_by_their_worth() -> None:
    rows = [{"x": 0.1, "big": 2**60, "money": Decimal("0.10")}, {"x": 2.0, "big": 2**60 + 1, "money": Decimal("7.25")}]
    release = bucketized([(rows, ["a", "b"])], "s")
    for query in ("x = .1", "x <= 0.1", "x = 2", "x = 2.0", f"big <= {2**60}", f"big = {2**60 + 1}", "money = .1"):
        assert release.count(query) == shoal.results.Support(1, 1, 1.0, 0.0), query
    assert release.aggregate("money > 0", of="money").average == Range(3.675, 3.675)
    assert release.aggregate("x > 0", of="big").maximum == Range(2**60 + 1, 2**60 + 1)


def test_what_cannot_be_asked_is_refused() -> None:
    release = bucketized(PATIENTS, "disease")
    with pytest.raises(InputError, match="column 'sex' holds no numbers"):
        release.aggregate("age > 3", of="sex")
    with pytest.raises(InputError, match="no such column: 'agee'"):
        release.aggregate("age > 3", of="agee")
    damaged = replace(release, bucket_counts=release.bucket_counts + np.array([1, 0, 0, 0, 0, 0]))
    with pytest.raises(InputError, match="group 0 has 3 rows, but 4 sensitive values"):
        damaged.count("age > 3")
    with pytest.raises(InputError, match="rows of a table"):
        count_rows(shoal.disassociate(shoal.read([{"a"}] * 3), k=2, m=2), ["a = b"])  # type: ignore[arg-type]


def test_a_query_alone_is_one_query_and_progress_is_reported() -> None:
    seen: list[tuple[str, int, int]] = []
    release = bucketized(PATIENTS, "disease")
    assert len(count_rows(release, "age > 3", run=Run(progress=lambda *event: seen.append(event)))) == 1
    assert seen[-1] == ("count rows", 1, 1)
