"""Rules against their definition, with every measure; and what cannot be made rules of is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engine.threads import Threads
from shoal.errors import Infeasible, InputError
from shoal.mining import association_rules, closed_itemsets, frequent_itemsets, top_itemsets
from shoal.run import Run
from tests.making.transaction_strategies import records
from tests.oracles import itemsets as oracle

MEASURES = ("count", "support", "confidence", "lift", "leverage", "conviction")


def made(rows: list[Any], least: int, confidence: float, **options: Any) -> dict[Any, tuple[float, ...]]:
    rules = association_rules(
        frequent_itemsets(shoal.read(rows), least, run=Run(engine=Threads(1))), confidence, **options
    )
    table = rules.to_arrow().to_pylist()
    found = {(frozenset(row["antecedent"]), frozenset(row["consequent"])): row for row in table}
    assert len(found) == len(table) == len(rules)
    return {rule: tuple(row[name] for name in MEASURES) for rule, row in found.items()}


@settings(max_examples=60)
@given(
    rows=records(max_size=9, items="abcde"),
    least=st.integers(1, 4),
    confidence=st.sampled_from([0.0, 0.3, 0.5, 0.6, 0.75, 0.8, 1.0]),
)
def test_the_rules_are_those_of_the_definition(rows: list[Any], least: int, confidence: float) -> None:
    expected = oracle.rules(rows, least, Fraction(str(confidence)))
    found = made(rows, least, confidence)
    assert found.keys() == expected.keys()
    for rule, numbers in expected.items():
        assert found[rule] == pytest.approx(numbers, abs=1e-12), rule


def test_confidence_is_compared_exactly() -> None:
    rows = [["a", "b"]] * 7 + [["a"]] * 3
    assert (frozenset("a"), frozenset("b")) in made(rows, 1, 0.7)
    assert (frozenset("a"), frozenset("b")) not in made(rows, 1, 0.7000000001)


def test_confidence_is_not_compared_in_floating_point() -> None:
    # 7 of 100 is 0.07 exactly, but 7 / 0.07 is less than 100 in floating point.
    assert int(7 / 0.07) < 100
    rows = [["a", "b"]] * 7 + [["a"]] * 93
    assert (frozenset("a"), frozenset("b")) in made(rows, 1, 0.07)


def test_a_bound_on_consequents_leaves_out_longer_ones() -> None:
    rows = [["a", "b", "c", "d"]] * 3 + [["a"]]
    everything = made(rows, 1, 0.5)
    for length in (1, 2, 3):
        expected = {rule: row for rule, row in everything.items() if len(rule[1]) <= length}
        assert made(rows, 1, 0.5, max_consequent=length) == expected


def test_the_most_confident_stand_first_then_the_more_frequent() -> None:
    data = shoal.read([["a", "b"]] * 5 + [["a"]] * 2 + [["c", "d"]] * 2)
    rows = association_rules(frequent_itemsets(data, 1), 0.1).to_arrow().to_pylist()
    assert [(*row["antecedent"], *row["consequent"]) for row in rows] == [
        ("b", "a"),
        ("c", "d"),
        ("d", "c"),
        ("a", "b"),
    ]
    assert rows[0]["conviction"] == float("inf")


def test_rules_go_to_arrow_and_may_be_none() -> None:
    rules = association_rules(frequent_itemsets(shoal.read([["a"], ["b"]]), 1))
    assert (len(rules), repr(rules)) == (0, "Rules(0 of 2 itemsets)")
    assert pa.table(rules).column_names == ["antecedent", "consequent", *MEASURES]


def test_a_missing_subset_is_named() -> None:
    data = shoal.read([["a", "b", "c"]] * 2)
    with pytest.raises(InputError, match=r"is a subset of an itemset, but not among them: rules need all frequent"):
        association_rules(closed_itemsets(data, 1))
    five = top_itemsets(data, 7).take(top_itemsets(data, 7).offsets[:0])
    assert len(association_rules(five)) == 0
    import numpy as np

    with pytest.raises(InputError, match=r"^\{'a', 'c'\} is a subset"):
        association_rules(top_itemsets(data, 7).take(np.array([0, 1, 2, 3, 5, 6])))


def test_too_many_rules_are_refused() -> None:
    itemsets = frequent_itemsets(shoal.read([[f"{i}" for i in range(6)]]), 1)
    exact = 3**6 - 2 * 2**6 + 1
    assert len(association_rules(itemsets, 0.5, max_rules=exact)) == exact
    with pytest.raises(Infeasible, match=f"more than {exact - 1:,} rules have a confidence of at least 0.5: raise"):
        association_rules(itemsets, 0.5, max_rules=exact - 1)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), True, "1"])
def test_confidence_out_of_range_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="min_confidence is"):
        association_rules(frequent_itemsets(shoal.read([["a"]]), 1), wrong)
