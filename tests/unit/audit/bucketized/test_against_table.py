"""A bucketized release beside a table: the rows and values must be its own, and fit the groups."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.bucketized import against_table, audit
from shoal.data.table import Table
from shoal.errors import InputError
from tests.making.bucketized_releases import (
    ORIGINAL,
    PATIENTS,
    PATIENTS_COLUMNS,
    anatomized,
    bucketized,
    failing,
    good,
    injected,
    original,
    patients,
    table_of,
)

CHANGED: dict[str, tuple[list[tuple[Any, ...]], str, str]] = {
    "a row lost": (ORIGINAL[:-1], "rows of the original", "the release has 7 rows, the original 6"),
    "a row changed": (
        [(22, "f", "flu"), *ORIGINAL[1:]],
        "rows of the original",
        "row age 20, sex f occurs 1 times in the release and 0 times in the original",
    ),
    "a value changed": (
        [(20, "f", "cold"), *ORIGINAL[1:]],
        "values of the original",
        "cold is in 2 rows of the release and 3 rows of the original",
    ),
    "an unknown value": (
        [(20, "f", "measles"), *ORIGINAL[1:]],
        "values of the original",
        "measles is in the original and not in the release",
    ),
    "values swapped between groups": (
        [(20, "f", "gout"), ORIGINAL[1], (21, "m", "flu"), *ORIGINAL[3:]],
        "rows and values of the original",
        "row age 20, sex f has gout 1 times in the original, and at most 0 times in the release",
    ),
}


@pytest.mark.parametrize("change", CHANGED)
def test_another_original_is_caught_with_a_witness(change: str) -> None:
    rows, name, witness = CHANGED[change]
    assert witness in failing(audit(good(), original=original(rows)))[name]


def test_what_a_group_demands_must_be_there() -> None:
    """Both rows of the first group are alike: one of them has a."""
    release = bucketized([([(1,), (1,)], {"a": 1, "b": 1}), ([(2,), (3,)], {"a": 1, "b": 1})], ["x"], anatomized(2))
    rows = [(1, "a"), (1, "b"), (2, "a"), (3, "b")]
    assert audit(release, original=table_of(rows, ("x", "disease"))).confirmed
    wrong = [(1, "b"), (1, "b"), (2, "a"), (3, "a")]
    found = failing(audit(release, original=table_of(wrong, ("x", "disease"))))
    assert found["rows and values of the original"].startswith(
        "row x 1 has b 2 times in the original, and at most 1 times in the release"
    )
    alone = bucketized([([(1,), (1,)], {"a": 2}), ([(2,), (3,)], {"b": 1, "c": 1})], ["x"], anatomized(2))
    missing = [(1, "b"), (1, "c"), (2, "a"), (3, "a")]
    assert (
        "has b 1 times in the original, and at most 0"
        in (failing(audit(alone, original=table_of(missing, ("x", "disease"))))["rows and values of the original"])
    )


def test_too_few_are_caught_where_none_is_too_many() -> None:
    """The second group has nothing but a: two rows of p have it, whatever the others have."""
    groups = [([("p",), ("q",), ("r",)], {"a": 1, "c": 1, "d": 1}), ([("p",), ("p",), ("q",)], {"a": 3})]
    release = bucketized(groups, ["x"], injected(2))
    rows = [("r", "a"), ("q", "a"), ("q", "a"), ("p", "a"), ("p", "c"), ("p", "d")]
    found = failing(audit(release, original=table_of(rows, ("x", "disease"))))
    assert found["rows and values of the original"] == (
        "row x p has a 1 times in the original, and at least 2 times in the release"
    )
    none = [("r", "d"), ("q", "a"), ("q", "a"), ("p", "a"), ("p", "c"), ("p", "a")]
    assert audit(release, original=table_of(none, ("x", "disease")))["rows and values of the original"].holds


def test_comparing_in_parts_is_comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against_table, "_PART", 3)
    assert audit(good(), original=original()).confirmed
    for rows, name, witness in CHANGED.values():
        assert witness in failing(audit(good(), original=original(rows)))[name]


@given(st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_a_release_of_a_table_is_one_of_it_and_its_bounds_are_those_of_the_definition(seed: int) -> None:
    chance = random.Random(seed)
    rows = [(chance.randint(1, 3), chance.choice("ab"), chance.choice("stuv")) for _ in range(chance.randint(2, 14))]
    groups: list[list[tuple[Any, ...]]] = [[] for _ in range(chance.randint(1, 4))]
    for row in rows:
        chance.choice(groups).append(row)
    parts = [([row[:2] for row in group], dict(Counter(row[2] for row in group))) for group in groups if group]
    release = bucketized(parts, ["x", "y"], anatomized(2))
    names = ("rows of the original", "values of the original", "rows and values of the original")
    verdict = audit(release, original=table_of(rows, ("x", "y", "disease")))
    assert all(verdict[name].holds for name in names)
    secrets = [row[2] for row in rows]
    chance.shuffle(secrets)
    other = [(*row[:2], secret) for row, secret in zip(rows, secrets, strict=True)]
    found = audit(release, original=table_of(other, ("x", "y", "disease")))
    possible = True
    for pair in {(row[:2], secret) for row in rows for secret in secrets}:
        counts = [(quasi.count(pair[0]), had.get(pair[1], 0), len(quasi)) for quasi, had in parts]
        most = sum(min(one, two) for one, two, _ in counts)
        least = sum(max(one + two - size, 0) for one, two, size in counts)
        possible &= least <= other.count((*pair[0], pair[1])) <= most
    assert found["rows and values of the original"].holds == possible


def test_values_are_compared_as_texts() -> None:
    """Ages may come back as floating point, and a missing value is one of its own."""
    release = bucketized([([(20,), (None,)], {"a": 1, None: 1})], ["age"], anatomized(2))
    rows = pa.table({"age": pa.array([20.0, None]), "disease": ["a", None]})
    assert audit(release, original=Table.from_arrow(rows, quasi="age", sensitive="disease")).confirmed
    with pytest.raises(InputError, match="no such column: 'age'"):
        audit(release, original=Table.from_arrow(pa.table({"disease": ["a"]})))


def test_the_papers_table_2_is_one_of_its_table_1() -> None:
    verdict = audit(patients(injected(2)), original=table_of(PATIENTS, PATIENTS_COLUMNS))
    assert verdict.holds, str(verdict)
