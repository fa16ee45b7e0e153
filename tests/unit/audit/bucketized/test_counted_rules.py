"""The auditor's own count of negative rules, against their definition."""

from __future__ import annotations

import random
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.bucketized.exclusions import exclude, first_uncovered
from shoal.audit.bucketized.negative_rules import count_rules
from shoal.audit.budget import Budget
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from tests.making.bucketized_releases import rules, table_of
from tests.oracles import negative_rules as oracle

QUASI = ("age", "town")


def as_oracle(background: Background) -> set[Any]:
    return {
        (frozenset((c.column, c.label, frozenset(c.values)) for c in rule.conditions), rule.excluded)
        for rule in background.rules
    }


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Few values, so that rules are many; ages with gaps, and some values missing."""
    row = st.fixed_dictionaries(
        {
            "age": st.sampled_from([20, 21, 23, 28, 40, None]),
            "town": st.sampled_from(["a", "b", "c", None]),
            "disease": st.sampled_from(["flu", "gout", "mumps"]),
        }
    )
    return draw(st.lists(row, min_size=1, max_size=14))


AGES = {"20": ("young", "*"), "21": ("young", "*"), "23": ("young", "*"), "28": ("old", "*"), "40": ("old", "*")}
TREES = {
    "age": {**AGES, "?": ("old", "*")},
    "town": {"a": ("ab", "*"), "b": ("ab", "*"), "c": ("c", "*"), "?": ("c", "*")},
}


def hierarchies() -> dict[str, Hierarchy]:
    return {name: Hierarchy.from_rows([(leaf, *up) for leaf, up in tree.items()]) for name, tree in TREES.items()}


@pytest.mark.parametrize("membership", ["crisp", "product", "minimum"])
@pytest.mark.parametrize("nodes", [False, True])
@given(
    rows=tables(),
    min_expectation=st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]),
    min_confidence=st.sampled_from([1.0, 0.9, 0.75, 0.5]),
    max_attributes=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_the_rules_are_those_of_the_definition(
    membership: str,
    nodes: bool,
    rows: list[dict[str, Any]],
    min_expectation: float,
    min_confidence: float,
    max_attributes: int,
) -> None:
    table = table_of([(row["age"], row["town"], row["disease"]) for row in rows], ("age", "town", "disease"))
    # A column of nothing but missing values has no type, and so is none of numbers.
    numeric = ["age"] if any(row["age"] is not None for row in rows) else []
    try:
        expected = oracle.rules(
            rows,
            QUASI,
            "disease",
            Fraction(repr(min_expectation)),
            trees=TREES if nodes else {},
            min_confidence=Fraction(repr(min_confidence)),
            max_attributes=max_attributes,
            joined=membership,
            numbers=numeric,
        )
    except (oracle.TooCloseError, ValueError):  # where rounding decides, or one number has no neighbour
        return
    found = count_rules(
        table,
        list(QUASI),
        "disease",
        min_expectation=min_expectation,
        min_confidence=min_confidence,
        max_attributes=max_attributes,
        hierarchies=hierarchies() if nodes else None,
        membership=membership,
    )
    assert as_oracle(found) == set(expected)
    assert len(found) == len(expected)


@pytest.mark.parametrize("membership", ["product", "minimum"])
def test_degrees_of_three_columns_are_combined(membership: str) -> None:
    chance = random.Random(2)
    compared = 0
    for _ in range(20):
        rows = [
            {**{name: chance.choice([1, 2, 4, 5]) for name in "pqr"}, "disease": chance.choice(["flu", "gout"])}
            for _ in range(9)
        ]
        table = table_of([tuple(row.values()) for row in rows], ("p", "q", "r", "disease"))
        options: dict[str, Any] = {"min_confidence": 0.7, "max_attributes": 3}
        exact = {**options, "min_confidence": Fraction("0.7"), "joined": membership, "numbers": "pqr", "trees": {}}
        try:
            expected = oracle.rules(rows, "pqr", "disease", Fraction("0.6"), **exact)
        except oracle.TooCloseError:
            continue
        found = count_rules(table, [*"pqr"], "disease", min_expectation=0.6, membership=membership, **options)
        assert as_oracle(found) == set(expected)
        compared += 1
    assert compared > 3


def test_equality_is_decided_exactly() -> None:
    """Half of four rows have flu: two rows miss it with a chance of a quarter, which .75 just reaches."""
    rows = [("a", "gout"), ("a", "gout"), ("b", "flu"), ("b", "flu")]
    table = table_of(rows, ("town", "disease"))
    assert len(count_rules(table, ["town"], "disease", min_expectation=0.75)) == 2
    assert len(count_rules(table, ["town"], "disease", min_expectation=0.7501)) == 0
    # A tenth of ten rows, as written: floating point makes 1 - .9 a little less.
    ten = [("a", "flu"), *[("a", "gout")] * 9, *[("b", "flu")] * 10]
    found = count_rules(
        table_of(ten, ("town", "disease")), ["town"], "disease", min_expectation=0.5, min_confidence=0.9
    )
    assert "town = a => not flu" in [str(rule) for rule in found.rules]


def test_a_value_that_all_rows_have_is_never_excluded() -> None:
    table = table_of([("a", "flu"), ("b", "flu")], ("town", "disease"))
    assert len(count_rules(table, ["town"], "disease", min_expectation=0.1, min_confidence=0.1)) == 0


def test_numbers_out_of_range_are_refused() -> None:
    table = table_of([("a", "flu"), ("b", "gout")], ("town", "disease"))
    for wrong in ({"min_expectation": 1.0}, {"min_confidence": 0.0}, {"max_attributes": 0}, {"membership": "vague"}):
        options: dict[str, Any] = {"min_expectation": 0.9, **wrong}
        with pytest.raises(InputError, match=next(iter(wrong))):
            count_rules(table, ["town"], "disease", **options)


def test_many_values_in_little_time() -> None:
    """A column of 200,000 different numbers, by degrees and with a tree, is no table of numbers by numbers."""
    n = 200_000
    chance = np.random.default_rng(1)
    numbers = chance.permutation(n)
    secret = pa.array(["s", "t", "u"]).take(pa.array(chance.choice(3, n, p=[0.6, 0.3, 0.1])))
    table = Table.from_arrow(pa.table({"x": numbers, "s": secret}), quasi="x", sensitive="s")
    start = time.process_time()
    for membership in ("crisp", "product"):
        count_rules(table, ["x"], "s", min_expectation=0.9, membership=membership)
    assert time.process_time() - start < 20


def test_rules_apply_to_rows_by_texts() -> None:
    """A conjunction, a value that is no text, a missing one, a value that nobody has."""
    rows = [(20, "a", "flu"), (20, "b", "gout"), (21, None, "flu"), (None, "a", "gout")]
    table = table_of(rows, ("age", "town", "disease"))
    known = rules(
        ({"age": "20", "town": "a"}, "gout"),
        ({"town": "?"}, "gout"),
        ({"age": ("20", "?", "77")}, "flu"),
        ({"age": "20"}, "plague"),
    )
    found = exclude(known, table.with_roles(plain="disease"), table.column("disease").values, Budget(1e6))
    sets = [set(found.values[found.offsets[c] : found.offsets[c + 1]].tolist()) for c in found.row_class.tolist()]
    flu, gout = 0, 1
    assert sets == [{flu, gout}, {flu}, {gout}, {flu}]


@given(st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_what_is_not_covered_is_found(seed: int) -> None:
    chance = random.Random(seed)
    rows = [(chance.choice("abc"), chance.choice("xyz"), chance.choice("123")) for _ in range(8)]
    table = table_of(rows, ("p", "q", "disease"))

    def some() -> Background:
        made = []
        for _ in range(chance.randint(0, 4)):
            conditions: dict[str, Any] = {"p": tuple(x for x in "abc" if chance.random() < 0.5)}
            if chance.random() < 0.5:
                conditions["q"] = tuple(x for x in "xyz" if chance.random() < 0.5)
            made.append((conditions, chance.choice("123")))
        return rules(*made)

    def excluded(known: Background, row: tuple[str, ...]) -> set[str]:
        cells = dict(zip(("p", "q"), row, strict=False))
        return {r.excluded for r in known.rules if all(cells[c.column] in c.values for c in r.conditions)}

    one, two = some(), some()
    values = table.column("disease").values
    present = set(values.to_pylist())
    wide, narrow = (exclude(known, table, values, Budget(1e6)) for known in (one, two))
    lost = first_uncovered(wide, narrow, len(values))
    missing = [(excluded(two, row) - excluded(one, row)) & present for row in rows]
    if lost is None:
        assert not any(missing)
    else:
        assert values[lost[1]].as_py() in missing[lost[0]]
