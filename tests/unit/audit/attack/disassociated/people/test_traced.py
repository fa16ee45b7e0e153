"""Attacks with a trace: the cluster of each person is the true one, and need not be searched for."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audit.attack.adversary import Adversary
from shoal.audit.attack.disassociated.algorithm.order import attack_order
from shoal.audit.attack.disassociated.people.known_items import people_in
from shoal.audit.attack.disassociated.people.own_cluster import OwnCluster
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.fitting import Fitting
from shoal.audit.attack.finding import Finding
from shoal.data.clusters import Clusters
from shoal.data.transactions import Transactions
from shoal.publish.disassociation import publish_and_trace
from shoal.release.disassociated import Disassociated
from shoal.release.evidence import Evidence
from shoal.release.trace import Trace
from shoal.run import Run
from tests.making.disassociated_releases import nodes_of
from tests.making.transaction_strategies import records
from tests.oracles import adversaries

BASKETS = shoal.quest(300, n_items=25, seed=3)


def cluster_of(clusters: Clusters, count: int) -> Any:
    """The cluster of each record, or -1."""
    found = [-1] * count
    for number in range(len(clusters)):
        for row in clusters.rows[clusters.bounds[number] : clusters.bounds[number + 1]].tolist():
            found[row] = number
    return np.array(found, np.int64)


def with_trace(data: Transactions, release: Disassociated, clusters: Clusters, **chosen: Any) -> dict[str, Finding]:
    evidence = Evidence(data, trace=Trace.of(data, release, clusters))
    found = shoal.attack(release, evidence, Adversary(**{"struck": 0.0, **chosen}), run=Run(chance=1))
    return {finding.name: finding for finding in found.findings}


def counts_of(own: OwnCluster, data: Transactions, release: Disassociated) -> dict[tuple[int, frozenset[str]], int]:
    """The count for each set of up to two items of each record."""
    people, rows = people_in(release, data), list(data)
    leaves = own.leaves_of(people, np.arange(len(people)))
    return {
        (record, frozenset(known)): own.count(tuple(release.words.index(item) for item in known), leaves[record])
        for record, row in enumerate(rows)
        for size in (1, 2)
        for known in combinations(sorted(row & set(release.words)), size)
    }


@settings(max_examples=40)
@given(records(4, 20), st.integers(2, 3), st.integers(1, 3))
def test_in_simple_clusters_the_count_is_that_of_the_records_of_the_cluster(rows: list[Any], k: int, m: int) -> None:
    data = Transactions.from_records(rows)
    release, clusters = publish_and_trace(data, k, m, max_cluster_size=2 * k, refine_rounds=0)
    traced, nodes = cluster_of(clusters, len(data)), nodes_of(release)
    for (record, known), count in counts_of(OwnCluster(Candidates.of(release), None, traced), data, release).items():
        _, chunks, _ = nodes[traced[record]]
        people = [row for row, number in zip(data, traced, strict=True) if number == traced[record]]
        pieces = [known & frozenset().union(*chunk) for chunk in chunks]
        assert count == min([len(people), *(sum(piece <= row for row in people) for piece in pieces if piece)])


@settings(max_examples=40)
@given(
    records(5, 16),
    st.integers(2, 3),
    st.integers(0, 3),
    st.sampled_from([{}, {"vertical": "dls"}, {"cover_safe": True}]),
)
def test_the_count_is_that_of_the_definition_in_the_true_cluster(
    rows: list[Any], k: int, rounds: int, options: dict[str, Any]
) -> None:
    data = Transactions.from_records(rows)
    release, clusters = publish_and_trace(data, k, 2, max_cluster_size=2 * k + 1, refine_rounds=rounds, **options)
    traced, nodes = cluster_of(clusters, len(data)), nodes_of(release)
    candidates = Candidates.of(release)
    exact = counts_of(OwnCluster(candidates, None, traced), data, release)
    for (record, known), count in exact.items():
        expected = [count for node in nodes for count in adversaries.own_cluster_counts(node, known)]
        assert count == (expected[traced[record]] if traced[record] >= 0 else 0)
    if not release.dropped.plain_instances:
        searched = counts_of(OwnCluster(candidates, Fitting(release)), data, release)
        assert all(count <= exact[one] for one, count in searched.items())  # of the clusters that fit, the smallest


def test_a_record_that_fits_two_clusters_is_counted_in_its_own() -> None:
    data = Transactions.from_records([{"a", "b"}] * 4 + [{"a"}] * 8)
    release, clusters = publish_and_trace(data, 2, 1, max_cluster_size=8)
    exact, searched = (
        with_trace(data, release, clusters)["known items"],
        shoal.attack(release, Evidence(original=data), Adversary(struck=0.0), run=Run(chance=1))["known items"],
    )
    assert exact.numbers["sets_not_in_the_own_cluster"] == 0
    assert "sets_not_in_the_own_cluster" not in searched.numbers
    assert exact.numbers["people_drawn"] == searched.numbers["people_drawn"] == 12


def test_sets_that_were_struck_out_of_the_own_cluster_are_counted_apart() -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2, vertical="dls", max_cluster_size=12)
    assert release.dropped.suppressed_instances
    found = with_trace(BASKETS, release, clusters)["known items"]
    absent = found.numbers["sets_not_in_the_own_cluster"]
    assert isinstance(absent, int)
    traced = cluster_of(clusters, len(BASKETS))
    counts = counts_of(OwnCluster(Candidates.of(release), None, traced), BASKETS, release)
    assert any(count == 0 for count in counts.values())
    assert absent > 0
    assert f"except for {absent:,} sets that are not in the person's own cluster, because items" in found.sentence


@pytest.mark.parametrize("options", [{}, {"vertical": "dls"}, {"cover_safe": True}], ids=str)
def test_the_order_is_measured_with_all_records(options: dict[str, Any]) -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2, max_cluster_size=12, **options)
    found = with_trace(BASKETS, release, clusters)["order"].numbers
    means = [
        float(np.mean(clusters.rows[start:end]))
        for start, end in zip(clusters.bounds[:-1].tolist(), clusters.bounds[1:].tolist(), strict=True)
    ]
    ranks = np.argsort(np.argsort(means))
    assert len(set(means)) == len(means)
    assert found["records_placed_by_the_trace"] == release.n_records
    assert found["clusters_compared"] == len(means)
    assert found["rank_correlation_of_clusters_with_the_original"] == pytest.approx(
        float(np.corrcoef(np.arange(len(means)), ranks)[0, 1])
    )


def test_clusters_in_the_order_of_the_records_are_noticed() -> None:
    data = Transactions.from_records([{f"{number:02d}", "x"} for number in range(30) for _ in range(4)])
    release, clusters = publish_and_trace(data, 2, 2, max_cluster_size=4)
    people = people_in(release, data)
    finding = attack_order(release, people, np.random.default_rng(1), traced=cluster_of(clusters, len(data)))
    assert "is correlated with the positions of its people in the original" in finding.sentence


def test_the_trace_of_another_release_or_original_is_refused() -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2)
    other, others = publish_and_trace(BASKETS, 4, 2, max_cluster_size=12)
    with pytest.raises(shoal.errors.InputError, match="the trace is of another release"):
        shoal.attack(release, Evidence(BASKETS, trace=Trace.of(BASKETS, other, others)), Adversary())
    trace = Trace.of(BASKETS, release, clusters)
    turned = Transactions.from_records(list(BASKETS)[::-1])
    with pytest.raises(shoal.errors.InputError, match="of this release, but of another original"):
        shoal.attack(release, Evidence(turned, trace=trace), Adversary())
    with pytest.raises(
        shoal.errors.InputError, match="a trace is about the records of the original: give the original, too"
    ):
        shoal.attack(release, Evidence(trace=trace), Adversary())


def test_a_trace_says_nothing_about_other_shapes() -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2)
    trace = Trace.of(BASKETS, release, clusters)
    with pytest.raises(shoal.errors.InputError, match="this is a randomized release: remove a trace"):
        shoal.attack(shoal.mask(BASKETS, 0.9, run=Run(chance=1)), Evidence(BASKETS, trace=trace), Adversary())
