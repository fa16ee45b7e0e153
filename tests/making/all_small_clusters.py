"""All small clusters, thousands of them published in one run.

Each group of clusters has items of its own, so that what comes out of a group is what would come out of it alone.
"""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pyarrow as pa

from shoal.promises import KmAnonymity
from shoal.publish.disassociation import Promised, publish_clusters
from shoal.publish.disassociation.horizontal import Clustering
from shoal.release.manifest import Dropped
from shoal.run import DEFAULT_RUN
from tests.making.disassociated_releases import offsets


def small_clusters(n_items, least, most):
    """Every bag of ``least`` to ``most`` non-empty records over so many items."""
    records = [items for size in range(1, n_items + 1) for items in combinations(range(n_items), size)]
    return [bag for size in range(least, most + 1) for bag in combinations_with_replacement(records, size)]


def publish_groups(groups, n_items, k, m, *, links=None, **options):
    """Publish the clusters of every group, with items of its own, in one run."""
    items = [group * n_items + item for group, bags in enumerate(groups) for bag in bags for row in bag for item in row]
    lengths = [len(row) for bags in groups for bag in bags for row in bag]
    sizes = [len(bag) for bags in groups for bag in bags]
    names = [f"{group:06}{letter}" for group in range(len(groups)) for letter in "abcd"[:n_items]]
    release, _ = publish_clusters(
        Clustering(offsets(lengths), np.array(items, np.int32), np.arange(len(lengths)), offsets(sizes)),
        pa.array(names),
        Promised(KmAnonymity(k, m), links=links),
        sensitive=np.zeros(len(names), np.uint8),
        dropped=Dropped(),
        refine_rounds=10,
        run=DEFAULT_RUN,
        **options,
    )
    return release
