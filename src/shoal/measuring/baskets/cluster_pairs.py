"""Pairs of items that stay together in the chunks of their cluster: ANR and ARE, per cluster and pooled.

X. Liu, X. Feng, Y. Zhu: Transactional Data Anonymization for Privacy and Information Preservation via Disassociation
and Local Suppression, Symmetry 14(3), 2022, section 6.3, equations 2 and 3. Both look at a cluster's original records
and at its record chunks; shared chunks are not in that paper, and do not count. Minimal problematic items, which are in
fewer than k records of the cluster, are left out.

Points that the paper leaves open, and our reading:

* A pair counts if some record of the cluster holds it; a chunk has it if some subrecord does. No pair is in two chunks
  of a cluster, because their items are disjoint.
* The top p percent of n pairs are the ceil(p n / 100) most frequent ones of that cluster, and all pairs as frequent as
  the last of them, so that the order does not matter. The number of these additional pairs is reported.
* A cluster without any pair (0/0) has neither ratio nor error: the mean is over the other clusters; these are counted.

A release does not say which records its clusters were made from: the publisher must provide that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Int64
from shoal.data.clusters import Clusters
from shoal.data.frozen import freeze
from shoal.kernels.compiling import announced
from shoal.measuring.baskets.against_original import Compared
from shoal.measuring.metric import Direction, Metric, share
from shoal.run import Run

TOP_PERCENTS = (10, 20, 30)
NOT_TRACED = (
    "it was not saved which record went to which cluster: publish with --keep-trace FILE, and measure with --trace "
    "FILE (in Python keep_trace= and trace=)"
)

_MEANINGS = {
    "ANR": "of the pairs of items in a cluster's records, each item being in k of these or more, the share that is in "
    "subrecords of its record chunks; the mean over clusters",
    "ANR-pooled": "the same share of the pairs of all clusters together",
    "ARE": "the mean over clusters of the mean over the most frequent of these pairs of (s - t) / s, where s is the "
    "number of records of the cluster with both items, and t that of subrecords of its record chunks",
    "ARE-pooled": "the same with s and t summed up over the most frequent pairs of all clusters",
}
_EDGES = {
    "ANR": "clusters without a pair (0/0) are left out of the mean; nothing: no cluster has a pair, or it is not known "
    "which records are in which cluster",
    "ARE": "all pairs as frequent as the last of a cluster's most frequent ones are included; clusters without a "
    "pair (0/0) are left out of the mean; nothing: no cluster has a pair, or it is not known which records are where",
}


@dataclass(frozen=True, eq=False)
class ClusterPairs:
    """The pairs of each cluster, by how many of its records hold them: row c of a cluster is for c + 1 records."""

    bounds: Int64
    """The start of the rows of each cluster, and the end of the last; there are as many rows as records."""
    pairs: Int64
    """The number of pairs that are together in exactly this many records of the cluster."""
    instances_kept: Int64
    """The number of subrecords of its record chunks in which these pairs are together."""
    held: Int64
    """The number of pairs of each cluster that are together in any subrecord of its record chunks."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def records(self) -> Int64:
        """The number of records that each row stands for."""
        return np.arange(1, self.bounds[-1] + 1) - np.repeat(self.bounds[:-1], np.diff(self.bounds))

    def per_cluster(self, numbers: npt.NDArray[np.number]) -> npt.NDArray[np.number]:
        """The sums of some numbers, one per row, over the rows of each cluster."""
        sums: npt.NDArray[np.number] = np.add.reduceat(numbers, self.bounds[:-1])  # no cluster is empty
        return sums


