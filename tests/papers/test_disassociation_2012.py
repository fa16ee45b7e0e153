"""Terrovitis, Mamoulis, Liagouris, Skiadopoulos: Privacy Preservation by Disassociation, VLDB 2012.

The worked examples, and the smallest inputs on which the printed algorithms break the promise, each failing under the
printed rule (the oracle) and passing under ours. Simple clusters only.
"""

import numpy as np
import pytest

from shoal import Transactions, disassociate
from shoal.audit.disassociated import audit
from shoal.data.transactions import vocabulary_order
from shoal.promises import KmAnonymity
from shoal.publish.disassociation.horizontal import Clustering
from shoal.publish.disassociation.vertical import partition_clusters
from shoal.release.manifest import Dropped
from tests.builders import disassociated
from tests.oracles import disassociation as oracle

FIGURE_2A = [
    {"itunes", "flu", "madonna", "ikea", "ruby"},
    {"madonna", "flu", "viagra", "ruby", "audi a4", "sony tv"},
    {"itunes", "madonna", "audi a4", "ikea", "sony tv"},
    {"itunes", "flu", "viagra"},
    {"itunes", "flu", "madonna", "audi a4", "sony tv"},
    {"madonna", "digital camera", "panic disorder", "playboy"},
    {"iphone sdk", "madonna", "ikea", "ruby"},
    {"iphone sdk", "digital camera", "madonna", "playboy"},
    {"iphone sdk", "digital camera", "panic disorder"},
    {"iphone sdk", "digital camera", "madonna", "ikea", "ruby"},
]
FIGURE_2B = [
    (
        5,
        [
            [
                {"itunes", "flu", "madonna"},
                {"madonna", "flu"},
                {"itunes", "madonna"},
                {"itunes", "flu"},
                {"itunes", "flu", "madonna"},
            ],
            [{"audi a4", "sony tv"}] * 3,
        ],
        {"ikea", "viagra", "ruby"},
    ),
    (
        5,
        [
            [
                {"madonna", "digital camera"},
                {"iphone sdk", "madonna"},
                {"iphone sdk", "digital camera", "madonna"},
                {"iphone sdk", "digital camera"},
                {"iphone sdk", "digital camera", "madonna"},
            ]
        ],
        {"panic disorder", "playboy", "ikea", "ruby"},
    ),
]


def published_clusters(release):
    """A release as plain clusters, (size, chunks, terms), each chunk a sorted list of sorted lists."""
    words = release.words
    clusters = []
    for p in range(release.n_clusters):
        chunks = []
        for c in np.flatnonzero(release.chunk_owner == p):
            rows = range(release.chunk_offsets[c], release.chunk_offsets[c + 1])
            starts = release.subrecord_offsets
            chunks.append(sorted(sorted(words[i] for i in release.items[starts[r] : starts[r + 1]]) for r in rows))
        terms = release.term_items[release.term_offsets[p] : release.term_offsets[p + 1]]
        clusters.append((int(release.cluster_size[p]), chunks, {words[i] for i in terms}))
    return clusters


def partitioned(records, sizes, k, m):
    """Our vertical partitioning of clusters that are given, as in the paper's figures."""
    data = Transactions.from_records(records)
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return partition_clusters(
        Clustering(data.offsets, data.items, np.arange(len(data)), bounds),
        data.vocabulary,
        KmAnonymity(k, m),
        sensitive=np.zeros(data.n_items, np.uint8),
        diversity=None,
        dropped=Dropped(),
        progress=lambda *_: None,
    )


def test_figure_2b_comes_out_of_the_two_clusters_of_figure_2a():
    release = partitioned(FIGURE_2A, [5, 5], k=3, m=2)
    expected = [(size, [sorted(map(sorted, chunk)) for chunk in chunks], terms) for size, chunks, terms in FIGURE_2B]
    assert sorted(published_clusters(release), key=str) == sorted(expected, key=str)
    assert audit(release).holds
    assert all(oracle.guarantee1(cluster, 3, 2) for cluster in as_sets(FIGURE_2B))


def test_figure_2b_promises_nothing_for_k_4():
    assert not audit(disassociated(as_sets(FIGURE_2B), k=4, m=2)).holds


def as_sets(clusters):
    return [
        (size, [[frozenset(row) for row in chunk] for chunk in chunks], frozenset(t)) for size, chunks, t in clusters
    ]


FIGURE_4A = [set("a"), set("a"), set("bc"), set("bc"), set("abc")]


