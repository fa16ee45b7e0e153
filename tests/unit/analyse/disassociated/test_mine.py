"""Frequent itemsets of a release by their expected supports, against all sets one by one and all reconstructions."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.disassociated.mine import expected_itemsets
from shoal.analyse.disassociated.supports import supports
from shoal.engine.threads import Threads
from shoal.errors import Infeasible, InputError
from shoal.mining.rules import association_rules
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import records
from tests.oracles.reconstruction import distribution


def all_sets(release, term_items="once"):
    """Every set of items of the release, with its support."""
    words = release.words
    sets = [frozenset(chosen) for n in range(1, len(words) + 1) for chosen in combinations(words, n)]
    return dict(zip(sets, supports(release, sets, term_items=term_items), strict=True))


def check(release, least, term_items="once", max_length=None):
    mined = expected_itemsets(release, least, term_items=term_items, max_length=max_length)
    expected = {
        items: found.expected
        for items, found in all_sets(release, term_items).items()
        if found.expected >= least - 1e-9 and len(items) <= (max_length or len(items))
    }
    assert dict(mined) == pytest.approx(expected)
    assert len(mined) == len(expected)
    return mined


@settings(max_examples=60)
@given(
    st.lists(records(3, 8, "abcde"), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(1, 6),
    st.sampled_from(["once", "uniform"]),
    st.sampled_from([None, 1, 2, 3]),
)
def test_the_sets_are_all_those_whose_mean_is_great_enough(parts, m, least, term_items, max_length):
    check(publish_given(parts, 2, m), least, term_items, max_length)


def test_so_it_is_where_subrecords_of_a_chunk_can_go_to_different_clusters():
    release = disassociated([([(2, [["a", "a"]], ""), (2, [["b", "b"]], ""), (2, [], "z")], [["a", "b", "c"]])], k=2)
    assert len(check(release, 1)) > 3


def test_the_mean_is_that_over_all_reconstructions_and_certain_is_certain():
    node = ([(3, [["ab", "ab", "b"]], "x"), (2, [["b", "b"]], "y")], [["c", "cd"]])
    sets = (
        [
            (size, [[frozenset(row) for row in chunk] for chunk in chunks], frozenset(terms))
            for size, chunks, terms in node[0]
        ],
        [[frozenset(row) for row in chunk] for chunk in node[1]],
    )
    worlds = distribution(sets, may_be_empty=True)
    mined = expected_itemsets(disassociated([sets], k=2), 1)
    assert len(mined) > 5
    for (items, expected), certain in zip(mined, mined.certain.tolist(), strict=True):
        counts = [sum(items <= row for row in world) for world in worlds]
        assert expected == pytest.approx(float(sum(n * p for n, p in zip(counts, worlds.values(), strict=True))))
        assert certain <= (min(counts) >= 1)
    assert mined.certain.any()


def test_they_come_in_order_and_the_best_are_the_first():
    release = shoal.disassociate(shoal.quest(400, mean_length=6, n_items=40, n_patterns=10, seed=2), 3, 2)
    every = expected_itemsets(release, 2)
    ranks = [(-round(expected, 6), len(items)) for items, expected in every]
    assert ranks == sorted(ranks)
    for top in (1, 10, 60, 300):
        assert list(expected_itemsets(release, 1, top=top)) == list(every)[:top]
    table = every.to_arrow()
    assert table.num_rows == len(every)
    assert table["certain"].to_pylist() == (every.supports.least >= 2).tolist()
    assert list(expected_itemsets(release, 2, run=Run(engine=Threads(1)))) == list(every)


@pytest.mark.parametrize("confidence", [0.3, 0.7, 1.0])
def test_rules_take_the_means_for_counts(confidence):
    release = shoal.disassociate(shoal.quest(300, mean_length=5, n_items=15, n_patterns=5, seed=4), 3, 2)
    mined = expected_itemsets(release, 12)
    means = dict(mined)
    wanted = {
        (left, both - left): means[both]
        for both in means
        for n in range(1, len(both))
        for left in map(frozenset, combinations(both, n))
        if means[both] >= confidence * means[left] * (1 - 1e-12)
    }
    rules = association_rules(mined, confidence).to_arrow().to_pylist()
    found = {(frozenset(rule["antecedent"]), frozenset(rule["consequent"])): rule["expected"] for rule in rules}
    assert len(found) == len(rules)
    assert found == pytest.approx(wanted)
    assert wanted or confidence == 1


def test_what_cannot_be_mined_is_refused():
    release = shoal.disassociate(shoal.quest(200, mean_length=6, n_items=30, seed=2), 3, 2)
    with pytest.raises(Infeasible, match="sets of 2 items would have to be looked at, more than 50"):
        expected_itemsets(release, 1, max_itemsets=50)
    with pytest.raises(Infeasible, match="pairs of 30 frequent items would have to be looked at"):
        expected_itemsets(release, 1, max_itemsets=30, top=1000)
    with pytest.raises(InputError, match="max_length is 0"):
        expected_itemsets(release, 1, max_length=0)
    with pytest.raises(InputError):
        expected_itemsets(release, 0)