def count(compared: Compared, clusters: Clusters, run: Run) -> ClusterPairs:
    """Count the pairs of every cluster in its records and in its record chunks."""
    with announced(lambda: run.report("compile", 0, 1)):
        from shoal.kernels.cluster_pairs import count_cluster_pairs
        from shoal.kernels.rows import take_rows

        original, release = compared.original, compared.release
        offsets, items = take_rows(original.offsets, original.items, clusters.rows)
        chunk = np.flatnonzero(~release.chunk_shared)
        chunk = chunk[np.argsort(release.chunk_owner[chunk], kind="stable")]
        subrecords = np.diff(release.chunk_offsets)[chunk]
        upto = np.concatenate([[0], np.cumsum(subrecords)])
        rows = np.repeat(release.chunk_offsets[chunk] - upto[:-1], subrecords) + np.arange(upto[-1])
        kept_offsets, kept_items = take_rows(release.subrecord_offsets, compared.codes[release.items], rows)
        owners = np.append(np.flatnonzero(release.is_leaf), release.n_clusters)
        kept_bounds = upto[np.searchsorted(release.chunk_owner[chunk], owners)]
        counted = count_cluster_pairs(
            offsets,
            items,
            clusters.bounds,
            kept_offsets,
            kept_items,
            kept_bounds,
            original.n_items,
            release.promise.k,
        )
    return ClusterPairs(clusters.bounds, *counted)


def metrics(compared: Compared, clusters: Clusters | None, run: Run) -> list[Metric]:
    """ANR and ARE with details; without a value, and with the reason, if the clusters are not known."""
    if clusters is None:
        found = [_metric(name, None, reason=NOT_TRACED) for name in ("ANR", "ANR-pooled")]
        parts = [(name, _top(percent)) for name in ("ARE", "ARE-pooled") for percent in TOP_PERCENTS]
        return found + [_metric(name, None, part, reason=NOT_TRACED) for name, part in parts]
    pairs = count(compared, clusters, run)
    errors = [_relative_error(pairs, percent) for percent in TOP_PERCENTS]
    return [*_number_ratio(pairs), *(mean for mean, _ in errors), *(pooled for _, pooled in errors)]


def _number_ratio(found: ClusterPairs) -> list[Metric]:
    """Equation 2, and the same pooled."""
    every = found.per_cluster(found.pairs)
    some = every > 0
    n_clusters, n_some = len(every), int(np.count_nonzero(some))
    mean = float((found.held[some] / every[some]).mean()) if n_some else None
    kept, whole = int(found.held.sum()), int(every.sum())
    clusters = {"clusters": n_some, "clusters_without_a_pair": n_clusters - n_some}
    return [
        _metric("ANR", mean, details=clusters),
        _metric("ANR-pooled", share(kept, whole), details={"kept": kept, "of": whole}),
    ]


def _relative_error(found: ClusterPairs, percent: int) -> tuple[Metric, Metric]:
    """Equation 3 for the most frequent pairs of each cluster, and the same pooled."""
    every = found.per_cluster(found.pairs)
    wanted = -(every * percent // -100)
    # A row is included until the pairs in more records than its own are enough.
    upto = np.cumsum(found.pairs)
    more = np.repeat(upto[found.bounds[1:] - 1], np.diff(found.bounds)) - upto
    pairs = np.where(more < np.repeat(wanted, np.diff(found.bounds)), found.pairs, 0)
    kept = np.where(pairs > 0, found.instances_kept, 0)
    looked_at = found.per_cluster(pairs)
    some = looked_at > 0
    n_clusters, n_some = len(every), int(np.count_nonzero(some))
    lost = found.per_cluster(pairs - kept / found.records)
    mean = float((lost[some] / looked_at[some]).mean()) if n_some else None
    instances, instances_kept = int((pairs * found.records).sum()), int(kept.sum())
    n_pairs = int(looked_at.sum())
    part = _top(percent)
    clusters = {
        "clusters": n_some,
        "pairs": n_pairs,
        "of_these_ties_beyond_the_cut": n_pairs - int(wanted.sum()),
        "clusters_without_a_pair": n_clusters - n_some,
    }
    pooled = share(instances - instances_kept, instances)
    lost_instances = {"lost": instances - instances_kept, "of": instances}
    return _metric("ARE", mean, part, clusters), _metric("ARE-pooled", pooled, part, lost_instances)


def _top(percent: int) -> str:
    return f"top {percent} %"


def _metric(
    name: str, value: float | None, part: str = "", details: dict[str, int] | None = None, reason: str = ""
) -> Metric:
    direction: Direction = "higher is better" if name.startswith("ANR") else "lower is better"
    edges = _EDGES[name.removesuffix("-pooled")]
    return Metric(name, value, direction, (0.0, 1.0), _MEANINGS[name], edges, part, details or {}, reason)
