"""Negative rules against their definition: values, nodes, conjunctions, degrees; and what is wrong is named."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import Infeasible, InputError
from shoal.mining.negative_rules import negative_rules
from shoal.run import Run
from tests.oracles import negative_rules as oracle

TYPES = {"a": pa.string(), "b": pa.float64(), "c": pa.int64(), "y": pa.string()}
QUASI = ["a", "b", "c"]
LETTERS = {letter: ("pq"[letter in "uv"], "*") for letter in "stuv?"}
# Ranges, of which [2, 4) has one value that occurs, and a node that is there twice.
NUMBERS = {str(n): (f"[{n // 2 * 2}, {n // 2 * 2 + 2})", "low" if n < 4 else "high", "*") for n in range(10)}
TREES = {"a": LETTERS, "c": NUMBERS | {"?": ("?", "low", "*")}}
ROW = st.fixed_dictionaries(
    {
        "a": st.sampled_from(["s", "t", "u", "v", None]),
        "b": st.sampled_from([0.5, 1.0, 2.0, 4.5]),
        "c": st.one_of(st.none(), st.sampled_from([0, 1, 2, 5, 6, 9])),
        "y": st.sampled_from(["x", "y", "z", None]),
    }
)
ROWS = st.lists(ROW, min_size=1, max_size=16)
SHARES = st.sampled_from(["0.05", "0.3", "0.5", "0.75", "0.9"])


def as_table(rows: list[dict[str, Any]]) -> Table:
    columns = {name: pa.array([row[name] for row in rows], kind) for name, kind in TYPES.items()}
    return Table.from_arrow(pa.table(columns), quasi=QUASI, sensitive="y")


def as_trees() -> dict[str, Hierarchy]:
    return {name: Hierarchy.from_rows([(leaf, *up) for leaf, up in tree.items()]) for name, tree in TREES.items()}


def mined(rows: list[dict[str, Any]], min_expectation: str, **options: Any) -> Any:
    return negative_rules(as_table(rows), float(min_expectation), hierarchies=as_trees(), **options)


def as_found(rows: list[dict[str, Any]]) -> dict[Any, tuple[float, float, float]]:
    return {
        (
            frozenset((c["column"], c["label"], frozenset(c["values"])) for c in row["conditions"]),
            row["excluded"],
        ): (row["count"], row["expectation"], row["confidence"])
        for row in rows
    }


def as_rules(background: Background) -> list[Any]:
    return [
        (frozenset((c.column, c.label, frozenset(c.values)) for c in rule.conditions), rule.excluded)
        for rule in background.rules
    ]


@settings(deadline=None, max_examples=80)
@given(ROWS, SHARES, st.sampled_from(["1.0", "0.9", "0.75", "0.5"]), st.integers(1, 3))
@example([{"a": letter, "b": 1.0, "c": 0, "y": y} for letter, y in ("sx", "sx", "ty", "ux")], "0.75", "1.0", 1)
@example([{"a": letter, "b": 1.0, "c": 0, "y": y} for letter, y in ("sx", "sx", "ty", "ty")], "0.75", "1.0", 1)
def test_rules_are_those_of_the_definition(rows: list[Any], expectation: str, confidence: str, most: int) -> None:
    found = mined(rows, expectation, min_confidence=float(confidence), max_attributes=most).to_arrow().to_pylist()
    wanted = oracle.rules(
        rows,
        QUASI,
        "y",
        Fraction(expectation),
        trees=TREES,
        min_confidence=Fraction(confidence),
        max_attributes=most,
    )
    assert len(found) == len(wanted)
    assert as_found(found) == {rule: pytest.approx(numbers, abs=1e-12) for rule, numbers in wanted.items()}
    for row in found:
        assert row["antecedent"] == [f"{c['column']} = {c['label']}" for c in row["conditions"]]
        assert row["sensitive"] == "y"
        assert isinstance(row["count"], int)


@settings(deadline=None, max_examples=80)
@given(
    ROWS,
    SHARES,
    st.sampled_from(["1.0", "0.75"]),
    st.integers(1, 3),
    st.sampled_from(["product", "minimum"]),
    st.sampled_from([(), ("b",)]),
)
def test_degrees_are_those_of_the_definition(
    rows: list[Any], expectation: str, confidence: str, most: int, joined: Any, crisp: tuple[str, ...]
) -> None:
    try:
        wanted = oracle.rules(
            rows,
            QUASI,
            "y",
            Fraction(expectation),
            trees=TREES,
            min_confidence=Fraction(confidence),
            max_attributes=most,
            joined=joined,
            numbers={"b", "c"} - set(crisp),
        )
    except oracle.TooCloseError:
        assume(False)
    options = {"min_confidence": float(confidence), "max_attributes": most, "membership": joined, "crisp": crisp}
    rules = mined(rows, expectation, **options)
    found = rules.to_arrow().to_pylist()
    assert len(found) == len(rules)
    assert as_found(found) == {rule: pytest.approx(numbers, abs=1e-9) for rule, numbers in wanted.items()}
    _require_same_exclusions(as_found(found), rules.background())


@settings(deadline=None, max_examples=80)
@given(ROWS, SHARES, st.sampled_from([1.0, 0.6]), st.integers(1, 3))
def test_background_is_shorter_and_excludes_the_same(
    rows: list[Any], expectation: str, confidence: float, most: int
) -> None:
    rules = mined(rows, expectation, min_confidence=confidence, max_attributes=most)
    background = rules.background()
    assert background.sensitive == "y"
    _require_same_exclusions(as_found(rules.to_arrow().to_pylist()), background)
    kept = as_rules(background)
    for one, other in product(kept, kept):
        assert one is other or not _implies(one, other)


def _require_same_exclusions(rules: Any, background: Background) -> None:
    """Of every row that there could be, with every combination of values."""
    kept = as_rules(background)
    assert set(kept) <= set(rules)
    letters, reals, numbers = ["s", "t", "u", "v", None], [0.5, 1.0, 2.0, 4.5], [None, 0, 1, 2, 5, 6, 9]
    for a, b, c in product(letters, reals, numbers):
        row = {"a": a, "b": b, "c": c}
        assert oracle.excluded(kept, row) == oracle.excluded(rules, row)


def _implies(one: Any, other: Any) -> bool:
    mine, theirs = ({column: values for column, _, values in rule[0]} for rule in (one, other))
    return one[1] == other[1] and all(name in theirs and theirs[name] <= mine[name] for name in mine)


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False), st.sampled_from(["crisp", "product"]))
def test_the_order_of_rows_does_not_matter(rows: list[Any], chance: Any, joined: Any) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    found = [
        mined(some, "0.3", max_attributes=2, membership=joined).to_arrow().to_pylist() for some in (rows, shuffled)
    ]
    assert [row["antecedent"] for row in found[0]] == [row["antecedent"] for row in found[1]]
    assert found[0] == [pytest.approx(row) if not isinstance(row, dict) else _near(row) for row in found[1]]


def _near(row: dict[str, Any]) -> dict[str, Any]:
    return {name: pytest.approx(value) if isinstance(value, float) else value for name, value in row.items()}


def test_the_most_expected_come_first_then_the_shorter() -> None:
    rows = [{"a": "stuv"[n % 4], "b": 1.0 + n % 2, "c": n % 7, "y": "xyz"[n // 3 % 3]} for n in range(12)]
    rules = mined(rows, "0.05", max_attributes=3)
    keys = list(zip((-rules.expectations).tolist(), rules.sizes.tolist(), strict=True))
    assert len(set(rules.sizes.tolist())) == 3
    assert keys == sorted(keys)
    assert "NegativeRules(" in repr(rules)
    # Both expectations are 1 in floating point, and 900 rows are more than 800.
    many = {"a": ["s"] * 800 + ["t"] * 900 + ["u"] * 900, "y": ["x"] * 1700 + ["z"] * 900}
    found = negative_rules(Table.from_arrow(pa.table(many), quasi="a", sensitive="y"), 0.9)
    assert found.to_arrow()["count"].to_pylist() == [900, 900, 800]
    assert set(found.expectations.tolist()) == {1.0}
    assert pa.table(rules).equals(rules.to_arrow())


def test_one_sensitive_value_excludes_nothing() -> None:
    table = Table.from_arrow(pa.table({"a": ["s", "t"], "y": ["x", "x"]}), quasi="a", sensitive="y")
    for joined in ("crisp", "product"):
        rules = negative_rules(table, 0.1, membership=joined, max_attributes=2)
        assert len(rules) == len(rules.background()) == rules.to_arrow().num_rows == 0


def test_a_threshold_that_is_reached_exactly_is_reached() -> None:
    # Half of the rows have x: two rows without it are expected with 1 - 1/4, and 3 with 1 - 1/8.
    table = Table.from_arrow(pa.table({"a": list("ssttuu"), "y": list("yyxxxy")}), quasi="a", sensitive="y")
    found = {rule.excluded + rule.conditions[0].label for rule in negative_rules(table, 0.75).background().rules}
    assert found == {"xs", "yt"}
    assert len(negative_rules(table, 0.7500000000000001)) == 0
    assert len(negative_rules(table, 0.7499999999999999)) == 2
    # One row in ten has x: .1, .19, .271 are no floating-point numbers, and are reached by 1, 2, 3 rows all the same.
    for rows, expectation in ((1, 0.1), (2, 0.19), (3, 0.271), (4, 0.3439)):
        data = {"a": ["s"] * rows + ["t"] * (10 - rows), "y": ["y"] * 9 + ["x"]}
        table = Table.from_arrow(pa.table(data), quasi="a", sensitive="y")
        assert "a = s => not x" in map(str, negative_rules(table, expectation).background().rules)
        assert len(negative_rules(table, expectation + 1e-12)) == 0


def test_confidence_is_compared_as_it_is_written() -> None:
    # In floating point, .29 * 100 is less than 29, and 1 - .71 less than .29.
    for n, wrong, confidence in ((10, 1, 0.9), (10, 3, 0.7), (100, 29, 0.71), (1000, 423, 0.577)):
        rows = {"a": ["s"] * n + ["t"] * n, "y": ["x"] * wrong + ["y"] * (n - wrong) + ["x"] * n}
        table = Table.from_arrow(pa.table(rows), quasi="a", sensitive="y")
        for change, there in ((0.0, True), (1e-12, False), (-1e-12, True)):
            texts = map(str, negative_rules(table, 0.5, min_confidence=confidence + change).background().rules)
            assert ("a = s => not x" in texts) is there


def test_a_number_near_by_counts_and_its_value_is_excluded_too() -> None:
    # 30 to 33 are met by 29 to some degree (step 1, so r = 2 + 3/4), by 27 not at all.
    ages = [30, 31, 32, 33] * 5 + [29, 27, 60] * 2
    rows = {"age": ages, "y": ["x"] * 20 + ["x", "y", "y"] * 2}
    tree = Hierarchy.from_rows(
        [(str(age), "thirties" if 30 <= age < 40 else "other", "*") for age in sorted(set(ages))]
    )
    table = Table.from_arrow(pa.table(rows), quasi="age", sensitive="y")
    rules = negative_rules(table, 0.9, hierarchies={"age": tree}, membership="product").to_arrow().to_pylist()
    [found] = [row for row in rules if row["antecedent"] == ["age = thirties"]]
    assert found["conditions"] == [{"column": "age", "label": "thirties", "values": ["29", "30", "31", "32", "33"]}]
    assert found["count"] == pytest.approx(20 + 2 * (1 - 1 / 2.75))
    assert found["excluded"] == "y"


PEOPLE = pa.table({"age": [1, 2, 3], "sex": ["m", "f", "f"], "zip": ["a", "b", "c"], "ill": ["x", "y", "y"]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_expectation": 1}, "min_expectation is 1: it must be a number above 0 and below 1"),
        ({"min_expectation": 0.0}, "min_expectation is 0.0"),
        ({"min_expectation": float("nan")}, "min_expectation is nan"),
        ({"min_confidence": 0}, "min_confidence is 0: it must be a number above 0 and up to 1"),
        ({"min_confidence": 1.5}, "min_confidence is 1.5"),
        ({"max_attributes": 0}, "max_attributes is 0: it must be a whole number from 1 on"),
        ({"max_rules": 0}, "max_rules is 0"),
        ({"membership": "vague"}, "membership is 'vague': it must be crisp, product or minimum"),
        ({"sensitive": "il"}, "no such column: 'il' (did you mean 'ill'?)"),
        ({"quasi": ["agee"]}, "no such column: 'agee' (did you mean 'age'?)"),
        ({"quasi": ["age", "ill"]}, "a column has one role, but these have more: 'ill' (quasi and sensitive)"),
        ({"quasi": []}, "negative rules need quasi columns"),
        ({"hierarchies": {"zip": Hierarchy.from_rows([("a", "*")])}}, "these are none: 'zip'; the quasi columns are"),
        ({"hierarchies": {"sex": Hierarchy.from_rows([("m", "*")])}}, "without a place (1): 'f'"),
        ({"crisp": "age"}, "all columns are crisp: name none"),
        ({"crisp": "zip", "membership": "product"}, "no such column: 'zip'"),
    ],
)
def test_a_mistake_is_named(options: dict[str, Any], message: str) -> None:
    table = Table.from_arrow(PEOPLE, quasi=["age", "sex"], sensitive="ill")
    with pytest.raises(InputError) as caught:
        negative_rules(table, **options)
    assert message in str(caught.value)


def test_the_table_has_one_sensitive_column() -> None:
    for given_, message in (((), "has none"), (["ill", "zip"], "has 2 of them ('zip', 'ill')")):
        with pytest.raises(InputError, match="about one sensitive column") as caught:
            negative_rules(Table.from_arrow(PEOPLE, quasi="age", sensitive=given_))
        assert message in str(caught.value)
    two = Table.from_arrow(PEOPLE, quasi="age", sensitive=["ill", "zip"])
    assert negative_rules(two, 0.1, sensitive="ill").sensitive.name == "ill"
    with pytest.raises(InputError, match="no rows"):
        negative_rules(Table.from_arrow(PEOPLE.slice(0, 0), quasi="age", sensitive="ill"))


@pytest.mark.parametrize(
    ("texts", "sample"),
    [
        (["39", "50", "61"], "such as '39'"),
        ([str(n) for n in range(20)] + ["1,234"], "such as '1,234'"),
        ([str(n) for n in range(20)] + ["39 years"], "such as '39 years'"),
        (["1'000", "2'500", None], 'such as "1\'000"'),
        (["3,5", "4,25"], "as in 1234.5"),
    ],
)
def test_numbers_as_texts_have_no_distance(texts: list[str | None], sample: str) -> None:
    data = pa.table({"age": texts, "y": ["x" if n % 2 else "z" for n in range(len(texts))]})
    table = Table.from_arrow(data, quasi="age", sensitive="y")
    with pytest.raises(InputError, match="column 'age' holds numbers as texts") as caught:
        negative_rules(table, membership="product")
    assert sample in str(caught.value)
    assert "add the column to the crisp ones" in str(caught.value)
    assert len(negative_rules(table, 0.1, membership="product", crisp="age")) == len(negative_rules(table, 0.1))


@pytest.mark.parametrize("texts", [["01305", "47677", "47602"], ["a", "39", "b"], ["f", "m", "f"]])
def test_codes_and_words_are_no_numbers(texts: list[str]) -> None:
    table = Table.from_arrow(pa.table({"zip": texts, "y": list("xyz")}), quasi="zip", sensitive="y")
    assert len(negative_rules(table, 0.1, membership="product")) == len(negative_rules(table, 0.1)) > 0


def test_infinite_numbers_have_no_distance() -> None:
    table = Table.from_arrow(pa.table({"b": [1.0, float("inf")], "y": ["x", "z"]}), quasi="b", sensitive="y")
    with pytest.raises(InputError, match="column 'b' holds infinite numbers"):
        negative_rules(table, 0.1, membership="minimum")
    assert len(negative_rules(table, 0.1)) == 2


def test_too_many_are_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a": "stuv"[n % 4], "b": 1.0 + n % 2, "c": n % 7, "y": "xyz"[n // 3 % 3]} for n in range(12)]
    everything = mined(rows, "0.05", max_attributes=2)
    assert len(mined(rows, "0.05", max_attributes=2, max_rules=len(everything))) == len(everything)
    with pytest.raises(Infeasible, match=r"more than \d+ rules: raise the minimum expectation") as caught:
        mined(rows, "0.05", max_attributes=2, max_rules=len(everything) - 1)
    assert "allow fewer conditions per rule (at most 1)" in str(caught.value)
    monkeypatch.setattr("shoal.mining.negative_rules.MAX_CONJUNCTIONS", 40)
    with pytest.raises(Infeasible, match=r"\d+ conjunctions of 2 conditions would have to be counted"):
        mined(rows, "0.05", max_attributes=2)
    monkeypatch.setattr("shoal.mining.negative_rules.MAX_CONJUNCTIONS", 10**6)
    monkeypatch.setattr("shoal.mining.negative_rules.available_memory", lambda: 64 * 100)
    with pytest.raises(Infeasible, match="do not fit into memory"):
        mined(rows, "0.05", max_attributes=2)
    for part, what in (("memberships", "conditions, too many"), ("conjunctions", "combinations of values, too many")):
        with monkeypatch.context() as patch:
            patch.setattr(f"shoal.mining.{part}.available_memory", lambda: 100)
            with pytest.raises(Infeasible, match=what):
                negative_rules(as_table(rows), 0.05, membership="product")


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a": "stuv"[n % 4], "b": 1.0 + n % 3, "c": n % 7, "y": "xyz"[n // 3 % 3]} for n in range(20)]
    for joined in ("crisp", "minimum"):
        whole = mined(rows, "0.1", max_attributes=3, membership=joined).to_arrow()
        with monkeypatch.context() as patch:
            patch.setattr("shoal.mining.conjunctions._SETS", 7)
            patch.setattr("shoal.mining.conjunctions._CELLS", 50)
            parts = mined(rows, "0.1", max_attributes=3, membership=joined).to_arrow()
        assert len(whole) > 100
        assert parts.to_pylist() == whole.to_pylist()


def test_progress_is_reported_for_every_size() -> None:
    rows = [{"a": "stuv"[n % 4], "b": 1.0 + n % 2, "c": n % 7, "y": "xyz"[n // 3 % 3]} for n in range(12)]
    seen: list[tuple[str, int, int]] = []
    mined(rows, "0.05", max_attributes=3, run=Run(progress=lambda *event: seen.append(event)))
    assert [stage for stage, _, _ in seen] == ["count 1 condition", "count 2 conditions", "count 3 conditions"]
    assert all(done == total for _, done, total in seen)


def test_nothing_can_be_changed() -> None:
    rules = mined([{"a": "s", "b": 1.0, "c": 1, "y": "x"}, {"a": "t", "b": 2.0, "c": 2, "y": "z"}], "0.3")
    for array in (rules.items, rules.counts, rules.conditions.codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert np.all(rules.exceptions == 0)
