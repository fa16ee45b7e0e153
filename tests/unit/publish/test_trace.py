"""Which records are in which cluster: what publishing says, and what is kept of it in a file."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.clusters import Clusters
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.traces import read_trace
from shoal.publish.disassociation import publish_and_trace
from shoal.release.disassociated import Disassociated
from shoal.release.trace import Trace
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import records
from tests.oracles import cluster_pairs as oracle


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
def test_the_trace_of_a_release_fits_its_folder_whatever_it_was_published_with(
    options: dict[str, Any], tmp_path: Path
) -> None:
    release = shoal.disassociate(BASKETS, 4, 2, **options, keep_trace=tmp_path / "trace")
    release.write(tmp_path / "release")
    found = read_trace(tmp_path / "trace", len(BASKETS)).clusters_of(BASKETS, shoal.read_release(tmp_path / "release"))
    again, clusters = publish_and_trace(BASKETS, 4, 2, **options)
    assert np.array_equal(again.items, release.items)
    assert np.array_equal(found.rows, clusters.rows)
    assert np.array_equal(found.bounds, clusters.bounds)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_metrics_are_those_of_the_traced_clusters_in_any_order_of_the_records(options: dict[str, Any]) -> None:
    turned = Transactions.from_records(list(BASKETS)[::-1])
    for data in (BASKETS, turned):
        release, clusters = publish_and_trace(data, 4, 2, max_cluster_size=20, **options)
        known = [(own, chunks) for own, chunks, _ in clusters_of(data, release, clusters)]
        trace = Trace.of(data, release, clusters)
        found = shoal.measure(data, release, ranges=[], top=1, reconstructions=1, trace=trace)
        assert found["ANR"].value == pytest.approx(float(oracle.anr(known, 4) or 0))
        assert found["ANR"].value
        for percent in (10, 20, 30):
            expected = float(oracle.are(known, 4, percent) or 0)
            assert found[f"ARE top {percent} %"].value == pytest.approx(expected)


# What publishing again found, before traces were kept.
EARLIER = {
    "ANR": 0.18945786955872324,
    "ANR-pooled": 0.159735001840265,
    "ARE top 10 %": 0.33023328481147723,
    "ARE top 20 %": 0.5474759639655999,
    "ARE top 30 %": 0.6283020006840078,
    "ARE-pooled top 10 %": 0.25998645903859174,
    "ARE-pooled top 20 %": 0.47117212249208024,
    "ARE-pooled top 30 %": 0.5480019897197811,
}


def test_the_numbers_are_those_that_publishing_again_gave(tmp_path: Path) -> None:
    shoal.disassociate(BASKETS, 4, 2, keep_trace=tmp_path / "trace").write(tmp_path / "release")
    found = shoal.measure(BASKETS, tmp_path / "release", ranges=[], top=1, trace=tmp_path / "trace")
    assert {metric.label: metric.value for metric in found if metric.name.startswith(("ANR", "ARE"))} == pytest.approx(
        EARLIER
    )


@pytest.mark.parametrize(
    "published", [{"max_cluster_size": 20}, {"refine_rounds": 1}, {"keep_itemsets": [WORDS[2:4], WORDS[5:8]]}], ids=str
)
def test_the_trace_of_another_release_is_refused(published: dict[str, Any], tmp_path: Path) -> None:
    shoal.disassociate(BASKETS, 4, 2, **published, keep_trace=tmp_path / "other")
    own = shoal.disassociate(BASKETS, 4, 2, keep_trace=tmp_path / "own")
    assert shoal.measure(BASKETS, own, ranges=[], top=1, trace=tmp_path / "own")["ANR"].value
    with pytest.raises(InputError, match=r"^trace must be a trace, or the file that"):
        shoal.measure(BASKETS, own, trace=own)
    with pytest.raises(InputError, match="the trace is of another release: give the trace that was written when"):
        shoal.measure(BASKETS, own, ranges=[], top=1, trace=tmp_path / "other")


def test_records_in_another_order_are_refused() -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2)
    trace = Trace.of(BASKETS, release, clusters)
    with pytest.raises(InputError, match="of this release, but of another original: give the records"):
        shoal.measure(Transactions.from_records(list(BASKETS)[::-1]), release, trace=trace)


def nodes(*, terms: str = "cd", rows: tuple[int, int] = (3, 2)) -> Disassociated:
    return disassociated([(5, [["ab"] * rows[0] + ["a"] * rows[1]], terms)], k=2)


@pytest.mark.parametrize("other", [nodes(rows=(2, 3)), nodes(terms="c"), nodes(terms="ce")], ids=["rows", "terms", "e"])
def test_one_item_that_moved_makes_it_another_release(other: Disassociated) -> None:
    original = shoal.read(map(set, ["ab", "ab", "ab", "ac", "ad"]))
    clusters = Clusters(np.arange(5), np.array([0, 5]))
    trace = Trace.of(original, nodes(), clusters)
    assert trace.clusters_of(original, nodes()) is clusters
    with pytest.raises(InputError, match="of another release"):
        trace.clusters_of(original, other)


def test_term_chunks_that_changed_places_make_it_another_release() -> None:
    original = shoal.read(map(set, ["ax", "a", "a", "by", "b", "b"]))
    own, other = (disassociated([(3, [["a"] * 3], one), (3, [["b"] * 3], two)], k=2) for one, two in ("xy", "yx"))
    trace = Trace.of(original, own, Clusters(np.arange(6), np.array([0, 3, 6])))
    with pytest.raises(InputError, match="of another release"):
        trace.clusters_of(original, other)


@pytest.mark.parametrize(("rows", "bounds"), [([0, 1, 2, 3, 3], [0, 5]), ([0, 1, 2, 3, 5], [0, 5]), ([0, 1], [0, 2])])
def test_clusters_that_cannot_be_are_refused(rows: list[int], bounds: list[int]) -> None:
    original = shoal.read(map(set, ["ab", "ab", "ab", "ac", "ad"]))
    trace = Trace.of(original, nodes(), Clusters(np.array(rows), np.array(bounds)))
    with pytest.raises(InputError, match="the trace is damaged"):
        trace.clusters_of(original, nodes())


def test_a_trace_is_for_its_owner_alone_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    release, clusters = publish_and_trace(BASKETS, 4, 2)
    trace, place = Trace.of(BASKETS, release, clusters), tmp_path / "trace"
    trace.write(place)
    assert place.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="exists already"):
        shoal.disassociate(BASKETS, 4, 2, keep_trace=place)
    trace.write(place, force=True)
    assert place.stat().st_mode & 0o777 == 0o600
    release.write(tmp_path / "release")
    with pytest.raises(InputError, match="inside of the release"):
        trace.write(tmp_path / "release" / "trace")
    with pytest.raises(InputError, match="there is no folder"):
        shoal.disassociate(BASKETS, 4, 2, keep_trace=tmp_path / "nowhere" / "trace")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release", "trace"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "shoal release"}, "is no trace"),
        ({"version": 2}, "update Shoal"),
        ({"release": "0"}, "damaged trace"),
        ({"original": None}, "damaged trace"),
        ({"bounds": [0, 4]}, "damaged trace"),
        ({"bounds": []}, "damaged trace"),
        ({"bounds": [0, 0, 5]}, "damaged trace"),
        ({"records": [0, 1, 2, 3, -1]}, "damaged trace"),
        ({"records": [0, 1, 2, 3, True]}, "damaged trace"),
        ({"records": "01234"}, "damaged trace"),
        ({"more": 1}, "damaged trace"),
    ],
    ids=str,
)
def test_files_that_are_no_traces_are_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    original = shoal.read(map(set, ["ab", "ab", "ab", "ac", "ad"]))
    Trace.of(original, nodes(), Clusters(np.arange(5), np.array([0, 5]))).write(tmp_path / "trace")
    told = json.loads((tmp_path / "trace").read_text())
    (tmp_path / "trace").write_text(json.dumps({**told, **change}))
    with pytest.raises(InputError, match=said):
        read_trace(tmp_path / "trace", len(BASKETS))
    (tmp_path / "trace").write_text("bread milk\n")
    with pytest.raises(InputError, match="is no trace"):
        read_trace(tmp_path / "trace", len(BASKETS))


def kept(tmp_path: Path) -> tuple[Disassociated, dict[str, Any]]:
    release = shoal.disassociate(BASKETS, 4, 2, keep_trace=tmp_path / "trace")
    return release, json.loads((tmp_path / "trace").read_text())


def test_records_that_changed_places_make_a_damaged_trace(tmp_path: Path) -> None:
    release, told = kept(tmp_path)
    (tmp_path / "trace").write_text(json.dumps({**told, "records": told["records"][::-1]}))
    with pytest.raises(InputError, match="damaged trace"):
        shoal.measure(BASKETS, release, ranges=[], top=1, trace=tmp_path / "trace")


def test_a_trace_that_another_program_indented_is_read(tmp_path: Path) -> None:
    release, told = kept(tmp_path)
    (tmp_path / "trace").write_text(json.dumps(told, indent=8))
    assert shoal.measure(BASKETS, release, ranges=[], top=1, trace=tmp_path / "trace")["ANR"].value


def test_no_more_is_read_of_a_trace_than_its_original_can_need(tmp_path: Path) -> None:
    release, told = kept(tmp_path)
    (tmp_path / "trace").write_text(json.dumps({**told, "records": [0] * 10**6}))
    for file in (tmp_path / "trace", "/dev/zero"):
        with pytest.raises(InputError, match="is too large for the trace of 400 records"):
            shoal.measure(BASKETS, release, trace=file)


@pytest.mark.parametrize("raw", [b"[" * 9_000, b'{"format":"shoal trace","version":' + b"9" * 5_000 + b"}", b"\0" * 99])
def test_what_exhausts_parsers_is_no_trace(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(raw)
    with pytest.raises(InputError, match="is no trace"):
        read_trace(tmp_path / "trace", 400)


def test_a_trace_is_for_its_owner_whatever_the_umask_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("read by all")
    (tmp_path / "trace").chmod(0o666)
    release, clusters = publish_and_trace(BASKETS, 4, 2)
    before = os.umask(0)
    try:
        Trace.of(BASKETS, release, clusters).write(tmp_path / "trace", force=True)
    finally:
        os.umask(before)
    assert (tmp_path / "trace").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]
