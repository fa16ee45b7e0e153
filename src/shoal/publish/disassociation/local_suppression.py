"""Local suppression: suppress single occurrences of items so that more items share a chunk (Liu, Feng, Zhu 2022, DLS).

X. Liu, X. Feng, Y. Zhu: Transactional Data Anonymization for Privacy and Information Preservation via Disassociation
and Local Suppression, Symmetry 14(3), 2022, section 5. Occurrences are removed from the records before these are split
into chunks, so no later stage can bring them back.

Deviations from the paper (``docs/papers.md`` has the counterexamples):

* The suppressed records are published; algorithm 2 projects the original ones.
* Whether an item may be suppressed is decided from all sets that would lose records; algorithm 4 leaves some out.
* The other chunks are made by the greedy vertical partitioning, with Lemma 2; algorithm 5 enumerates all itemsets and
  does not prune supersets. Items of the first chunk come first.
* If the search would take too long, it is cut short, which is counted: items then go to other chunks, unsuppressed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Bools, Int32, UInt8
from shoal.promises import KmPromise
from shoal.publish.disassociation.chunks import running
from shoal.publish.disassociation.horizontal import Clustering
from shoal.publish.disassociation.vertical import BATCH, Later, partition_clusters
from shoal.run import Run

Vertical = Literal["greedy", "dls", "best"]


@dataclass(frozen=True, eq=False)
class Suppression:
    """What is struck out of the records of clusters, and what this means for splitting them."""

    struck: Bools
    """Whether each occurrence of an item in a record is struck out."""
    later: Later
    """The items that do not fit into the first chunk of their cluster."""
    cut_short: int
    """In how many clusters the search was cut short."""

    def applied_to(self, clustering: Clustering) -> Clustering:
        """The same clusters without what is struck out."""
        kept = ~self.struck
        return replace(clustering, offsets=running(kept)[clustering.offsets], items=clustering.items[kept])

    def only_in(self, chosen: Bools, clustering: Clustering) -> Suppression:
        """The same, but the other clusters stay unchanged."""
        of_row = np.zeros(len(clustering.offsets) - 1, bool)
        of_row[clustering.rows] = np.repeat(chosen, np.diff(clustering.bounds))
        return replace(
            self, struck=self.struck & np.repeat(of_row, np.diff(clustering.offsets)), later=self.later.only_in(chosen)
        )


def suppress(clustering: Clustering, promise: KmPromise, *, sensitive: UInt8, run: Run) -> Suppression:
    """Strike occurrences out of the records of every cluster until the items of its first chunk fit together."""
    from shoal.kernels.local_suppression import ASIDE, STRUCK, suppress_clusters

    n_clusters, n_items = len(clustering.bounds) - 1, len(sensitive)
    fates = np.zeros(len(clustering.items), np.uint8)

    def search(first: int) -> int:
        bounds = clustering.bounds[first : first + BATCH + 1]
        records = clustering.offsets, clustering.items, clustering.rows, bounds
        return suppress_clusters(*records, n_items, sensitive, promise.k, promise.m, fates)

    cut_short = 0
    for done, cut in enumerate(run.map(search, range(0, n_clusters, BATCH)), start=1):
        cut_short += int(cut)  # a NumPy number where kernels are not compiled
        run.report("suppress", min(done * BATCH, n_clusters), n_clusters)
    aside = np.flatnonzero(fates == ASIDE)
    cluster_of = np.empty(len(clustering.offsets) - 1, np.int64)
    cluster_of[clustering.rows] = np.repeat(np.arange(n_clusters), np.diff(clustering.bounds))
    record = np.searchsorted(clustering.offsets, aside, side="right") - 1
    keys = np.unique(cluster_of[record] * n_items + clustering.items[aside])
    counts = np.bincount(keys // n_items, minlength=n_clusters)
    return Suppression(fates == STRUCK, Later(running(counts), (keys % n_items).astype(np.int32)), cut_short)


def suppress_where_it_pays(
    clustering: Clustering,
    promise: KmPromise,
    *,
    sensitive: UInt8,
    rank: Int32 | None,
    run: Run,
) -> Suppression:
    """The same, only in clusters in which more pairs of items then stay together."""
    options: dict[str, Any] = {"sensitive": sensitive, "run": run}
    tried = suppress(clustering, promise, **options)
    options["rank"] = rank
    whole = partition_clusters(clustering, promise, **options)
    fewer = partition_clusters(tried.applied_to(clustering), promise, later=tried.later, **options)
    n_clusters = len(clustering.bounds) - 1
    return tried.only_in(fewer.pairs(n_clusters) > whole.pairs(n_clusters), clustering)
