"""Chunks, against the printed algorithm (plus Lemma 2) and against the definition of what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.kernels import chunks as grouping
from shoal.kernels.vertical import partition_clusters
from tests.making.disassociated_releases import offsets
from tests.making.transaction_strategies import records
from tests.oracles import disassociation as oracle

NO_RANK: dict[str, int] = {}


def chunks_of(clusters, k, m, sensitive=(), rank=NO_RANK):
    """The kernel's clusters as (size, chunks, terms), like the oracle's."""
    data = Transactions.from_records([record for cluster in clusters for record in cluster])
    flags = np.array([word in sensitive for word in data.words], np.uint8)
    bounds = offsets(map(len, clusters))
    owner, subrecords, lengths, items, terms, term_items = partition_clusters(
        data.offsets,
        data.items,
        np.arange(len(data)),
        bounds,
        data.n_items,
        flags,
        np.array([rank.get(word, 0) for word in data.words], np.int32),
        np.zeros(len(bounds), np.int64),
        np.empty(0, np.int32),
        False,
        k,
        m,
    )
    words = data.words
    rows = (
        [frozenset(words[i] for i in part) for part in np.split(items, np.cumsum(lengths)[:-1])] if len(lengths) else []
    )
    chunks = [[] for _ in clusters]
    at = 0
    for cluster, count in zip(owner.tolist(), subrecords.tolist(), strict=True):
        chunks[cluster].append(rows[at : at + count])
        at += count
    named = np.split(term_items, np.cumsum(terms)[:-1])
    return [(len(cluster), chunks[i], frozenset(words[t] for t in named[i])) for i, cluster in enumerate(clusters)]


def as_bags(cluster):
    size, chunks, terms = cluster
    return size, [sorted(map(sorted, filter(None, chunk))) for chunk in chunks], terms


several = st.lists(records(1, 9, "abcdef"), min_size=1, max_size=3)


@given(several, st.integers(2, 4), st.integers(1, 4))
def test_chunks_are_those_of_the_printed_algorithm_where_lemma_2_holds_for_them(clusters, k, m):
    for records_, made in zip(clusters, chunks_of(clusters, k, m), strict=True):
        printed = oracle.verpart_literal(records_, k, m)
        if oracle.lemma2(printed, k, m):
            assert as_bags(made) == as_bags(printed)


@given(several, st.integers(2, 4), st.integers(1, 4))
def test_every_chunk_is_km_anonymous_lemma_2_holds_and_the_records_fit(clusters, k, m):
    for records_, made in zip(clusters, chunks_of(clusters, k, m), strict=True):
        assert all(oracle.is_km_anonymous(chunk, k, m) for chunk in made[1])
        assert oracle.lemma2(made, k, m)
        assert oracle.reconstructable(made, records_)


@given(several, st.integers(2, 3), st.integers(1, 3))
def test_sensitive_items_stay_in_term_chunks_and_are_forced_on_nobody(clusters, k, m):
    clusters = [[record | {"z"} for record in cluster] for cluster in clusters]  # every cluster has a plain item
    for records_, (size, chunks, terms) in zip(clusters, chunks_of(clusters, k, m, {"a", "b"}), strict=True):
        assert not {"a", "b"} & frozenset().union(*(row for chunk in chunks for row in chunk))
        if {"a", "b"} & terms:
            assert oracle.lemma2((size, chunks, terms - {"a", "b"}), k, m)
        assert oracle.reconstructable((size, chunks, terms), records_)


@given(records(2, 9, "abcde"), st.integers(2, 4), st.integers(1, 3), st.randoms())
def test_the_order_of_the_records_does_not_matter(cluster, k, m, random):
    shuffled = random.sample(cluster, len(cluster))
    assert chunks_of([cluster], k, m) == chunks_of([shuffled], k, m)


@pytest.mark.parametrize("size", [62, 63, 64, 126, 127, 200])
def test_clusters_wider_than_a_word_of_bits_are_partitioned_alike(size):
    # Four kinds of records; the last few lie in the last word of the masks.
    kinds = [frozenset("ab"), frozenset("abc"), frozenset("cd"), frozenset("ae")]
    cluster = [kinds[i * i % 4 if i < size - 5 else 3] for i in range(size)]
    for k, m in [(3, 1), (5, 2), (6, 3)]:
        (made,) = chunks_of([cluster], k, m)
        printed = oracle.verpart_literal(cluster, k, m)
        assert as_bags(made) == as_bags(printed) or not oracle.lemma2(printed, k, m)
        assert all(oracle.is_km_anonymous(chunk, k, m) for chunk in made[1])


def test_long_identical_records_cost_little():
    # 2,000 items in each of 12 records: 10^13 sets of four, of which every one occurs 12 times.
    cluster = [frozenset(f"{i:04}" for i in range(2_000))] * 12
    (made,) = chunks_of([cluster], 5, 4)
    assert made[1] == [cluster]


def test_at_the_cap_items_open_another_chunk_and_the_promise_stays(monkeypatch):
    if not hasattr(grouping.group_items, "py_func"):  # with the JIT off, the cap is an ordinary global
        monkeypatch.setattr(grouping, "FAMILY_CAP", 2)
        cluster = [frozenset("abcdef")] * 4 + [frozenset("ab")] * 4 + [frozenset("abc")] * 4
        (made,) = chunks_of([cluster], 3, 3)
        assert len(made[1]) > 1
        assert all(oracle.is_km_anonymous(chunk, 3, 3) for chunk in made[1])
    else:
        # 120 records in 9,000 different sets of which any two meet in at least k records: more than the cap.
        rng = np.random.default_rng(5)
        member = rng.random((9_000, 120)) < 0.8
        cluster = [frozenset(f"{i}" for i in np.flatnonzero(member[:, r])) for r in range(120)]
        (made,) = chunks_of([cluster], 5, 2)
        domains = [frozenset().union(*chunk) for chunk in made[1]]
        assert len(domains) == 2
        assert len(domains[0]) == grouping.FAMILY_CAP
