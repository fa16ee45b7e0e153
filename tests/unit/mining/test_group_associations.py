"""What groups give away: against the definition, over all sets of nodes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.node_tree import NodeTree
from shoal.errors import Infeasible, InputError
from shoal.mining import group_associations as mining
from shoal.mining.group_associations import find_associations
from shoal.mining.rule_counts import RuleCounts
from tests.making.sensitive_groups import FLAT, PAIR, Groups, groups_of, shares
from tests.oracles import associations as oracle


def as_oracle(found):
    """By group, the associations as the oracle writes them, with their confidence."""
    by_group = [{} for _ in found.group_sizes]
    for one in found:
        sides = (frozenset((int(c), v) for c, v in side.items()) for side in (one.antecedent, one.consequent))
        by_group[one.group][(one.kind, *sides)] = Fraction(one.supporting, one.applicable)
    return by_group


@given(groups_of(hidden=True), shares, shares)
def test_all_associations_are_found_and_no_other(drawn, support, confidence):
    found = find_associations(*drawn.arrays, support, confidence)
    assert as_oracle(found) == [
        oracle.associations(rows, drawn.trees, support, confidence) for rows in map(list, drawn.groups)
    ]
    assert np.all(np.diff(found.groups) >= 0)
    for one in found:
        holders = sum(
            oracle.surely(row, drawn.trees, frozenset((int(c), v) for c, v in one.consequent.items()))
            for row in drawn.groups[one.group]
        )
        assert one.supporting <= holders
        assert one.support == one.supporting / len(drawn.groups[one.group])


@given(groups_of(hidden=False), shares, shares)
def test_kinds_can_be_left_out(drawn, support, confidence):
    every = as_oracle(find_associations(*drawn.arrays, support, confidence))
    rules = as_oracle(find_associations(*drawn.arrays, support, confidence, kinds=["rule"]))
    assert rules == [{key: share for key, share in group.items() if key[0] == "rule"} for group in every]


@given(groups_of(hidden=False, max_groups=4), shares, shares, st.data())
def test_merged_counts_are_those_of_merged_rows(drawn, support, confidence, data):
    nodes, trees, offsets = drawn.arrays
    counted = RuleCounts.of(nodes, trees, offsets, support, confidence)
    n = len(drawn.groups)
    into = np.array([0, *(data.draw(st.integers(0, g)) for g in range(1, n))])
    into = np.unique(into, return_inverse=True)[1]
    merged = counted.merged(into)
    joined = [
        [row for g, rows in enumerate(drawn.groups) if into[g] == to for row in rows] for to in range(into.max() + 1)
    ]
    rho = Fraction(str(confidence))
    for to, rows in enumerate(joined):
        expected = oracle.associations(rows, drawn.trees, support, confidence)
        for at, rule in enumerate(counted.rules):
            sides = [frozenset((int(c), v) for c, v in side.items()) for side in (rule.antecedent, rule.consequent)]
            holds = [[oracle.surely(row, drawn.trees, side) for row in rows] for side in sides]
            pairs = list(zip(*holds, strict=True))
            if rule.kind == "absence":
                pairs = [(not a, b) for a, b in pairs]
            supporting, applicable = sum(a and b for a, b in pairs), sum(a for a, _ in pairs)
            assert (merged.supporting[to, at], merged.applicable[to, at]) == (supporting, applicable)
            assert merged.excess[to, at] == pytest.approx(float(supporting - rho * applicable))
            assert merged.are_associations[to, at] == ((rule.kind, *sides) in expected)


def test_shares_are_taken_as_they_are_written():
    rows = tuple([("a",)] * 3 + [("b",)] * 27)
    drawn = Groups((FLAT,), (rows,))
    for confidence, n in ((0.1, 1), (0.10000000000000002, 0), (0.3 - 0.2, 1)):  # the last is .09999999999999998
        found = find_associations(*drawn.arrays, 1.0, confidence)
        assert sum(one.consequent == {"0": "a"} for one in found) == n


def test_a_rule_from_absence_is_weakened_by_rows_that_need_not_hold_what_follows_only():
    rule = ("absence", frozenset({(0, "a")}), frozenset({(1, "y")}))
    shares = {
        (("a", "n"), ("a", "n"), ("b", "y"), ("b", "y"), ("c", "y")): 1,
        # Who is not a has y, whichever of the hidden ones is a.
        (("a", "n"), ("a", "n"), ("*", "y"), ("*", "y"), ("c", "y")): 1,
        (("a", "n"), ("a", "n"), ("*", "y"), ("*", "y"), ("*", "y")): 1,  # even if nobody need be anything but a
        (("a", "n"), ("a", "n"), ("*", "*"), ("b", "y"), ("c", "y")): Fraction(2, 3),
        (("a", "n"), ("a", "n"), ("*", "n"), ("b", "y"), ("c", "y")): Fraction(2, 3),
        (("a", "n"), ("a", "n"), ("*", "*"), ("*", "y"), ("*", "y")): None,  # 0 of 1
    }
    for rows, share in shares.items():
        assert as_oracle(find_associations(*Groups((FLAT, PAIR), (rows,)).arrays, 0.4, 0.6))[0].get(rule) == share


def test_what_would_take_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(mining, "_MOST_CELLS", 11)
    drawn = Groups((FLAT, PAIR), ((("a", "y"), ("b", "n"), ("c", "y")),))
    with pytest.raises(Infeasible, match=r"group 0: .* more than 11 combinations .* fewer sensitive columns"):
        find_associations(*drawn.arrays, 0.1, 0.5)


@pytest.mark.parametrize("share", [0.0, 1.5, True])
def test_shares_out_of_range_are_refused(share):
    drawn = Groups((PAIR,), ((("y",),),))
    with pytest.raises(InputError, match="min_support"):
        find_associations(*drawn.arrays, share, 0.5)
    with pytest.raises(InputError, match="min_confidence"):
        find_associations(*drawn.arrays, 0.5, share)


def test_no_rows_have_no_associations():
    tree = NodeTree(("*", "a"), np.array([-1, 0], np.int32), np.array([1, 1]))
    found = find_associations([np.empty(0, np.int32)], [tree], np.zeros(1, np.int64), 0.1, 0.5)
    assert (len(found), len(found.group_sizes)) == (0, 0)