def test_figure_4_is_refused_by_the_auditor_and_not_made_by_us():
    """Example 1: both chunks are 3^2-anonymous, yet only one original has five non-empty records."""
    printed = oracle.verpart_literal(FIGURE_4A_SETS, 3, 2)
    assert sorted(sorted(map(sorted, filter(None, chunk))) for chunk in printed[1]) == [[["a"]] * 3, [["b", "c"]] * 3]
    assert not printed[2]
    assert not oracle.guarantee1(printed, 3, 2)
    verdict = audit(disassociated([printed], k=3, m=2))
    assert [check.name for check in verdict.failures] == ["Lemma 2"]

    ours = partitioned(FIGURE_4A, [5], k=3, m=2)
    assert audit(ours).holds
    ((size, chunks, terms),) = published_clusters(ours)
    assert (size, chunks, terms) == (5, [[["a"]] * 3, [["b"]] * 3], {"c"})
    assert oracle.guarantee1(as_sets([(size, chunks, terms)])[0], 3, 2)


FIGURE_4A_SETS = [frozenset(record) for record in FIGURE_4A]


def test_row_1_the_printed_split_publishes_single_records_and_ours_does_not():
    """HORPART splits down to anything; a cluster of fewer than k records breaks the guarantee in every case."""
    records = [frozenset(r) for r in ("ab", "ac", "ad", "bc", "e")]
    printed = oracle.horpart_literal(records, 2)
    assert min(map(len, printed)) == 1
    for part in printed:
        if len(part) < 2:
            cluster = oracle.verpart_literal([records[i] for i in part], 2, 2)
            assert not oracle.guarantee1(cluster, 2, 2)
    release = disassociate(Transactions.from_records(records), k=2, m=2, max_cluster_size=3)
    assert release.cluster_size.min() >= 2
    assert release.cluster_size.max() <= 3
    assert audit(release).holds


def test_row_2_identical_records_have_no_unused_item_left_and_are_chopped():
    release = disassociate(Transactions.from_records([{"a", "b"}] * 100), k=3, m=2, max_cluster_size=7)
    assert release.cluster_size.min() >= 3
    assert release.cluster_size.max() <= 7
    assert release.cluster_size.sum() == 100
    assert audit(release).holds


def test_row_4_with_no_record_chunk_a_term_chunk_is_needed():
    """With v = 0 the printed bound s + k(h - 1) would be s - k, which no subrecords at all satisfy for s <= k."""
    verdict = audit(disassociated([(3, [], frozenset("a"))], k=3, m=2))
    assert verdict["Lemma 2"].holds
    release = disassociated([(3, [], frozenset())], k=3, m=2)
    assert not audit(release).holds


def test_dls_row_4_needs_lemma_2_as_well():
    """{a} {b} {ab} with k = 2: chunks {a}{a} and {b}{b}, no term chunk, and {a, b} occurs once in the only original."""
    records = [frozenset("a"), frozenset("b"), frozenset("ab")]
    printed = oracle.verpart_literal(records, 2, 2)
    assert not oracle.guarantee1(printed, 2, 2)
    release = disassociate(Transactions.from_records(records), k=2, m=2)
    assert audit(release).holds
    (cluster,) = published_clusters(release)
    assert oracle.guarantee1(as_sets([cluster])[0], 2, 2)


def test_row_10_a_cluster_of_nothing_but_a_sensitive_item_would_give_it_away():
    records = [{"hiv"}] * 4 + [{"tea"}, {"tea", "milk"}, {"milk"}, {"tea"}] * 6
    alone = disassociated([(4, [], frozenset({"hiv"}))], k=2, m=2, sensitive={"hiv"}, l=2)
    assert not audit(alone).holds
    release = disassociate(Transactions.from_records(records), k=2, m=2, sensitive=["hiv"], l=4)
    assert audit(release).holds
    words = release.words
    for _, chunks, terms in published_clusters(release):
        assert not any("hiv" in row for chunk in chunks for row in chunk)
        assert terms != {"hiv"}
    assert "hiv" in words


@pytest.mark.parametrize("k", [2, 3, 5])
def test_row_11_there_is_no_order_left_to_leak(k):
    rng = np.random.default_rng(k)
    records = [set(rng.choice(list("abcdefghij"), size=rng.integers(1, 6))) for _ in range(80)]
    release = disassociate(Transactions.from_records(records), k=k, m=2)
    keys = [published_key(release, p) for p in range(release.n_clusters)]
    flat = [terms + items for terms, items in keys]
    assert flat == sorted(flat)
    assert vocabulary_order(release.vocabulary).tolist() == list(range(len(release.vocabulary)))


def published_key(release, cluster):
    first, last = np.searchsorted(release.chunk_owner, [cluster, cluster + 1])
    start, end = release.subrecord_offsets[release.chunk_offsets[[first, last]]]
    terms = release.term_items[release.term_offsets[cluster] : release.term_offsets[cluster + 1]]
    return terms.tolist(), release.items[start:end].tolist()
