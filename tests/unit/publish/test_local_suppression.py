"""Local suppression as a way to publish: what holds of whole releases, with everything else on top of it."""

import json
import time
from dataclasses import replace

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Transactions, disassociate, read_release, verify
from shoal.audit.disassociated import audit
from shoal.errors import InputError
from shoal.promises import SuppressedKm
from shoal.release.evidence import Evidence
from tests.making.disassociated_releases import disassociated, nodes_of
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import records
from tests.oracles import disassociation as oracle
from tests.oracles import local_suppression


def pairs(node):
    return sum(len(row) * (len(row) - 1) // 2 for chunk in node[1] for row in chunk)


@given(records(2, 9, "abcdef"), st.integers(2, 3), st.integers(2, 4))
def test_chunks_are_those_of_the_naive_twin(cluster, k, m):
    if len(cluster) < k:
        return
    release = publish_given([cluster], k, m, rounds=0, vertical="dls")
    ((size, chunks, terms),) = nodes_of(release)
    naive = local_suppression.dls(cluster, k, m)
    assert (size, terms) == (naive[0], naive[2])
    assert [sorted(map(sorted, chunk)) for chunk in chunks] == [sorted(map(sorted, chunk)) for chunk in naive[1]]


@given(st.lists(records(4, 8, "abcdef"), min_size=1, max_size=3), st.integers(2, 4), st.integers(3, 4))
def test_every_set_occurs_never_or_k_times_in_every_chunk_for_m_of_3_and_4(clusters, k, m):
    release = publish_given(clusters, k, m, vertical="dls")
    assert oracle.keeps_promise(nodes_of(release), k, m)
    assert audit(release).holds


@settings(max_examples=30)
@given(records(2, 5, "abc"), st.integers(2, 3))
def test_a_set_is_in_no_possible_original_or_in_k_records_of_one(cluster, k):
    if len(cluster) < k:
        return
    (node,) = nodes_of(publish_given([cluster], k, 2, vertical="dls"))
    assert oracle.guarantee1(node, k, 2)


@given(st.lists(records(2, 8, "abcdef"), min_size=1, max_size=3))
def test_best_keeps_in_each_cluster_as_many_pairs_as_either_and_suppresses_only_where_it_pays(clusters):
    made = {
        way: [nodes_of(publish_given([cluster], 2, 2, rounds=0, vertical=way))[0] for cluster in clusters]
        for way in ("greedy", "dls", "best")
    }
    for greedy, dls, best in zip(*made.values(), strict=True):
        assert pairs(best) == max(pairs(greedy), pairs(dls))
        if pairs(greedy) == pairs(dls):
            assert best == greedy
    together = publish_given(clusters, 2, 2, rounds=0, vertical="best")
    assert sorted(map(str, nodes_of(together))) == sorted(map(str, made["best"]))


@given(records(6, 14, "abcdef"), st.sampled_from(["dls", "best"]), st.integers(2, 3))
def test_what_is_missing_is_what_is_said_to_be_suppressed(rows, vertical, m):
    data = Transactions.from_records(rows)
    release = disassociate(data, 2, m, vertical=vertical, refine_rounds=0)
    shown = np.bincount(release.items, minlength=data.n_items)
    in_terms = np.isin(np.arange(data.n_items), release.term_items)
    missing = int((data.supports - shown)[~in_terms].sum())
    assert missing <= release.dropped.suppressed_instances
    if not in_terms.any():
        assert missing == release.dropped.suppressed_instances


def test_the_manifest_says_what_is_promised_and_how_much_was_suppressed(tmp_path):
    data = Transactions.from_records(map(set, ["adef", "acf", "cef", "acdf", "cde", "ad"]))
    release = disassociate(data, 2, 2, max_cluster_size=9, vertical="dls")
    assert release.promise == SuppressedKm(2, 2)
    release.write(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert manifest["promises"][0]["kind"] == "SuppressedKm"
    assert manifest["left_out"]["suppressed_instances"] == 1
    assert "not among the possible originals" in manifest["promises"][0]["not_promised"][0]
    assert read_release(tmp_path / "release").promise == release.promise
    assert verify(tmp_path / "release", Evidence(original=data)).holds


@pytest.mark.parametrize("said", [0, 2])
def test_the_original_tells_when_another_number_was_suppressed_than_is_said(said):
    data = Transactions.from_records(map(set, ["adef", "acf", "cef", "acdf", "cde", "ad"]))
    release = disassociate(data, 2, 2, max_cluster_size=9, vertical="dls")
    assert audit(release, original=data).holds
    lying = replace(release, dropped=replace(release.dropped, suppressed_instances=said))
    (failure,) = audit(lying, original=data).failures
    assert failure.name == "supports in the original"


def test_a_set_that_occurs_once_breaks_the_promise_and_is_named():
    broken = disassociated([(4, [["ab", "a", "b", "a"]], frozenset())], 2, 2)
    (failure,) = audit(replace(broken, promise=SuppressedKm(2, 2))).failures
    assert failure.name == "record chunks"
    assert "{a, b} occurs in 1 record" in failure.witness


def test_an_unknown_way_is_refused():
    with pytest.raises(InputError, match="greedy, dls, best"):
        disassociate(Transactions.from_records([{"a", "b"}] * 4), 2, 2, vertical="worst")


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the JIT is off: this is about time")
@pytest.mark.parametrize("m", [2, 3])
def test_a_cluster_of_200_records_and_300_items_is_no_exponential_search(m):
    random = np.random.default_rng(1)
    rows = [random.choice(300, size=20, replace=False).astype(str).tolist() for _ in range(200)]
    publish_given([rows[:30]], 5, m, rounds=0, vertical="dls")  # compiled before the clock starts
    start = time.process_time()
    release = publish_given([rows], 5, m, rounds=0, vertical="dls")
    took = time.process_time() - start
    assert audit(release).holds
    assert took < 1
    assert release.dropped.clusters_cut_short == 1
