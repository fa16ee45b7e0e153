"""How much merging lowers associations: against counting the rules of merged groups anew, by their definition."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.publish.association_scores import AssociationScores
from tests.making.sensitive_groups import groups_of, shares
from tests.oracles import associations as oracle


def excess(rows: Any, trees: Any, rule: oracle.Association, confidence: float) -> Fraction:
    """By how many rows a rule of a group is above the least confidence."""
    kind, known, there = rule
    holds = [(oracle.surely(row, trees, known), oracle.surely(row, trees, there)) for row in rows]
    if kind == "absence":
        holds = [(not k, t) for k, t in holds]
    applies = sum(k for k, _ in holds)
    return sum(k and t for k, t in holds) - Fraction(str(confidence)) * applies


@given(groups_of(hidden=False, max_groups=5), shares, shares, st.data())
def test_contributions_are_those_of_groups_that_are_counted_anew(drawn, support, confidence, data):
    nodes, trees, offsets = drawn.arrays
    n = len(drawn.groups)
    group = np.repeat(np.arange(n), np.diff(offsets))
    scores = AssociationScores(nodes, trees, group, support, confidence)
    parts = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1))))
    merged = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(parts), max_size=len(parts))))
    found = []
    for into in set(merged.tolist()):
        members = [drawn.groups[part] for part in parts[merged == into]]
        rules = {rule for rows in members for rule in oracle.associations(rows, drawn.trees, support, confidence)}
        for rule in rules if len(members) > 1 else ():
            before = sum(max(0, excess(rows, drawn.trees, rule, confidence)) for rows in members)
            after = max(0, excess([row for rows in members for row in rows], drawn.trees, rule, confidence))
            if before > 1e-9:
                found.append(1 - after / before)
    expected = float(sum(found) / len(found)) if found else 0.0
    assert scores.contribution(parts, merged) == pytest.approx(expected, abs=1e-12)


@given(groups_of(hidden=False, max_groups=4), st.data())
def test_after_merging_groups_are_counted_as_if_they_had_always_been_one(drawn, data):
    nodes, trees, offsets = drawn.arrays
    n = len(drawn.groups)
    group = np.repeat(np.arange(n), np.diff(offsets))
    into = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    into = np.unique(into, return_inverse=True)[1]
    scores = AssociationScores(nodes, trees, group, 0.2, 0.5)
    scores.regroup(into[group])
    fresh = AssociationScores(nodes, trees, into[group], 0.2, 0.5)
    every = np.arange(int(into.max()) + 1)
    assert scores.contribution(every, every // 2) == fresh.contribution(every, every // 2)


def test_a_step_that_lowers_associations_is_preferred_once_they_are_evaluated():
    """Groups that differ in x have opposite values of s, groups that differ in y the same: joining x helps."""
    rows = [(x, y, "ill" if x == "a" else "well") for x in "ab" for y in "pq" for _ in range(4)]
    table = pa.table({"y": [r[1] for r in rows], "x": [r[0] for r in rows], "s": [r[2] for r in rows]})
    people = shoal.read_table(table, quasi=["y", "x"], sensitive="s")

    def shown(**options: Any) -> dict[str, bool]:
        release = shoal.k_anonymity(people, 8, **options)
        return {column.name: not column.is_general.any() for column in release.quasi}

    assert shown() == {"y": False, "x": True}, "both are equal, and the first is taken"
    assert shown(evaluate_from=4) == {"y": True, "x": False}
    assert shown(evaluate_from=0.5) == {"y": True, "x": False}, "half of k"
    assert shown(evaluate_from=5) == {"y": False, "x": True}, "no group has five rows before the step"
    assert shown(evaluate_from=4, weights=(1, 1, 0)) == {"y": False, "x": True}
    assert shown(evaluate_from=4, min_confidence=1.0) == {"y": False, "x": True}, "nothing is above certainty"
