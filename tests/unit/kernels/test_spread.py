"""Sensitive items spread over clusters: shares are kept, nothing is lost that could have moved."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.spread import spread_items
from tests.making.disassociated_releases import offsets


def spread(clusters, share, reach=16, alike=None):
    """Clusters of lists of sensitive items (0..4) after spreading, and which occurrences were struck out."""
    rows = [row for cluster in clusters for row in cluster]
    start = offsets(map(len, rows))
    items = np.array([item for row in rows for item in row], np.int32)
    order = np.arange(len(rows))
    bounds = offsets(map(len, clusters))
    flags = np.ones(len(rows), np.uint8) if alike is None else np.array(alike, np.uint8)
    struck = spread_items(start, items, 5, order, bounds, flags, share, reach)
    kept = [[items[j] for j in range(start[r], start[r + 1]) if not struck[j]] for r in range(len(rows))]
    after = [order[low:high].tolist() for low, high in pairwise(bounds)]
    return after, kept, int(struck.sum()), rows


row = st.lists(st.integers(0, 4), unique=True, max_size=3).map(sorted)
clusters = st.lists(st.lists(row, min_size=2, max_size=8), min_size=1, max_size=6)


@given(clusters, st.integers(2, 4), st.integers(0, 3))
def test_no_item_exceeds_its_share_of_any_cluster(given_clusters, share, reach):
    after, kept, struck, rows = spread(given_clusters, share, reach)
    assert [len(c) for c in after] == [len(c) for c in given_clusters]
    assert sorted(r for c in after for r in c) == list(range(len(rows)))
    for cluster in after:
        counts = Counter(item for r in cluster for item in kept[r])
        assert all(count * share <= len(cluster) for count in counts.values())
    assert struck == sum(map(len, rows)) - sum(map(len, kept))


@given(clusters, st.integers(2, 4))
def test_clusters_that_keep_the_share_already_are_left_alone(given_clusters, share):
    counts = [Counter(item for r in cluster for item in r) for cluster in given_clusters]
    if all(n * share <= len(c) for c, found in zip(given_clusters, counts, strict=True) for n in found.values()):
        after, _, struck, rows = spread(given_clusters, share)
        assert struck == 0
        assert [r for c in after for r in c] == list(range(len(rows)))


def test_records_change_places_rather_than_lose_an_item():
    after, kept, struck, _ = spread([[[0], [0], [], []], [[], [], [], []]], 4)
    assert struck == 0
    assert [sum(map(len, (kept[r] for r in cluster))) for cluster in after] == [1, 1]


def test_only_records_that_are_alike_change_places():
    alike = [1, 1, 1, 1, 0, 0, 0, 0]
    _, _, struck, _ = spread([[[0], [0], [], []], [[], [], [], []]], 4, alike=alike)
    assert struck == 1


def test_what_has_nothing_else_to_say_is_struck_out_last():
    _, kept, struck, _ = spread([[[0], [0], [], []]], 4, alike=[0, 1, 1, 1])
    assert struck == 1
    assert kept[0] == [0]
    assert kept[1] == []
