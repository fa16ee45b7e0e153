"""How many records hold given items, from rows of nodes: against all possible originals, and by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.analyse.node_rows.supports import node_supports, noisy_counts
from tests.making.generalized_baskets import (
    Recoded,
    generalized_baskets,
    hierarchy_of,
    items_below,
    noisy_baskets,
    recoded,
)
from tests.making.generalized_baskets import noisy_counts as counts_of_baskets
from tests.oracles import basket_utility as oracle

PATHS = {
    "beer": ("beer", "alcohol", "drinks", "*"),
    "wine": ("wine", "alcohol", "drinks", "*"),
    "milk": ("milk", "soft", "drinks", "*"),
    "tea": ("tea", "soft", "drinks", "*"),
    "bread": ("bread", "food", "food", "*"),
    "jam": ("jam", "food", "food", "*"),
}
ALCOHOL, DRINKS = frozenset({"beer", "wine"}), frozenset({"beer", "wine", "milk", "tea"})
RECORDS = [*([frozenset({"beer", "bread"})] * 3), frozenset({"wine", "beer"}), *([frozenset({"milk", "bread"})] * 2)]


@given(recoded(most_records=5), st.data())
def test_bounds_are_those_of_all_possible_originals_and_means_those_of_even_division(
    case: Recoded, data: st.DataObject
) -> None:
    release = case.release(whole=True)
    below = dict(zip(release.tree.labels, items_below(release.tree), strict=True))
    asked = data.draw(st.frozensets(st.sampled_from(release.tree.labels), min_size=1, max_size=3))
    found = release.support(asked)
    nodes = [below[name] for name in asked]
    mean, variance = oracle.mean_and_variance(case.rows, nodes)
    assert (found.least, found.most) == oracle.bounds(case.rows, nodes)
    assert found.expected == pytest.approx(float(mean))
    assert found.deviation == pytest.approx(math.sqrt(variance))


def test_a_cut_tree_answers_for_what_it_names_as_the_whole_one_does() -> None:
    tree = hierarchy_of(PATHS)
    whole, cut = (generalized_baskets(RECORDS, tree, [ALCOHOL], whole=answer) for answer in (True, False))
    assert "beer" not in cut.tree.labels
    asked = [{"alcohol"}, {"drinks"}, {"food"}, {"alcohol", "bread"}, {"*"}, {"drinks", "milk"}]
    assert node_supports(cut, asked).to_arrow() == node_supports(whole, asked).to_arrow()
    assert node_supports(cut, asked).expected.tolist() == [4, 6, 5, 3, 6, 2]
    beer = whole.support(["beer", "bread"])
    assert (beer.least, beer.expected, beer.most) == (0, 1.5, 3)
    assert whole.support(["beer", "wine"]).expected == 0  # rows merge what is below a node
    assert (whole.support(["jam"]).most, whole.support(["beer", "wine"]).most) == (0, 4)


def test_a_name_that_is_not_there_may_be_hidden_in_a_group() -> None:
    cut = generalized_baskets(RECORDS, hierarchy_of(PATHS), [ALCOHOL], whole=False)
    with pytest.raises(
        shoal.errors.InputError, match=r"not in the release: 'beer' .* hidden in one of 1 published groups"
    ):
        cut.support(["beer"])
    whole = generalized_baskets(RECORDS, hierarchy_of(PATHS), [ALCOHOL], whole=True)
    with pytest.raises(shoal.errors.InputError, match=r"'ber' \(did you mean 'beer'\?\) \(of 11 items\)$"):
        whole.support(["ber"])
    with pytest.raises(shoal.errors.InputError, match="must name 1 item or more"):
        whole.support([])


@given(counts_of_baskets(), st.frozensets(st.sampled_from(["a", "b", "c", "gx", "*"]), min_size=1, max_size=3))
def test_noisy_counts_are_added_up(counts: dict[frozenset[str], int], asked: frozenset[str]) -> None:
    paths = {item: (item, "gx" if item in "ab" else "gy", "*") for item in "abcdef"}
    below = {"gx": frozenset("ab"), "*": frozenset("abcdef")}
    found = noisy_baskets(counts, hierarchy_of(paths)).support(asked)
    nodes = [below.get(name, frozenset([name])) for name in asked]
    held = {basket: count for basket, count in counts.items() if oracle.holds(basket, nodes)}
    assert (found.count, found.baskets) == (sum(held.values()), len(held))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_error_of_noise_is_that_of_what_baskets_had_left(epsilon: float) -> None:
    """Below the root stand c and the group of a and b: {c} is made by the first split of two, {a} by the second."""
    paths = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}
    counts = {frozenset("a"): 9, frozenset("ab"): 8, frozenset("c"): 7}
    release = noisy_baskets(counts, hierarchy_of(paths), epsilon=epsilon)
    one, two, none = noisy_counts(release, [["c"], ["a"], ["b", "c"]])
    assert one.error == pytest.approx(math.sqrt(variance_of_noise(epsilon)))
    assert two.error == pytest.approx(math.sqrt(2 * variance_of_noise(epsilon * 3 / 4)))
    assert (none.count, none.baskets, none.error) == (0, 0, 0)
    assert str(one).startswith("7 in 1 published basket (noise: standard error ")


def variance_of_noise(epsilon: float) -> float:
    """By its definition: whole numbers with chances proportional to exp(-epsilon |x|)."""
    numbers = range(-2000, 2001)
    weights = [math.exp(-epsilon * abs(number)) for number in numbers]
    return sum(number**2 * weight for number, weight in zip(numbers, weights, strict=True)) / sum(weights)


def test_without_a_budget_there_is_no_telling() -> None:
    release = noisy_baskets({frozenset("a"): 9}, hierarchy_of({item: (item, "*") for item in "ab"}), epsilon=0)
    assert release.support(["a"]).error == math.inf
