"""Vertical partitioning: split clusters into record chunks and a term chunk (VLDB 2012, sections 3 to 5, VERPART).

Deviations from the paper: Lemma 2 counts non-empty subrecords; a cluster without record chunks needs a term chunk; in
a cluster that names a sensitive item, sensitive items do not count as the term chunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Bools, Int32, Int64, UInt8
from shoal.promises import KmPromise
from shoal.publish.disassociation.chunks import Chunks, running
from shoal.publish.disassociation.horizontal import Clustering
from shoal.run import Run

# Clusters in one call of the kernel: enough for a small overhead, few enough to interrupt between two calls and to give
# each thread its share.
BATCH = 4096


@dataclass(frozen=True, eq=False)
class Later:
    """Items of clusters that are put into chunks after all others, the more frequent first."""

    offsets: Int64
    """Where those of each cluster start, and where the last end."""
    items: Int32

    def only_in(self, chosen: Bools) -> Later:
        """The same for some clusters only."""
        counts = np.diff(self.offsets)
        return Later(running(counts * chosen), self.items[np.repeat(chosen, counts)])


def partition_clusters(
    clustering: Clustering,
    promise: KmPromise,
    *,
    sensitive: UInt8,
    run: Run,
    rank: Int32 | None = None,
    later: Later | None = None,
) -> Chunks:
    """Split the items of every cluster into chunks that keep the promise.

    Items are put into chunks by ``rank``, the more frequent first; ``later``: the items that come last in each cluster.
    """
    from shoal.kernels import vertical

    n_clusters = len(clustering.bounds) - 1
    ranks = np.zeros(len(sensitive), np.int32) if rank is None else rank
    last = later or Later(np.zeros(n_clusters + 1, np.int64), np.empty(0, np.int32))

    def partition(first: int) -> tuple[npt.NDArray[Any], ...]:
        bounds = clustering.bounds[first : first + BATCH + 1]
        owner, *rest = vertical.partition_clusters(
            clustering.offsets,
            clustering.items,
            clustering.rows,
            bounds,
            len(sensitive),
            sensitive,
            ranks,
            last.offsets[first : first + BATCH + 1],
            last.items,
            False,
            promise.k,
            promise.m,
        )
        return owner + first, *rest

    batches = []
    for batch in run.map(partition, range(0, n_clusters, BATCH)):
        batches.append(batch)
        run.report("partition clusters", min(len(batches) * BATCH, n_clusters), n_clusters)
    return Chunks.concatenate(batches)
