"""Whatever the arrays hold, the audit ends soon, in little memory, and never says 'holds' without having looked."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.disassociated import audit
from shoal.audit.verdict import Verdict
from shoal.promises import KmAnonymity
from shoal.release.disassociated import Disassociated
from tests.making.disassociated_releases import disassociated, offsets


def one_chunk(rows: list[np.ndarray], k: int, m: int, n_items: int, size: int) -> Disassociated:
    return Disassociated(
        promise=KmAnonymity(k, m),
        vocabulary=pa.array([f"i{number:06}" for number in range(n_items)]),
        cluster_size=np.array([size]),
        cluster_parent=np.array([-1]),
        chunk_owner=np.array([0]),
        chunk_shared=np.array([False]),
        chunk_offsets=np.array([0, len(rows)]),
        subrecord_offsets=offsets(len(row) for row in rows),
        items=np.concatenate(rows).astype(np.int32),
        term_offsets=np.array([0, 0]),
        term_items=np.zeros(0, np.int32),
    )


def bounded(release: Disassociated, seconds: float, megabytes: float) -> Verdict:
    """Audit within bounds of processor time and of memory beyond the release itself."""
    tracemalloc.start()
    start = time.process_time()
    try:
        verdict = audit(release)
        assert time.process_time() - start < seconds
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()
    return verdict


def test_one_subrecord_of_ten_thousand_items() -> None:
    verdict = bounded(one_chunk([np.arange(10_000)], 2, 4, 10_000, 2), 2, 100)
    assert "occurs in 1 record" in (verdict["record chunks"].witness or "")


def test_long_subrecords_that_would_take_for_ever_are_refused() -> None:
    """Each misses its own hundred of 10,000 items; every four items occur often enough, and there are 4e14 sets."""
    rows = [np.setdiff1d(np.arange(10_000), np.arange(100 * step, 100 * step + 100)) for step in range(100)]
    held = bounded(one_chunk(rows, 96, 4, 10_000, 100), 40, 120)
    # Items missing from the same subrecords are one item, so that this one is decided after all.
    assert held["record chunks"].holds
    random = np.random.default_rng(5)
    rows = [np.sort(random.choice(10_000, 9_900, replace=False)) for _ in range(100)]
    refused = bounded(one_chunk(rows, 70, 4, 10_000, 100), 40, 150)["record chunks"]
    assert not refused.holds
    assert "not checked: chunk 0 has 100 different subrecords, the longest with 9,900 items; with m = 4 that" in (
        refused.witness or ""
    )


@pytest.mark.parametrize("m", [1, 2, 1000])
def test_a_million_chunks_of_one_subrecord(m: int) -> None:
    count = 1_000_000
    release = Disassociated(
        promise=KmAnonymity(2, m),
        vocabulary=pa.array(["a", "b", "z"]),
        cluster_size=np.full(count, 2),
        cluster_parent=np.full(count, -1),
        chunk_owner=np.arange(count),
        chunk_shared=np.zeros(count, bool),
        chunk_offsets=np.arange(count + 1),
        subrecord_offsets=np.arange(count + 1) * 2,
        items=np.tile(np.array([0, 1], np.int32), count),
        term_offsets=np.arange(count + 1),
        term_items=np.full(count, 2, np.int32),
    )
    verdict = bounded(release, 6, 400)
    assert [check.name for check in verdict.failures] == ["record chunks"]


@pytest.mark.parametrize(("k", "m"), [(2, 1000), (2, 10**12), (10**12, 2), (10**12, 10**12)])
def test_huge_numbers(k: int, m: int) -> None:
    release = disassociated([(6, [["abcd", "abc", "abd", "ab", "cd", "abcd"], ["e"] * 5], "")], k, m)
    verdict = bounded(release, 2, 50)
    assert verdict["cluster size"].holds == (k == 2)
    assert verdict["record chunks"].holds == (k == 2)
    assert verdict["Lemma 2"].holds == (k == 2)


def test_long_subrecords_with_huge_m() -> None:
    random = np.random.default_rng(1)
    rows = [np.flatnonzero(random.random(400) < 0.9) for _ in range(60)]
    verdict = bounded(one_chunk(rows, 2, 1000, 400, 60), 40, 100)
    assert not verdict["record chunks"].holds


def test_a_deep_chain_of_joints() -> None:
    depth = 100_000
    count = 2 * depth + 1  # joint, leaf, joint, leaf, ..., one leaf more
    parent = np.empty(count, np.int64)
    parent[0::2] = np.arange(-2, count - 2, 2)
    parent[0] = -1
    parent[1::2] = np.arange(0, count - 1, 2)
    size = np.full(count, 2, np.int64)
    size[0:-1:2] = 2 * np.arange(depth + 1, 1, -1)
    release = Disassociated(
        promise=KmAnonymity(2, 2),
        vocabulary=pa.array(["a", "z"]),
        cluster_size=size,
        cluster_parent=parent,
        chunk_owner=np.arange(0, count - 1, 2),
        chunk_shared=np.ones(depth, bool),
        chunk_offsets=np.arange(depth + 1) * 2,
        subrecord_offsets=np.arange(2 * depth + 1),
        items=np.zeros(2 * depth, np.int32),
        term_offsets=offsets(np.append(np.tile([0, 1], depth), 1)),
        term_items=np.ones(depth + 1, np.int32),
    )
    verdict = bounded(release, 4, 150)
    assert verdict.holds, str(verdict)
    assert verdict["shared chunks over T^r"].checked == depth - 1
    wrong = size.copy()
    wrong[depth] += 1
    found = audit(replace(release, cluster_size=wrong))["joint clusters"]
    assert not found.holds
    ring = parent.copy()
    ring[0] = count - 3
    assert "cycle" in (audit(replace(release, cluster_parent=ring))["joint clusters"].witness or "")


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_arbitrary_arrays_get_a_verdict(data: st.DataObject) -> None:
    """Only what the loader makes sure of: offsets that fit and numbers in range."""
    n_items, n_clusters = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    n_chunks = data.draw(st.integers(0, 4))

    def lengths(count: int, most: int) -> np.ndarray:
        return offsets(data.draw(st.lists(st.integers(0, most), min_size=count, max_size=count)))

    def codes(count: int, low: int, high: int) -> list[int]:
        return data.draw(st.lists(st.integers(low, high), min_size=count, max_size=count))

    chunk_offsets = lengths(n_chunks, 4)
    subrecord_offsets = lengths(int(chunk_offsets[-1]), 3)
    term_offsets = lengths(n_clusters, 3)
    release = Disassociated(
        promise=KmAnonymity(data.draw(st.integers(2, 3)), data.draw(st.integers(1, 3))),
        vocabulary=pa.array(list("abcd")[:n_items]),
        cluster_size=np.array(codes(n_clusters, -(2**63), 2**63 - 1), np.int64)
        if data.draw(st.booleans())
        else np.array(codes(n_clusters, 1, 6), np.int64),
        cluster_parent=np.array(codes(n_clusters, -1, n_clusters - 1), np.int64),
        chunk_owner=np.array(codes(n_chunks, -1, n_clusters - 1), np.int64),
        chunk_shared=np.array(codes(n_chunks, 0, 1), bool),
        chunk_offsets=chunk_offsets,
        subrecord_offsets=subrecord_offsets,
        items=np.array(codes(int(subrecord_offsets[-1]), 0, n_items - 1), np.int32),
        term_offsets=term_offsets,
        term_items=np.array(codes(int(term_offsets[-1]), 0, n_items - 1), np.int32),
    )
    verdict = audit(release)
    str(verdict)
    verdict.as_dict()


def test_an_empty_release() -> None:
    nothing = disassociated([])
    assert not audit(nothing).holds
