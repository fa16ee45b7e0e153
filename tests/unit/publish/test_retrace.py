"""Which records are in which cluster: what publishing says, and what publishing again finds out from a folder."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.clusters import Clusters, Untraced
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.publish.disassociation import publish_and_trace
from shoal.publish.disassociation.retrace import retrace
from shoal.release.disassociated import Disassociated
from tests.builders import disassociated
from tests.oracles import cluster_pairs as oracle
from tests.strategies import records


def clusters_of(data: Transactions, release: Disassociated, clusters: Clusters) -> list[Any]:
    """Each leaf's original records, record chunks (as lists of sets) and term chunk."""
    rows, names = list(data), release.words
    found = []
    for at, leaf in enumerate(np.flatnonzero(release.is_leaf).tolist()):
        own = [rows[row] for row in clusters.rows[clusters.bounds[at] : clusters.bounds[at + 1]]]
        chunks = []
        for chunk in np.flatnonzero(release.chunk_owner == leaf).tolist():
            first, last = release.chunk_offsets[chunk : chunk + 2]
            ends = release.subrecord_offsets[first : last + 1]
            chunks.append([frozenset(names[c] for c in release.items[a:b]) for a, b in pairwise(ends)])
        terms = release.term_items[release.term_offsets[leaf] : release.term_offsets[leaf + 1]]
        found.append((own, chunks, {names[code] for code in terms}))
    return found


@given(records(4, 24), st.integers(2, 3), st.integers(1, 3), st.integers(0, 3), st.booleans())
def test_chunks_are_what_the_records_of_their_cluster_hold(
    rows: list[Any], k: int, m: int, rounds: int, drop_rare: bool
) -> None:
    data = Transactions.from_records(rows)
    if drop_rare and sum(any(data.supports[data.codes_of(row)] >= k) for row in rows) < k:
        return
    release, clusters = publish_and_trace(
        data, k, m, max_cluster_size=2 * k - 1, refine_rounds=rounds, drop_rare=drop_rare
    )
    assert len(clusters) == release.counts["clusters"]
    assert len(set(clusters.rows.tolist())) == len(clusters.rows) == release.n_records
    for own, chunks, terms in clusters_of(data, release, clusters):
        for chunk in chunks:
            domain = frozenset().union(*chunk)
            assert Counter(chunk) == Counter(record & domain for record in own if record & domain)
        assert terms <= frozenset().union(*own)


def test_records_that_were_dropped_are_in_no_cluster_and_the_others_keep_their_numbers() -> None:
    data = shoal.read([{"rare"}, {"a", "b"}, {"a", "b"}, {"odd"}, {"a", "b"}, {"a", "strange"}])
    release, clusters = publish_and_trace(data, 3, 2, drop_rare=True)
    assert release.dropped.emptied_records == 2
    assert sorted(clusters.rows.tolist()) == [1, 2, 4, 5]
    data = shoal.read([{"hiv"}] * 3 + [{"a", "b"}] * 6)
    release, clusters = publish_and_trace(data, 2, 2, sensitive=["hiv"], l=4)
    assert release.dropped.emptied_records == 1
    assert set(range(3, 9)) < set(clusters.rows.tolist())
    assert len(clusters.rows) == 8
    for own, chunks, _ in clusters_of(data, release, clusters):
        assert all(any(row <= record for record in own) for chunk in chunks for row in chunk)


BASKETS = shoal.quest(400, n_items=25, seed=3)
WORDS = BASKETS.words
OPTIONS: list[dict[str, Any]] = [
    {},
    {"drop_rare": True},
    {"cover_safe": True},
    {"sensitive": [WORDS[3], WORDS[7]], "l": 6},
    {"sensitive": [WORDS[3]], "l": 4, "cover_safe": True, "drop_rare": True},
    {"vertical": "dls"},
    {"vertical": "best"},
    {"refine_rounds": 0},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_release_from_its_folder_is_traced_whatever_it_was_published_with(
    options: dict[str, Any], tmp_path: Path
) -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2, **options)
    release.write(tmp_path / "release")
    found = retrace(BASKETS, shoal.read_release(tmp_path / "release"))
    assert isinstance(found, Clusters)
    assert np.array_equal(found.rows, clusters.rows)
    assert np.array_equal(found.bounds, clusters.bounds)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_metrics_are_those_of_the_traced_clusters_in_any_order_of_the_records(options: dict[str, Any]) -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2, max_cluster_size=20, **options)
    known = [(own, chunks) for own, chunks, _ in clusters_of(BASKETS, release, clusters)]
    turned = Transactions.from_records(list(BASKETS)[::-1])
    for data in (BASKETS, turned):
        found = shoal.utility(data, release, ranges=[], top=1, reconstructions=1, max_cluster_size=20)
        assert found["ANR"].value == pytest.approx(float(oracle.anr(known, 4) or 0))
        assert found["ANR"].value
        for percent in (10, 20, 30):
            expected = float(oracle.are(known, 4, percent) or 0)
            assert found[f"ARE top {percent} %"].value == pytest.approx(expected)


