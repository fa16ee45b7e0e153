"""The least possible confidence: over completions of whole groups, one by one, against what the rest is tested by."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.mining.group_associations import find_associations
from shoal.promises import HiddenAssociations
from shoal.publish.hiding import METHODS, hide
from tests.making.sensitive_groups import FLAT, PAIR, Groups, groups_of, shares
from tests.oracles import associations as oracle

THREE = {"*": None, "P": "*", "p": "P", "q": "P", "t": "*"}


def one_by_one(rows, trees, known, there, *, absence=False):
    """The least confidence over all tables that the rows may be, written out."""
    least = None
    for table in product(*(oracle.completions(row, trees) for row in rows)):
        applies = [row for row in table if oracle.surely(row, trees, known) != absence]
        if applies:
            share = Fraction(sum(oracle.surely(row, trees, there) for row in applies), len(applies))
            least = share if least is None else min(least, share)
    return least


def sides(trees):
    """All pairs of sets of nodes of different columns."""
    sets = list(oracle.itemsets(trees))
    for known, there in product(sets, sets):
        if not {column for column, _ in known} & {column for column, _ in there}:
            yield known, there


@st.composite
def small_groups(draw):
    trees = draw(st.sampled_from([(PAIR, THREE), (FLAT, PAIR), (PAIR, PAIR, PAIR)]))
    row = st.tuples(*(st.sampled_from(list(tree)) for tree in trees))
    return trees, draw(st.lists(row, min_size=1, max_size=4 if len(trees) == 2 else 3))


@given(small_groups())
@settings(max_examples=40, deadline=None)
def test_rows_may_be_completed_one_after_the_other(drawn):
    trees, rows = drawn
    group = oracle.Group(rows, trees)
    for known, there in sides(trees):
        for absence in (False, True):
            expected = one_by_one(rows, trees, known, there, absence=absence)
            assert group.least_confidence(known, there, absence=absence) == expected


def closed_form(rows, trees, known, there, *, absence=False):
    """The formula of the promise: which rows count, by what each of them surely and possibly holds."""
    supporting = counted = 0
    applies_at_all = False
    for row in rows:
        ones = list(oracle.completions(row, trees))
        left = [oracle.surely(one, trees, known) != absence for one in ones]
        right = all(oracle.surely(one, trees, there) for one in ones)
        supporting += all(left) and right
        counted += all(left) or (any(left) and not right)
        applies_at_all |= any(left)
    if counted:
        return Fraction(supporting, counted)
    return Fraction(1) if applies_at_all else None


@given(groups_of(hidden=True, max_rows=6, max_groups=1), st.booleans(), st.data())
@settings(deadline=None)
def test_the_formula_of_the_promise_is_the_least_over_completions(drawn, absence, data):
    if len(drawn.trees) == 1:
        return
    (rows,) = drawn.groups
    sets = list(oracle.itemsets(drawn.trees))
    whole = data.draw(st.sampled_from([items for items in sets if len(items) > 1]))
    group = oracle.Group(rows, drawn.trees)
    for length in range(1, len(whole)):
        for known in map(frozenset, combinations(sorted(whole), length)):
            there = whole - known
            expected = group.least_confidence(known, there, absence=absence)
            assert closed_form(rows, drawn.trees, known, there, absence=absence) == expected


def letters(*values):
    return {"*": None, **dict.fromkeys(values, "*")}


TREES = (letters("a", "c0", "c1", "c2"), letters("b", "d0", "d1", "d2"))
SIX = (("*", "b"), ("a", "b"), ("a", "b"), ("c0", "d0"), ("c1", "d1"), ("c2", "d2"))
RULE = ("rule", frozenset({(0, "a")}), frozenset({(1, "b")}))


def test_who_hides_the_left_side_and_shows_the_right_one_does_not_speak_against_a_rule():
    """The counterexample to definite(A, B) / possible(A): 2/3, but a => b holds in 2 of 2 or in 3 of 3 rows."""
    assert one_by_one(SIX, TREES, *RULE[1:]) == 1
    ((one,),) = [
        [one for one in find_associations(*Groups(TREES, (SIX,)).arrays, 0.3, 0.7) if one.antecedent == {"0": "a"}]
    ]
    assert (one.kind, one.consequent, one.supporting, one.applicable) == ("rule", {"1": "b"}, 2, 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("confidence", [0.7, 1.0])
def test_the_counterexample_is_not_published(method, confidence):
    before = Groups(TREES, ((("a", "b"), *SIX[1:]), SIX))
    promise = HiddenAssociations(("s", "t"), 0.3, confidence, method == "resistant")
    for rows in before.read(hide(*before.arrays, promise, method=method)):
        assert RULE not in oracle.associations(rows, TREES, 0.3, confidence)
        assert oracle.associations(rows, TREES, 0.3, confidence) == {}


@settings(deadline=None, max_examples=30)
@given(groups_of(hidden=True, max_rows=6), shares, shares)
def test_hiding_more_never_strengthens_a_rule_that_applied(drawn, support, confidence):
    """More completions, lower minimum: what makes hiding come to an end."""
    made = drawn.read(hide(*drawn.arrays, HiddenAssociations(("s",), support, confidence)))
    for before, after in zip(drawn.groups, made, strict=True):
        groups = [oracle.Group(rows, drawn.trees) for rows in (before, after)]
        for known, there in list(sides(drawn.trees))[::101]:
            least = [group.least_confidence(known, there) for group in groups]
            assert least[0] is None or (least[1] is not None and least[1] <= least[0])
