"""The sober count: in the own cluster alone, against enumeration; and a release that looks safer than it is."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.every_attack import attack
from shoal.audit.attack.disassociated.people.known_items import people_in
from shoal.audit.attack.disassociated.people.own_cluster import OwnCluster
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.fitting import Fitting
from shoal.audit.disassociated import audit
from shoal.data.transactions import Transactions
from shoal.release.manifest import Dropped
from tests.making.cluster_trees import joint_trees, simple_trees, trees
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications
from tests.oracles import adversaries
from tests.oracles import disassociation as oracle


def known_sets(words: list[str]) -> list[frozenset[str]]:
    return [frozenset(chosen) for size in (1, 2, 3) for chosen in combinations(sorted(words), size)]


def counts(nodes: list[Any], known: frozenset[str]) -> list[int]:
    """What the attack counts in each cluster, in the order of the oracle."""
    release = disassociated(nodes)
    own = OwnCluster(Candidates.of(release), None)
    codes = tuple(sorted(release.words.index(name) for name in known))
    leaves = own.candidates.trees.leaves
    in_order = [int(own.candidates.trees.first_leaf[leaf]) for leaf in sorted(leaves.tolist())]
    return [own.count(codes, np.array([leaf])) for leaf in in_order]


@given(st.lists(trees(), min_size=1, max_size=2))
def test_the_count_is_that_of_the_definition_in_every_cluster(nodes: list[Any]) -> None:
    for known in known_sets(disassociated(nodes).words):
        expected = [count for node in nodes for count in adversaries.own_cluster_counts(node, known)]
        assert counts(nodes, known) == expected


@given(simple_trees())
def test_in_simple_clusters_enumerating_possible_originals_gives_the_same(node: Any) -> None:
    assume(next(oracle.worlds(node), None) is not None)
    for known in known_sets(disassociated([node]).words):
        assert counts([node], known) == adversaries.own_cluster_by_worlds(node, known)


@given(joint_trees())
def test_in_joints_it_is_never_less_than_what_a_possible_original_has(node: Any) -> None:
    assume(next(oracle.worlds(node), None) is not None)
    for known in known_sets(disassociated([node]).words):
        possible = adversaries.own_cluster_by_worlds(node, known)
        assert all(count >= fits for count, fits in zip(counts([node], known), possible, strict=True))


@given(publications())
def test_while_the_promise_is_kept_k_records_of_the_own_cluster_fit_up_to_m_items(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    assume(audit(release).holds)
    people = people_in(release, Transactions.from_records(published.records))
    own = OwnCluster(Candidates.of(release), Fitting(release))
    leaves = own.leaves_of(people, np.arange(len(people)))
    assert all(places is not None for places in leaves)
    for record, places in enumerate(leaves):
        items = people.items[people.offsets[record] : people.offsets[record + 1]].tolist()
        for size in range(1, min(published.m, len(items)) + 1):
            for known in combinations(items, size):
                assert own.count(known, places) >= published.k


def _one_huge_cluster() -> tuple[list[Any], list[set[str]]]:
    """One cluster of 100 records with a and b apart, and four of 5 in which one in a hundred people is."""
    huge = (100, [["a"] * 60 + ["x"] * 40, ["b"] * 60], "y")
    small = [(5, [[f"s{n}"] * 5], "ab") for n in range(4)]
    rows = [{"a", "b"}] * 20 + [{"a"}] * 40 + [{"b", "x"}] * 40
    rows[0] = {"a", "b", "y"}
    for n in range(4):
        rows += [{f"s{n}", "a", "b"}] + [{f"s{n}"}] * 4
    return [(huge[0], [[{name} for name in chunk] for chunk in huge[1]], set(huge[2]))] + [
        (size, [[{name} for name in chunk] for chunk in chunks], set(terms)) for size, chunks, terms in small
    ], rows


def test_one_huge_cluster_makes_people_of_small_ones_look_ten_times_safer() -> None:
    nodes, rows = _one_huge_cluster()
    release = disassociated(nodes, k=5, m=2)
    original = Transactions.from_records(rows)
    assert audit(release, original=original).holds
    found = attack(release, generator=np.random.default_rng(1), original=original, struck=0.0)["known items"]
    candidates = Candidates.of(release)
    pair = tuple(release.words.index(name) for name in "ab")
    assert candidates.at_least(pair) == 60 + 4 * 5
    people = people_in(release, original)
    own = OwnCluster(candidates, Fitting(release))
    in_small = own.leaves_of(people, np.array([100]))  # s0, a, b
    assert own.count(pair, in_small[0]) == 5
    column = found.numbers["worst_items"][1]
    assert column["smallest_in_own_cluster"] == 5
    assert column["median_in_most_favourable_original"] >= 10 * column["smallest_in_own_cluster"]
    assert "and at least 5 in their own cluster" in found.sentence
    assert found.as_dict()["numbers"]["random_items"][1]["smallest_in_own_cluster"] == 5


def test_of_several_clusters_that_a_record_fits_the_one_with_the_fewest_counts() -> None:
    nodes = [(9, [[{"a"}] * 9], {"b"}), (5, [[{"a"}] * 5], {"b"})]
    release = disassociated(nodes, k=5, m=2)
    original = Transactions.from_records([{"a", "b"}] * 2 + [{"a"}] * 12)
    own = OwnCluster(Candidates.of(release), Fitting(release))
    (leaves,) = own.leaves_of(people_in(release, original), np.array([0]))
    assert leaves is not None
    assert len(leaves) == 2
    assert own.count((release.words.index("a"),), leaves) == 5


def test_where_records_need_not_fit_every_cluster_that_could_hold_the_items_counts() -> None:
    nodes, rows = _one_huge_cluster()
    release = disassociated(nodes, k=5, m=2, dropped=Dropped(linking_instances=1))
    found = attack(release, generator=np.random.default_rng(1), original=Transactions.from_records(rows), struck=0.0)
    column = found["known items"].numbers["random_items"][0]
    assert column["smallest_in_own_cluster"] == 5
