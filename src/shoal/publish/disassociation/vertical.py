"""Vertical partitioning: clusters into chunks, and the release in its canonical order (VLDB 2012, sections 3 to 5).

Deviations from the paper: Lemma 2 counts non-empty subrecords; a cluster without record chunks needs a term chunk; in
a cluster that names a sensitive item, sensitive items do not count as term chunk. Instead of a random order, everything
is published in one canonical order computed from what is published, so that there is no order left to leak.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.transactions import Int64
from shoal.promises import KmAnonymity, LDiversity
from shoal.publish.disassociation.horizontal import Clustering
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped

# Clusters a call of the kernel: large enough that calls do not count, small enough to be interrupted between two.
BATCH = 8192

Progress = Callable[[str, int, int], None]


def partition_clusters(
    clustering: Clustering,
    vocabulary: pa.Array,
    promise: KmAnonymity,
    *,
    sensitive: npt.NDArray[np.uint8],
    diversity: LDiversity | None,
    dropped: Dropped,
    progress: Progress,
) -> Disassociated:
    """Split the items of every cluster into chunks that keep the promise."""
    from shoal.kernels import vertical

    n_clusters = len(clustering.bounds) - 1
    batches = []
    for first in range(0, n_clusters, BATCH):
        last = min(first + BATCH, n_clusters)
        batches.append(
            vertical.partition_clusters(
                clustering.offsets,
                clustering.items,
                clustering.rows,
                clustering.bounds[first : last + 1],
                len(vocabulary),
                sensitive,
                promise.k,
                promise.m,
            )
        )
        batches[-1][0][:] += first
        progress("partition clusters", last, n_clusters)
    owner, subrecords, lengths, items, terms, term_items = (np.concatenate(part) for part in zip(*batches, strict=True))
    return _in_canonical_order(
        Disassociated(
            promise=promise,
            vocabulary=vocabulary,
            cluster_size=np.diff(clustering.bounds),
            cluster_parent=np.full(n_clusters, -1, np.int64),
            chunk_owner=owner,
            chunk_shared=np.zeros(len(owner), bool),
            chunk_offsets=_offsets(subrecords),
            subrecord_offsets=_offsets(lengths),
            items=items,
            term_offsets=_offsets(terms),
            term_items=term_items,
            diversity=diversity,
            dropped=dropped,
        )
    )


def _offsets(lengths: npt.NDArray[Any]) -> Int64:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _in_canonical_order(release: Disassociated) -> Disassociated:
    """The same simple clusters, ordered by what is published of them."""
    from shoal.kernels.rows import lay_rows, sorted_rows, take_rows

    n = release.n_clusters
    chunks_upto = np.searchsorted(release.chunk_owner, np.arange(n + 1)).astype(np.int64)
    subrecords_upto = release.chunk_offsets[chunks_upto]
    # Everything that is published of a cluster, as rows of numbers: what is compared first comes first. Term chunks
    # differ most, and early.
    items = (release.subrecord_offsets[subrecords_upto], release.items)
    terms = (release.term_offsets, release.term_items)
    lengths = (subrecords_upto, np.diff(release.subrecord_offsets).astype(np.int32))
    subrecords = (chunks_upto, np.diff(release.chunk_offsets).astype(np.int32))
    sizes = (np.arange(n + 1), release.cluster_size.astype(np.int32))
    parts = [terms, items, lengths, subrecords, sizes]

    # A cluster's signature is all of them, and then their lengths: equal signatures, equal clusters.
    widths = np.stack([np.diff(offsets) for offsets, _ in parts], axis=1).astype(np.int32)
    starts = _offsets(widths.sum(axis=1, dtype=np.int64) + len(parts))
    signatures = np.empty(starts[-1], np.int32)
    at = starts[:-1].copy()
    for offsets, numbers in [*parts, (np.arange(n + 1) * len(parts), widths.ravel())]:
        lay_rows(signatures, at, offsets, numbers)
    order = sorted_rows(starts, signatures)
    del signatures

    term_offsets, term_items = take_rows(*terms, order)
    return Disassociated(
        promise=release.promise,
        vocabulary=release.vocabulary,
        cluster_size=release.cluster_size[order],
        cluster_parent=release.cluster_parent,
        chunk_owner=np.repeat(np.arange(n), np.diff(chunks_upto)[order]),
        chunk_shared=release.chunk_shared,
        chunk_offsets=_offsets(take_rows(*subrecords, order)[1]),
        subrecord_offsets=_offsets(take_rows(*lengths, order)[1]),
        items=take_rows(*items, order)[1],
        term_offsets=term_offsets,
        term_items=term_items,
        diversity=release.diversity,
        dropped=release.dropped,
    )
