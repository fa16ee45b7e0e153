"""A release of half a million records is audited in a moment; the bounds leave room for a busy machine."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from shoal.audit.disassociated import audit
from shoal.promises import KmAnonymity
from shoal.release.disassociated import Disassociated
from tests.making.disassociated_releases import offsets

CLUSTERS, SIZE, ITEMS, DOMAIN = 17_186, 30, 1_657, 6


@pytest.fixture(scope="module")
def release() -> Disassociated:
    """Three chunks a cluster; in each, 16-30 subrecords hold all of its six items or all but one of them."""
    random = np.random.default_rng(7)
    n_chunks = 3 * CLUSTERS
    rows = random.integers(16, SIZE + 1, n_chunks)
    chunk = np.repeat(np.arange(n_chunks), rows)
    # In lexicographic order: the last item is missing, none is, the last but one is, ..., the first is.
    order = np.array([DOMAIN - 1, DOMAIN, *range(DOMAIN - 2, -1, -1)])
    kind = random.integers(0, DOMAIN + 1, len(chunk))
    starts = np.cumsum(rows) - rows
    kind[np.concatenate([starts, starts + 1])] = 1  # so that every itemset occurs twice, and many just so
    missing = order[kind[np.lexsort((kind, chunk))]]
    present = np.arange(DOMAIN) != missing[:, None]
    third = ITEMS // 3
    base = random.integers(0, third - DOMAIN, n_chunks) + np.arange(n_chunks) % 3 * third
    items = (base[chunk][:, None] + np.arange(DOMAIN))[present]
    return Disassociated(
        promise=KmAnonymity(2, 2),
        vocabulary=pa.array([f"item {number:04}" for number in range(ITEMS)]),
        cluster_size=np.full(CLUSTERS, SIZE),
        cluster_parent=np.full(CLUSTERS, -1),
        chunk_owner=np.arange(n_chunks) // 3,
        chunk_shared=np.zeros(n_chunks, bool),
        chunk_offsets=offsets(rows),
        subrecord_offsets=offsets(present.sum(1)),
        items=items.astype(np.int32),
        term_offsets=np.arange(CLUSTERS + 1),
        term_items=np.full(CLUSTERS, ITEMS - 1, np.int32),
    )


@pytest.mark.parametrize(("m", "seconds"), [(2, 3.0), (3, 4.0), (4, 5.0)])
def test_half_a_million_records(release: Disassociated, m: int, seconds: float) -> None:
    release = replace(release, promise=KmAnonymity(2, m))
    start = time.process_time()
    verdict = audit(release)
    assert time.process_time() - start < seconds
    assert verdict.holds, str(verdict)


def test_in_little_memory(release: Disassociated) -> None:
    """Beyond the release: some 60 bytes for each item of a subrecord at most, here 6.2 million of them."""
    tracemalloc.start()
    try:
        audit(release)
        assert tracemalloc.get_traced_memory()[1] < 160e6
    finally:
        tracemalloc.stop()
