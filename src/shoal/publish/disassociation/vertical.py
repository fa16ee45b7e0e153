"""Vertical partitioning: clusters into chunks, and the release in its canonical order (VLDB 2012, sections 3 to 5).

Deviations from the paper: Lemma 2 counts non-empty subrecords; a cluster without record chunks needs a term chunk; in a
cluster that names a sensitive item, sensitive items do not count as term chunk. Instead of a random order, everything is
published in one canonical order computed from what is published, so that there is no order left to leak.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.transactions import Int32, Int64
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


def _offsets(lengths: Int64) -> Int64:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _in_canonical_order(release: Disassociated) -> Disassociated:
    """The same simple clusters, ordered by what is published of them."""
    from shoal.kernels.rows import sorted_rows

    n = release.n_clusters
    chunks_upto = np.searchsorted(release.chunk_owner, np.arange(n + 1))
    subrecords_upto = release.chunk_offsets[chunks_upto]
    order = sorted_rows(*_signatures(release, chunks_upto, subrecords_upto))
    chunks = _ranges(chunks_upto, order)
    subrecords = _ranges(subrecords_upto, order)
    return Disassociated(
        promise=release.promise,
        vocabulary=release.vocabulary,
        cluster_size=release.cluster_size[order],
        cluster_parent=release.cluster_parent,
        chunk_owner=np.repeat(np.arange(n), np.diff(chunks_upto)[order]),
        chunk_shared=release.chunk_shared,
        chunk_offsets=_offsets(np.diff(release.chunk_offsets)[chunks]),
        subrecord_offsets=_offsets(np.diff(release.subrecord_offsets)[subrecords]),
        items=release.items[_ranges(release.subrecord_offsets[subrecords_upto], order)],
        term_offsets=_offsets(np.diff(release.term_offsets)[order]),
        term_items=release.term_items[_ranges(release.term_offsets, order)],
        diversity=release.diversity,
        dropped=release.dropped,
    )


def _signatures(release: Disassociated, chunks_upto: Int64, subrecords_upto: Int64) -> tuple[Int64, Int32]:
    """Everything that is published of a cluster as one row of numbers, the items of its chunks first."""
    parts = [
        (release.subrecord_offsets[subrecords_upto], release.items),
        (release.term_offsets, release.term_items),
        (subrecords_upto, np.diff(release.subrecord_offsets)),
        (chunks_upto, np.diff(release.chunk_offsets)),
        (np.arange(release.n_clusters + 1), release.cluster_size),
    ]
    # The lengths come last: clusters sort by their items, yet two rows are equal only when all their parts are.
    lengths = [np.diff(offsets) for offsets, _ in parts]
    starts = _offsets(sum(lengths) + len(parts))
    values = np.empty(starts[-1], np.int32)
    at = starts[:-1].copy()
    for (offsets, numbers), length in zip(parts, lengths, strict=True):
        values[np.arange(len(numbers)) + np.repeat(at - offsets[:-1], length)] = numbers
        at += length
    for length in lengths:
        values[at] = length
        at += 1
    return starts, values


def _ranges(offsets: Int64, order: Int64) -> Int64:
    """The positions offsets[p]:offsets[p + 1] for every p of ``order``, one after the other."""
    lengths = np.diff(offsets)[order]
    starts = _offsets(lengths)
    return np.arange(starts[-1]) + np.repeat(offsets[order] - starts[:-1], lengths)
