"""The paper on k-anonymity with hidden Q-S associations: what its text says of figure 1, which is not in the text.

The groups are ours, with the facts that the text gives: in the first one, of five women, 80 % earn at most 50K,
and private => divorced, <=50K holds for all; in the second one Married-civ-spouse => Private has 67 %, and who is not
Married-civ-spouse works for the federal government (100 %). Thresholds are those of figure 2: support 25 %, confidence
60 %.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal.mining.group_associations import find_associations
from shoal.promises import HiddenAssociations
from shoal.publish.hiding import METHODS, hide
from tests.making.sensitive_groups import Groups
from tests.oracles import associations as oracle

WORK = {"Any": None, "Private": "Any", "Federal-gov": "Any", "Self-emp": "Any"}
MARITAL = {"Any": None, "Divorced": "Any", "Married-civ-spouse": "Any", "Never-married": "Any", "Widowed": "Any"}
SALARY = {"Any": None, "<=50K": "Any", ">50K": "Any"}
WOMEN = (
    ("Private", "Divorced", "<=50K"),
    ("Private", "Divorced", "<=50K"),
    ("Self-emp", "Never-married", "<=50K"),
    ("Federal-gov", "Widowed", "<=50K"),
    ("Federal-gov", "Married-civ-spouse", ">50K"),
)
MEN = (
    ("Private", "Married-civ-spouse", "<=50K"),
    ("Private", "Married-civ-spouse", ">50K"),
    ("Self-emp", "Married-civ-spouse", ">50K"),
    ("Federal-gov", "Divorced", "<=50K"),
    ("Federal-gov", "Never-married", ">50K"),
)
FIGURE = Groups((WORK, MARITAL, SALARY), (WOMEN, MEN))
SUPPORT, CONFIDENCE = 0.25, 0.6
ANYBODY = (0, "value", {}, {"2": "<=50K"})
JENNIFER = (0, "rule", {"0": "Private"}, {"1": "Divorced", "2": "<=50K"})
MARRIED = (1, "rule", {"1": "Married-civ-spouse"}, {"0": "Private"})
MICHAEL = (1, "absence", {"1": "Married-civ-spouse"}, {"0": "Federal-gov"})


def told(groups, nodes):
    _, trees, offsets = groups.arrays
    return {
        (one.group, one.kind, tuple(one.antecedent.items()), tuple(one.consequent.items())): Fraction(
            one.supporting, one.applicable
        )
        for one in find_associations(nodes, trees, offsets, SUPPORT, CONFIDENCE)
    }


def key(said):
    group, kind, antecedent, consequent = said
    return group, kind, tuple(antecedent.items()), tuple(consequent.items())


def test_what_tom_infers_before_anything_is_hidden():
    before = told(FIGURE, FIGURE.arrays[0])
    assert before[key(ANYBODY)] == Fraction(4, 5)
    assert before[key(JENNIFER)] == 1
    assert before[key(MARRIED)] == Fraction(2, 3)
    assert before[key(MICHAEL)] == 1


@pytest.mark.parametrize("method", METHODS)
def test_what_tom_infers_of_jennifer_and_michael_is_hidden(method):
    nodes, trees, offsets = FIGURE.arrays
    promise = HiddenAssociations(("work", "marital", "salary"), SUPPORT, CONFIDENCE, method == "resistant")
    made = hide(nodes, trees, offsets, promise, method=method)
    assert told(FIGURE, made) == {}
    for rows in FIGURE.read(made):
        assert oracle.associations(rows, FIGURE.trees, SUPPORT, CONFIDENCE) == {}


def test_filling_brings_jennifers_salary_back_unless_that_is_resisted():
    nodes, trees, offsets = FIGURE.arrays
    back = {}
    for method in METHODS:
        promise = HiddenAssociations(("work", "marital", "salary"), SUPPORT, CONFIDENCE, method == "resistant")
        women = FIGURE.read(hide(nodes, trees, offsets, promise, method=method))[0]
        filled = oracle.fill(women, FIGURE.trees)
        back[method] = oracle.associations(filled, FIGURE.trees, SUPPORT, CONFIDENCE, filled=True)
    assert ("value", frozenset(), frozenset({(2, "<=50K")})) in back["greedy"]
    assert back["resistant"] == {}


def test_generalizing_the_left_side_of_a_rule_hides_nothing():
    """Section 5.1 has 1 of 2 here, too: but whoever of the two works in a private firm is divorced."""
    hidden = Groups(FIGURE.trees, ((("Any", "Divorced", "<=50K"), *WOMEN[1:]), MEN))
    _, trees, offsets = hidden.arrays
    found = find_associations(hidden.arrays[0], trees, offsets, 0.2, 0.5)
    rule = [one for one in found if one.group == 0 and one.antecedent == {"0": "Private"} and one.kind == "rule"]
    assert ({"1": "Divorced"}, 1.0) in [(one.consequent, one.confidence) for one in rule]


def test_generalizing_one_of_two_cells_halves_the_confidence():
    """Section 5.1: with the marital status of one of two rows hidden, 100 % become 50 %."""
    hidden = Groups(FIGURE.trees, ((("Private", "Any", "<=50K"), *WOMEN[1:]), MEN))
    _, trees, offsets = hidden.arrays
    found = find_associations(hidden.arrays[0], trees, offsets, 0.2, 0.5)
    rule = [one for one in found if one.group == 0 and one.antecedent == {"0": "Private", "2": "<=50K"}]
    assert [(one.consequent, one.confidence) for one in rule if one.kind == "rule"] == [({"1": "Divorced"}, 0.5)]
