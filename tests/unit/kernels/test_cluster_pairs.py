"""Pairs of items inside clusters, against counting them one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.cluster_pairs import count_cluster_pairs
from tests.making.disassociated_releases import offsets
from tests.oracles import cluster_pairs as oracle

rows = st.frozensets(st.integers(0, 5), max_size=6)
clusters = st.lists(st.tuples(st.lists(rows, min_size=1, max_size=8), st.lists(rows, max_size=6)), max_size=4)


def flat(parts: list[list[Any]]) -> tuple[Any, Any, Any]:
    """Rows of all clusters as a ragged array, and where each cluster's start."""
    every = [sorted(row) for part in parts for row in part]
    items = np.array([item for row in every for item in row], np.int32)
    return offsets(map(len, every)), items, offsets(map(len, parts))


@given(clusters, st.integers(1, 3))
def test_pairs_are_counted_by_the_records_that_hold_them(found: list[tuple[Any, Any]], k: int) -> None:
    records, kept = [part for part, _ in found], [part for _, part in found]
    pairs, instances, held = count_cluster_pairs(*flat(records), *flat(kept), 6, k)
    at = 0
    for number, (own, left) in enumerate(found):
        whole, inside = oracle.original_pairs(own, k), oracle.pairs(left)
        by_count: Counter[int] = Counter(whole.values())
        assert pairs[at : at + len(own)].tolist() == [by_count[count + 1] for count in range(len(own))]
        kept_of = [sum(inside[pair] for pair in whole if whole[pair] == count + 1) for count in range(len(own))]
        assert instances[at : at + len(own)].tolist() == kept_of
        assert held[number] == sum(inside[pair] > 0 for pair in whole)
        at += len(own)
    assert at == len(pairs)
