"""Two releases of the same people: a planted gain, no gain from the same release twice, and nothing that is not so."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.intersection import Searched, attack_second_release, draw_itemsets
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.finding import Finding
from shoal.audit.attack.people import Victims
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.publish.disassociation import disassociate
from shoal.release.disassociated import Disassociated
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications


def both(one: Disassociated, other: Disassociated) -> tuple[Searched, Searched]:
    return Searched.of(Candidates.of(one), other), Searched.of(Candidates.of(other), one)


def known(release: Disassociated, sets: Iterable[str]) -> Victims:
    return Victims((), tuple(tuple(release.words.index(item) for item in items) for items in sets))


def column(finding: Finding, j: int) -> dict[str, object]:
    columns = finding.numbers["candidates"]
    assert isinstance(columns, list)
    return dict(columns[j - 1])


def test_an_item_that_the_first_release_adds_narrows_the_second() -> None:
    # In the first, whoever has t has a. In the second, t is everywhere, and a in a cluster of two.
    first = disassociated([(4, [["a"] * 4], "t"), (4, [["b"] * 4], "")], k=2, m=1)
    second = disassociated([(2, [["a"] * 2], "t"), (6, [["b"] * 6], "t")], k=2, m=1)
    finding = attack_second_release(*both(first, second), known(first, ["t", "b"]), 1)
    assert column(finding, 1) == {
        "known_items": 1,
        "sets": 2,
        "below_k_in_the_first_alone": 0,
        "below_k_with_both": 0,
        "fewer_with_both_than_alone": 1,
        "sets_that_gained_items": 1,
        "smallest_with_both": 2,
        "quarter_with_both": 2,
        "median_with_both": 4,
        "three_quarters_with_both": 4,
        "median_clusters_in_the_first": 1,
        "median_clusters_in_the_second": 2,
    }
    assert not finding.breaks_promise
    assert "The promise does not cover a second release" in finding.sentence


def test_fewer_than_k_with_both_is_told() -> None:
    first = disassociated([(3, [["a"] * 3], "t"), (3, [["b"] * 3], "")], k=3, m=1)
    second = disassociated([(3, [["bt", "bt", "bt"]], ""), (3, [["at", "a", "a"]], "")], k=3, m=1)
    finding = attack_second_release(*both(first, second), known(first, ["t"]), 1)
    # t belongs to somebody with a, and the second release has one such person.
    assert (
        "1 of 1 sets of up to 1 known items that had k = 3 candidates in the first release have fewer"
        in finding.sentence
    )
    assert "the smallest number of candidates left is 1." in finding.sentence
    assert str(finding.residual).startswith("100.0 % of the sets of up to 1 known items have fewer than k = 3")


def test_the_way_back_and_items_that_one_of_them_does_not_name() -> None:
    first = disassociated([(2, [["a"] * 2], "t"), (6, [["b"] * 6], "t")], k=2, m=1)
    second = disassociated([(4, [["a"] * 4], "t"), (4, [["z"] * 4], "y")], k=2, m=1)
    finding = attack_second_release(*both(first, second), known(first, ["t", "b"]), 1)
    # From the second: t goes with a. b is not named there, so that the second says nothing about it.
    assert column(finding, 1)["sets_that_gained_items"] == 1
    assert column(finding, 1)["smallest_with_both"] == 2
    assert column(finding, 1)["three_quarters_with_both"] == 6


def test_the_other_release_may_have_fewer_by_itself() -> None:
    first = disassociated([(6, [["b"] * 6], "")], k=2, m=1)
    second = disassociated([(4, [["b"] * 4], ""), (2, [["c"] * 2], "")], k=2, m=1)
    finding = attack_second_release(*both(first, second), known(first, ["b"]), 1)
    assert column(finding, 1)["sets_that_gained_items"] == 0
    assert column(finding, 1)["smallest_with_both"] == 4


@given(publications())
def test_the_same_release_twice_adds_nothing_below_what_it_shows_anyway(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    one, other = both(release, release)
    sets = known(release, sorted({"".join(sorted(row))[:2] for row in published.records}))
    candidates = Candidates.of(release)
    for items in sets.known:
        leaves = one.leaves(sorted(items))
        assert leaves
        added = one.certain(leaves)
        # Whoever has the items has the added ones: the count is the same with them, as far as it is exact.
        if all(len(node) == 3 for node in published.nodes):
            assert candidates.at_least(sorted({*items, *added})) == candidates.at_least(sorted(items))
    assert column(attack_second_release(one, other, sets, 1), 1)["below_k_with_both"] == 0


@given(st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1, max_size=4), min_size=8, max_size=24))
def test_what_is_added_is_true_of_the_person(rows: list[frozenset[str]]) -> None:
    data = Transactions.from_records(rows)
    try:
        releases = disassociate(data, 2, 2, max_cluster_size=4), disassociate(data, 3, 1, refine_rounds=0)
    except Infeasible:
        return
    for searched, release in zip(both(*releases), releases, strict=True):
        for row in rows:
            codes = sorted(release.words.index(item) for item in row)
            for items in [*combinations(codes, 1), *combinations(codes, 2)]:
                assert searched.certain(searched.leaves(items)) <= set(codes)


def test_itemsets_are_drawn_from_subrecords() -> None:
    release = disassociated([(3, [["abc", "ab", "ab"], ["d", "d"]], "x")])
    drawn = draw_itemsets(release, 100, 2, np.random.default_rng(1))
    assert len(drawn.known) == release.n_subrecords
    named = {frozenset(release.words[code] for code in items) for items in drawn.known}
    assert all(len(items) <= 2 and (items <= set("abc") or items == {"d"}) for items in named)
    assert len(draw_itemsets(release, 2, 2, np.random.default_rng(1)).known) == 2
