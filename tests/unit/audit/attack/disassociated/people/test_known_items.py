"""Looking for people by a few of their items: counts against brute force, and a release with too few candidates."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.people.known_items import (
    Counts,
    Found,
    attack_victims,
    count_after,
    count_own,
    people_in,
)
from shoal.audit.attack.disassociated.people.own_cluster import OwnCluster
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.fitting import Fitting
from shoal.audit.attack.finding import Finding
from shoal.audit.attack.people import Asked, Victims, count_before, draw_victims
from shoal.audit.attack.worst_items import worst_items
from shoal.data.transactions import Transactions
from shoal.publish.disassociation import disassociate
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications, records
from tests.oracles import disassociation as oracle


def looked_for(
    release: Disassociated, original: list[Any], number: int = 1000, most: int = 4, seed: int = 1
) -> tuple[Finding, Victims, Counts]:
    people = people_in(release, Transactions.from_records(original))
    victims = draw_victims(people, number, most, np.random.default_rng(seed))
    candidates = Candidates.of(release)
    own = OwnCluster(candidates, None if release.dropped.plain_instances else Fitting(release))
    leaves = own.leaves_of(people, np.array(victims.records, np.int64))

    def counted(asked: Asked) -> Counts:
        before, after = count_before(people, asked), count_after(candidates, asked)
        return Counts(asked, before, after, count_own(own, asked, leaves))

    random, worst = counted(victims.asked(most)), counted(worst_items(people, victims, most))
    return attack_victims(candidates, Found(victims, random, worst)), victims, random


@given(records(), st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=4))
def test_records_with_a_set_are_those_that_contain_it(rows: list[frozenset[str]], known: frozenset[str]) -> None:
    data = Transactions.from_records(rows)
    people = people_in(disassociated([(len(rows), [], sorted(frozenset().union(*rows)))]), data)
    if known <= set(data.words):
        expected = [number for number, row in enumerate(rows) if known <= row]
        assert people.records_with(data.codes_of(known).tolist()).tolist() == expected


def test_victims_are_different_people_with_random_items_of_their_own() -> None:
    rows = [set("abcd"), set("abc"), set("ab"), set("a"), set("efgh"), set("efg")]
    release = disassociated([(6, [], "abcdefgh")])
    data = Transactions.from_records(rows)
    people = people_in(release, data)
    firsts = set()
    for seed in range(30):
        victims = draw_victims(people, 4, 3, np.random.default_rng(seed), spared=np.array([4]))
        assert len(victims.records) == len(set(victims.records)) == 4
        assert 4 not in victims.records
        for record, known in zip(victims.records, victims.known, strict=True):
            assert len(known) == len(set(known)) == min(3, len(rows[record]))
            assert {release.words[code] for code in known} <= rows[record]
            firsts.add((record, known[0]))
        assert [len(items) for items in victims.sets(3)] == [3] * sum(len(rows[r]) > 2 for r in victims.records)
    assert {code for record, code in firsts if record == 0} == {0, 1, 2, 3}
    assert draw_victims(people, 4, 3, np.random.default_rng(5)) == draw_victims(people, 4, 3, np.random.default_rng(5))
    assert len(draw_victims(people, 100, 3, np.random.default_rng(5)).records) == 6


@given(publications())
def test_counts_are_right_and_a_release_that_keeps_its_promise_is_not_accused(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    finding, victims, counts = looked_for(release, published.records)
    assert not finding.breaks_promise
    supports = oracle.itemset_supports(published.records, 4)
    words = release.words
    for j in range(1, 5):
        named = [frozenset(words[code] for code in items) for items in victims.sets(j)]
        assert counts.before[j - 1] == [supports[items] for items in named]
    assert all(count >= published.k for own in counts.own[: published.m] for count in own)
    within = {
        (frozenset(items), count)
        for j in range(published.m)
        for items, count in zip(counts.asked.sets[j], counts.after[j], strict=True)
    }
    assert finding.numbers["sets_below_k_within_the_promise"] >= sum(count < published.k for _, count in within)


@given(publications(joints=False))
def test_in_simple_clusters_what_remains_is_the_most_in_any_possible_original(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    assume(all(sum(1 for _ in islice(oracle.worlds(node), 1000)) < 1000 for node in published.nodes))
    _, victims, counts = looked_for(release, published.records, most=3)
    best = [oracle.largest_supports(node, 3) for node in published.nodes]
    for j in range(1, 4):
        for items, count in zip(victims.sets(j), counts.after[j - 1], strict=True):
            named = frozenset(release.words[code] for code in items)
            assert count == sum(supports[named] for supports in best)


def test_a_planted_pair_that_too_few_may_hold_breaks_the_promise() -> None:
    rows = [set("ab"), set("a"), set("a"), set("b"), set("b")]
    fine = disassociated([(5, [["a", "a", "a"]], "b")], k=2, m=2)
    planted = disassociated([(5, [["ab", "a", "a", "b", "b"]], "")], k=2, m=2)
    assert not looked_for(fine, rows)[0].breaks_promise
    finding = looked_for(planted, rows)[0]
    assert finding.breaks_promise
    assert "no possible original has more than 1 record with {a, b}" in finding.sentence
    assert "or was not made from this original" in finding.sentence
    columns = finding.numbers["random_items"]
    assert isinstance(columns, list)
    assert [column["below_k_in_most_favourable_original"] for column in columns] == [0, 1, 0, 0]
    assert [column["covered_by_the_promise"] for column in columns] == [True, True, False, False]


def test_too_few_beyond_m_are_told_and_do_not_break_the_promise() -> None:
    rows = [set("ab"), set("a"), set("a"), set("b"), set("b")]
    release = disassociated([(5, [["ab", "a", "a", "b", "b"]], "")], k=2, m=1)
    finding = looked_for(release, rows, most=3)[0]
    assert not finding.breaks_promise
    assert "The promise does not cover more than m = 1: " in finding.sentence
    assert "fewer than k remain for 1 (in their own cluster 1) of 1 with 2 random" in finding.sentence


def test_what_remains_beyond_m_is_counted_in_the_own_cluster() -> None:
    nodes = [(5, [["ab", "a", "a", "b", "b"]], ""), (6, [["ab"] * 6], "")]
    rows = [set("ab"), set("a"), set("a"), set("b"), set("b"), *[set("ab")] * 6]
    finding = looked_for(disassociated(nodes, k=2, m=1), rows, most=2)[0]
    worst: Any = finding.numbers["worst_items"]
    assert worst[1]["below_k_in_most_favourable_original"] == 0
    assert worst[1]["below_k_in_own_cluster"] == 7, "whoever has both fits the first cluster, too"
    assert finding.residual is not None
    assert finding.residual.share == 7 / 11
    assert "fewer than 2 candidates in their own cluster once their worst 2 items are known" in str(finding.residual)


def test_what_was_dropped_is_not_asked_for() -> None:
    rows = [{"tea", "milk"}] * 3 + [{"tea", "caviar"}] + [{"gold"}]
    data = Transactions.from_records(rows)
    finding, victims, _ = looked_for(disassociate(data, 2, 2, drop_rare=True), rows)
    assert not finding.breaks_promise
    assert len(victims.records) == 4
    assert max(map(len, victims.known)) == 2


@pytest.mark.parametrize(("struck_out", "asked"), [(0, True), (1, False)])
def test_sensitive_items_are_not_asked_for_once_some_were_struck_out(struck_out: int, asked: bool) -> None:
    release = disassociated([(4, [["a"] * 4], "h")], sensitive=["h"], dropped=Dropped(sensitive_instances=struck_out))
    people = people_in(release, Transactions.from_records([set("ah"), set("ah"), set("a"), set("a")]))
    assert (release.words.index("h") in people.items.tolist()) is asked


def test_an_original_without_published_items_has_no_victims() -> None:
    people = people_in(disassociated([(2, [["a", "a"]], "")]), Transactions.from_records([{"x"}, {"y"}]))
    assert draw_victims(people, 10, 2, np.random.default_rng(1)).records == ()


def test_a_set_that_was_struck_out_is_no_broken_promise() -> None:
    rows = [set("ab"), set("a"), set("a"), set("b"), set("b")]
    struck = Dropped(linking_instances=1)
    release = disassociated([(5, [["a", "a", "a", "b", "b"]], "")], k=2, m=2, dropped=struck)
    finding, _, _ = looked_for(release, rows)
    assert finding.numbers["sets_in_no_possible_original"] == 1  # {a, b}
    assert finding.numbers["sets_below_k_within_the_promise"] == 0
    assert not finding.breaks_promise
    planted = disassociated([(5, [["ab", "a", "a", "b", "b"]], "")], k=2, m=2, dropped=struck)
    assert looked_for(planted, rows)[0].breaks_promise
    assert looked_for(replace(release, dropped=Dropped()), rows)[0].breaks_promise