@pytest.mark.parametrize(
    "published", [{"max_cluster_size": 20}, {"refine_rounds": 1}, {"keep_itemsets": [WORDS[2:4], WORDS[5:8]]}], ids=str
)
def test_other_options_than_it_was_published_with_are_noticed_and_said(published: dict[str, Any]) -> None:
    release = shoal.disassociate(BASKETS, 4, 2, **published)
    assert not release.is_leaf.all()
    found = retrace(BASKETS, release)
    assert isinstance(found, Untraced)
    assert "the maximum cluster size, the rounds of refining and the itemsets" in found.reason
    assert isinstance(retrace(BASKETS, release, **published), Clusters)


def test_the_rounds_of_refining_do_not_matter_where_nothing_is_joined() -> None:
    release = shoal.disassociate(BASKETS, 4, 2, refine_rounds=0)
    assert isinstance(retrace(BASKETS, release, refine_rounds=3), Clusters)


@pytest.mark.parametrize("change", ["records", "terms"])
def test_one_item_that_moved_makes_it_another_release(change: str) -> None:
    original = shoal.read(map(set, ["ab", "ab", "ab", "ac", "ad"]))
    chunk = ["ab"] * 3 + ["a"] * 2
    assert isinstance(retrace(original, disassociated([(5, [chunk], "cd")], k=2)), Clusters)
    nodes = [(5, [["ab"] * 2 + ["a"] * 3], "cd")] if change == "records" else [(5, [chunk], "c")]
    assert isinstance(retrace(original, disassociated(nodes, k=2)), Untraced)


def test_the_same_shape_with_other_items_is_another_release() -> None:
    original = shoal.read(map(set, ["ab", "ab", "c", "c"]))
    assert isinstance(retrace(original, disassociated([(4, [["ab"] * 2 + ["c"] * 2], "")], k=2)), Clusters)
    assert isinstance(retrace(original, disassociated([(4, [["ac"] * 2 + ["b"] * 2], "")], k=2)), Untraced)
    renamed = shoal.read(map(set, ["ab", "ab", "d", "d"]))
    assert isinstance(retrace(renamed, disassociated([(4, [["ab"] * 2 + ["c"] * 2], "")], k=2)), Untraced)


def test_term_chunks_that_changed_places_make_it_another_release() -> None:
    original = shoal.read(map(set, ["ax", "a", "a", "by", "b", "b"]))
    own, other = (disassociated([(3, [["a"] * 3], one), (3, [["b"] * 3], two)], k=2) for one, two in ("xy", "yx"))
    assert isinstance(retrace(original, own, max_cluster_size=3), Clusters)
    assert isinstance(retrace(original, other, max_cluster_size=3), Untraced)


def test_what_cannot_be_published_at_all_is_not_traced() -> None:
    release = disassociated([(2, [["a"] * 2], "")], k=2)
    assert isinstance(retrace(shoal.read([{"a"}]), release), Untraced)
    release = disassociated([(4, [["a"] * 4], "b")], k=2, sensitive=["z"])
    found = retrace(shoal.read(map(set, ["ab", "a", "a", "a"])), release)
    assert found == Untraced("the release names sensitive items that are not in the original")


def test_a_maximum_that_no_release_can_have_is_refused() -> None:
    release = shoal.disassociate(BASKETS, 4, 2)
    with pytest.raises(InputError, match="the maximum cluster size must be at least 7"):
        shoal.utility(BASKETS, release, ranges=[], max_cluster_size=5)
