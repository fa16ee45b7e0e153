"""What the publisher owes for any input: checked by the auditor, by the oracles, and by comparing runs."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Transactions, disassociate
from shoal.audit.disassociated import audit
from shoal.errors import Infeasible, InputError
from shoal.publish.disassociation.horizontal import cluster_and_spread, cluster_records
from shoal.run import Run
from tests.making.disassociated_releases import nodes_of
from tests.oracles import disassociation as oracle

ITEMS = "abcdefghijkl"
baskets = st.lists(st.frozensets(st.sampled_from(ITEMS), min_size=1, max_size=7), min_size=1, max_size=60)
numbers = st.tuples(st.integers(2, 4), st.integers(1, 4))


def fields(release):
    return [
        value.tolist() if isinstance(value, np.ndarray) else value.to_pylist() if hasattr(value, "to_pylist") else value
        for value in vars(release).values()
    ]


@given(baskets, numbers, st.integers(0, 8))
def test_the_release_verifies_and_nothing_is_invented_or_lost(records, km, slack):
    k, m = km
    data = Transactions.from_records(records)
    if len(data) < k:
        with pytest.raises(Infeasible, match=f"{len(data)} records"):
            disassociate(data, k, m)
        return
    most = 2 * k - 1 + slack
    release = disassociate(data, k, m, max_cluster_size=most)
    verdict = audit(release, original=data)
    assert verdict.holds, str(verdict)
    assert release.cluster_size[release.is_leaf].max() <= most


@given(baskets.filter(lambda rows: len(rows) >= 3), st.integers(1, 3), st.integers(0, 4))
def test_the_chunks_and_the_term_chunk_of_a_cluster_are_its_records(records, m, slack):
    data = Transactions.from_records(records)
    clustering = cluster_records(data, least=3, most=5 + slack)
    words = data.words
    sets = [frozenset(words[i] for i in part) for part in np.split(clustering.items, clustering.offsets[1:-1])]
    assert Counter(sets) == Counter(data)
    release = disassociate(data, 3, m, max_cluster_size=5 + slack, refine_rounds=0)
    left = [[sets[r] for r in clustering.rows[a:b]] for a, b in pairwise(clustering.bounds)]
    for cluster in nodes_of(release):  # each published cluster is one of ours, exactly, and each of ours is published
        home = next(c for c in left if oracle.reconstructable(cluster, c))
        left.remove(home)
    assert not left


@given(baskets.filter(lambda rows: len(rows) >= 2), st.randoms(), st.booleans())
def test_the_order_of_the_input_does_not_matter(records, random, with_sensitive):
    options = {"sensitive": [sorted(records[0])[0]], "l": 2} if with_sensitive else {}
    if with_sensitive and not any(record - set(options["sensitive"]) for record in records):
        return
    shuffled = random.sample(records, len(records))
    try:
        first = disassociate(Transactions.from_records(records), 2, 2, **options)
    except Infeasible:
        with pytest.raises(Infeasible):
            disassociate(Transactions.from_records(shuffled), 2, 2, **options)
        return
    again = disassociate(Transactions.from_records(shuffled), 2, 2, **options)
    assert fields(first) == fields(again)


@given(
    baskets.filter(lambda rows: len(rows) >= 4),
    st.integers(2, 4),
    st.sets(st.sampled_from(ITEMS), min_size=1, max_size=4),
)
def test_sensitive_items_are_detached_and_spread(records, l, sensitive):  # noqa: E741
    data = Transactions.from_records(records)
    names = sorted(sensitive & set(data.words))
    if not names:
        return
    try:
        release = disassociate(data, 2, 2, sensitive=names, l=l)
    except Infeasible:
        plain_records = sum(bool(record - sensitive) for record in records)
        assert plain_records < max(2, l) or plain_records < len(records)
        return
    verdict = audit(release, original=data)
    assert verdict.holds, str(verdict)
    assert not set(names) & {release.words[i] for i in release.items}

    # The share itself is not published; look at the clusters before their multiplicities were hidden.
    flags = np.array([word in names for word in data.words], np.uint8)
    clustering = cluster_and_spread(data, flags, share=l, least=max(2, l), most=4 * max(2, l))
    struck = 0
    for a, b in pairwise(clustering.bounds):
        rows = clustering.rows[a:b]
        counts = Counter(
            int(item)
            for r in rows
            for item in clustering.items[clustering.offsets[r] : clustering.offsets[r + 1]]
            if flags[item]
        )
        assert all(count * l <= b - a for count in counts.values())
        struck -= sum(counts.values())
    struck += sum(len(record & set(names)) for record in records)
    sizes = np.diff(clustering.bounds)
    assert sizes.min() >= max(2, l)
    assert sizes.max() <= 4 * max(2, l)
    assert release.dropped.sensitive_instances == clustering.struck == struck
    assert release.n_records == len(data) - release.dropped.emptied_records


def test_equal_sensitive_items_are_spread_without_striking_any_out_where_the_data_allow():
    rng = np.random.default_rng(3)
    records = [
        {f"i{j}" for j in rng.zipf(1.5, 4) if j < 40} | ({"hiv"} if n % 20 == 0 else set()) for n in range(2_000)
    ]
    records = [record or {"i1"} for record in records]
    release = disassociate(Transactions.from_records(records), 5, 2, sensitive=["hiv"], l=8)
    assert release.dropped.sensitive_instances == 0
    assert audit(release).holds


def test_records_of_nothing_but_sensitive_items_are_hidden_among_others():
    records = [{"hiv"}] * 30 + [{"tea", "milk"}, {"tea"}, {"milk", "jam"}] * 70
    release = disassociate(Transactions.from_records(records), 3, 2, sensitive=["hiv"], l=3)
    assert audit(release, original=Transactions.from_records(records)).holds
    assert release.n_records == 240 - release.dropped.emptied_records


@pytest.mark.parametrize("n", range(3, 12))
def test_shares_hold_for_the_clusters_that_are_left_when_records_were_emptied(n):
    # Only records of nothing else hold the item: striking it out takes the record away, and the cluster shrinks.
    data = Transactions.from_records([{"hiv"}] * n + [{"tea"}] * 12)
    clustering = cluster_and_spread(data, np.array([1, 0], np.uint8), share=4, least=4, most=30)
    assert clustering.emptied == clustering.struck > 0 or n * 4 <= n + 12
    for a, b in pairwise(clustering.bounds):
        held = sum(clustering.items[clustering.offsets[r]] == 0 for r in clustering.rows[a:b])
        assert held * 4 <= b - a
    assert audit(disassociate(data, 2, 2, sensitive=["hiv"], l=4, max_cluster_size=30), original=data).holds


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 1, "m": 2}, InputError, "k is 1: it must be a whole number from 2 on"),
        ({"k": 2, "m": 0}, InputError, "m is 0"),
        ({"k": 2.5, "m": 2}, InputError, "k is 2.5"),
        ({"k": 11, "m": 2}, Infeasible, "10 records cannot hide one among 11"),
        ({"k": 3, "m": 2, "max_cluster_size": 4}, InputError, "at least 5"),
        ({"k": 3, "m": 2, "sensitive": ["b"]}, InputError, "need l"),
        ({"k": 3, "m": 2, "l": 3}, InputError, "none are named"),
        ({"k": 3, "m": 2, "sensitive": ["zzz"], "l": 3}, InputError, "'zzz'"),
        ({"k": 3, "m": 2, "sensitive": ["b"], "l": 1}, InputError, "l is 1"),
        ({"k": 3, "m": 2, "sensitive": ["b"], "l": 11}, Infeasible, "10 records"),
        ({"k": 3, "m": 2, "sensitive": ["a", "b"], "l": 3}, Infeasible, "10 of 10 records hold only sensitive items"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(options, error, message):
    data = Transactions.from_records([{"a", "b"}, {"a"}] * 5)
    with pytest.raises(error, match=message):
        disassociate(data, **options)


def test_rare_items_are_dropped_on_request_only_and_counted():
    # c occurs in exactly k records, which is often enough.
    data = Transactions.from_records([{"a", "b"}] * 2 + [{"a", "b", "c"}] * 3 + [{"rare"}, {"a", "seldom"}])
    kept = disassociate(data, 3, 2)
    assert {"rare", "seldom"} <= set(kept.words)
    release = disassociate(data, 3, 2, drop_rare=True)
    assert release.words == ["a", "b", "c"]
    assert (release.dropped.rare_items, release.dropped.emptied_records) == (2, 1)
    assert release.n_records == 6
    assert audit(release, original=data).holds


def test_sets_with_a_dropped_item_are_in_no_possible_original_and_the_promise_says_that_it_is_not_about_them():
    data = Transactions.from_records([{"a", "b"}, {"a", "b"}, {"a", "c"}])
    kept, dropped = (disassociate(data, 2, 2, drop_rare=drop) for drop in (False, True))
    for release, possible in ((kept, True), (dropped, False)):
        (node,) = nodes_of(release)
        found = any({"a", "c"} <= record for world in oracle.worlds(node) for record in world)
        assert found == possible
    assert "an item that was too rare" in dropped.promise.not_promised[-1]


def test_the_input_is_left_as_it_was():
    data = Transactions.from_records([{"a", "b"}, {"a"}, {"b", "c"}] * 9)
    before = (data.offsets.copy(), data.items.copy(), data.words)
    disassociate(data, 3, 2, sensitive=["c"], l=3)
    assert np.array_equal(data.offsets, before[0])
    assert np.array_equal(data.items, before[1])
    assert data.words == before[2]


def test_progress_is_reported_to_the_end():
    stages = []
    disassociate(
        Transactions.from_records([{"a", "b"}] * 9),
        3,
        2,
        run=Run(progress=lambda stage, done, total: stages.append((stage, done, total))),
    )
    assert [s for s in stages if s[0] != "compile"] == [
        ("cluster records", 0, 1),
        ("cluster records", 1, 1),
        ("partition clusters", 1, 1),
        ("refine", 0, 10),
        ("refine", 10, 10),
    ]
