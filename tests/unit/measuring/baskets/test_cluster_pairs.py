"""ANR and ARE against equations 2 and 3, and by hand where the equations leave something open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import shoal
from shoal.data.clusters import Clusters
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.cluster_pairs import NOT_TRACED
from shoal.measuring.metrics import Metrics
from shoal.release.trace import Trace
from tests.making.disassociated_releases import disassociated, offsets
from tests.making.transaction_strategies import Published, publications
from tests.oracles import cluster_pairs as oracle


def measured(parts: Sequence[Sequence[Iterable[Any]]], nodes: Sequence[Any], k: int, m: int = 2) -> Metrics:
    """The metrics of a release whose leaves, in order, were made of these records."""
    original = Transactions.from_records([set(record) for part in parts for record in part])
    clusters = Clusters(np.arange(len(original)), offsets(map(len, parts)))
    release = disassociated(nodes, k, m)
    trace = Trace.of(original, release, clusters)
    return shoal.measure(original, release, top=1, ranges=[], reconstructions=1, trace=trace)


def leaves(node: Any) -> list[Any]:
    return [node] if len(node) == 3 else [leaf for child in node[0] for leaf in leaves(child)]


@given(publications())
def test_they_are_equations_2_and_3(published: Published) -> None:
    chunks = [leaf[1] for node in published.nodes for leaf in leaves(node)]
    sizes = [leaf[0] for node in published.nodes for leaf in leaves(node)]
    ends = len(published.records) - offsets(sizes)  # the strategy takes clusters from the end
    parts = [published.records[end - size : end] for end, size in zip(ends.tolist(), sizes, strict=False)]
    clusters, k = list(zip(parts, chunks, strict=True)), published.k
    found = measured(parts, published.nodes, k, published.m)
    expected = {"ANR": oracle.anr(clusters, k), "ANR-pooled": oracle.anr_pooled(clusters, k)}
    for percent in (10, 20, 30):
        expected[f"ARE top {percent} %"] = oracle.are(clusters, k, percent)
        expected[f"ARE-pooled top {percent} %"] = oracle.are_pooled(clusters, k, percent)
    for label, value in expected.items():
        assert found[label].value == (None if value is None else pytest.approx(float(value), abs=1e-12)), label


def test_pairs_of_items_in_fewer_than_k_records_of_the_cluster_do_not_count() -> None:
    rows = ["abc"] * 3 + ["abx"] * 2 + ["c"]  # with k = 3, x is minimal problematic
    found = measured([rows], [(6, [["ab"] * 5], "cx")], 3)
    assert found["ANR"].value == pytest.approx(1 / 3)  # ab of ab, ac, bc
    assert found["ANR-pooled"].details["of"] == 3


def test_clusters_have_equal_weight_in_the_mean_and_pairs_in_the_pool() -> None:
    parts = [["ab"] * 2, ["cdef"] * 2]
    found = measured(parts, [(2, [["ab"] * 2], ""), (2, [["cd"] * 2], "ef")], 2)
    assert found["ANR"].value == pytest.approx((1 + 1 / 6) / 2)
    assert found["ANR-pooled"].value == pytest.approx(2 / 7)
    assert found["ARE top 10 %"].value == pytest.approx((0 + 5 / 6) / 2)
    assert found["ARE-pooled top 10 %"].value == pytest.approx(10 / 14)


def test_the_most_frequent_pairs_are_those_of_each_cluster() -> None:
    # In the second cluster even the most frequent pair is rarer than any of the first.
    parts = [["ab"] * 5 + ["ac"] * 4, ["de"] * 3 + ["df"] * 2]
    nodes = [(9, [["ab"] * 5 + ["a"] * 4], "c"), (5, [["df"] * 2 + ["d"] * 3], "e")]
    found = measured(parts, nodes, 2)
    assert found["ARE top 10 %"].value == pytest.approx((0 + 1) / 2)
    assert found["ARE top 10 %"].details["pairs"] == 2


def test_pairs_as_frequent_as_the_last_are_all_looked_at() -> None:
    parts = [["abc"] * 4]  # one of three pairs is 20 percent, but all are alike
    found = measured(parts, [(4, [["ab"] * 4], "c")], 2)
    assert found["ARE top 20 %"].value == pytest.approx(2 / 3)
    assert dict(found["ARE top 20 %"].details) == {
        "clusters": 1,
        "pairs": 3,
        "of_these_ties_beyond_the_cut": 2,
        "clusters_without_a_pair": 0,
    }


def test_the_share_of_pairs_is_rounded_up() -> None:
    # Six pairs: ab in 7 records, ac and bc in 6, ad and bd in 5, cd in 4. 20 percent are 1.2, so two, and a tie.
    rows = ["abcd"] * 4 + ["abcx", "abcx", "abdx"]
    found = measured([rows], [(7, [["ab"] * 7], "cdx")], 4)
    assert (found["ARE top 10 %"].value, found["ARE top 20 %"].value) == (0, pytest.approx(2 / 3))
    assert found["ARE top 20 %"].details["of_these_ties_beyond_the_cut"] == 1  # ac and bc


def test_clusters_without_a_pair_are_left_out_and_counted() -> None:
    parts = [["ab"] * 2, ["c"] * 3, ["dx", "dy"]]
    found = measured(parts, [(2, [["ab"] * 2], ""), (3, [["c"] * 3], ""), (2, [["d"] * 2], "xy")], 2)
    assert (found["ANR"].value, found["ARE top 30 %"].value) == (1, 0)
    for metric in (found["ANR"], found["ARE top 30 %"]):
        assert (metric.details["clusters"], metric.details["clusters_without_a_pair"]) == (1, 2)


def test_without_any_pair_there_is_nothing() -> None:
    found = measured([["a"] * 2], [(2, [["a"] * 2], "")], 2)
    for metric in found:
        if metric.name.startswith(("ANR", "ARE")):
            assert (metric.value, metric.reason) == (None, "")


def test_shared_chunks_do_not_count_for_a_cluster_but_for_pairs_kept() -> None:
    parts = [["abx", "ab"], ["cdx", "cdx"]]
    nodes = [([(2, [["ab"] * 2], ""), (2, [["c"] * 2], "d")], [["x"] * 3])]
    found = measured(parts, nodes, 2)
    assert found["ANR"].value == pytest.approx((1 / 1 + 0 / 3) / 2)
    nodes = [([(2, [["a"] * 2], ""), (2, [["c"] * 2], "d")], [["bx", "b", "x", "x"]])]
    shared = measured(parts, nodes, 2)
    assert shared["ANR"].value == 0
    assert dict(shared["pairs kept"].details) == {"kept": 1, "of": 6}  # bx, of ab, ax, bx, cd, cx, dx


def test_shared_chunks_of_a_neighbour_do_not_count_either() -> None:
    parts = [["ab"] * 2, ["abc", "c"], ["abd", "d"]]
    nodes = [(2, [["a"] * 2], "b"), ([(2, [["c"] * 2], ""), (2, [["d"] * 2], "")], [["ab"] * 2])]
    found = measured(parts, nodes, 2)
    assert (found["ANR"].value, found["ANR"].details["clusters"]) == (0, 1)
    assert found["ARE top 10 %"].value == 1


def test_pairs_kept_are_different_pairs_and_pair_instances_all_of_them() -> None:
    parts = [["ab"] * 3 + ["ac"]]
    found = measured(parts, [(4, [["ab"] * 3 + ["a"]], "c")], 3)
    assert dict(found["pairs kept"].details) == {"kept": 1, "of": 2}
    assert found["pair instances kept"].value == pytest.approx(3 / 4)


@given(publications())
def test_pairs_kept_is_its_definition(published: Published) -> None:
    original = shoal.read(published.records)
    release = disassociated(published.nodes, published.k, published.m)
    found = shoal.measure(original, release, top=1, ranges=[], reconstructions=1)["pairs kept"]
    whole = oracle.pairs(published.records)
    kept = oracle.pairs(set(words(release)))
    assert dict(found.details) == {"kept": len(kept), "of": len(whole)}


def words(release: shoal.Disassociated) -> list[frozenset[str]]:
    names, ends = release.words, release.subrecord_offsets
    return [frozenset(names[code] for code in release.items[a:b]) for a, b in pairwise(ends)]


def test_where_clusters_are_not_known_there_is_nothing_and_a_reason() -> None:
    original = shoal.read([{"a", "b"}] * 4)
    release = shoal.disassociate(original, k=2, m=2)
    found = shoal.measure(original, release, ranges=[], reconstructions=1)
    concerned = [metric for metric in found if metric.name.startswith(("ANR", "ARE"))]
    assert len(concerned) == 8
    assert {(metric.value, metric.reason) for metric in concerned} == {(None, NOT_TRACED)}
    assert f"Nothing, because ANR, ANR-pooled, ARE, ARE-pooled: {NOT_TRACED}." in " ".join(str(found).split())
    assert "publish with --keep-trace FILE" in NOT_TRACED
    assert "\nANR " in str(found)
    assert found["pairs kept"].value == found["pair instances kept"].value == 1
    assert found["ANR"].as_dict()["reason"] == NOT_TRACED
    assert found.to_arrow()["reason"].to_pylist().count(NOT_TRACED) == 8
