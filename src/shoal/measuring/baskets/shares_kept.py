"""Metrics of every release: the share of records, items, occurrences and pairs that is kept; and tlost.

tlost: Terrovitis, Mamoulis, Liagouris, Skiadopoulos, VLDB 2012, section 7: how many of the terms with a support of more
than k were placed in term chunks. An item may be in the term chunk of one cluster and in the record chunk of another;
here it counts as lost if it is in no record chunk and no shared chunk at all.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Bools, Int64
from shoal.measuring.baskets.against_original import Compared
from shoal.measuring.metric import Metric, share


def items_lost(compared: Compared) -> Metric:
    """Tlost: frequent items for which no chunk shows how often they occur."""
    k = compared.release.promise.k
    frequent = compared.original.supports > k
    gone = frequent & ~_in_chunks(compared)
    n, n_gone = int(np.count_nonzero(frequent)), int(np.count_nonzero(gone))
    return Metric(
        "tlost",
        share(n_gone, n),
        "lower is better",
        (0.0, 1.0),
        "the share of the items in more than k records of the original that are in no record chunk and no shared chunk",
        "nothing: no item is in more than k records",
        details={"items_in_more_than_k_records": n, "lost": n_gone},
    )


def kept(compared: Compared) -> list[Metric]:
    """The records, items, occurrences and pairs that the release keeps, and what it says was dropped."""
    original, release, dropped = compared.original, compared.release, compared.release.dropped
    named = int(np.count_nonzero(compared.codes >= 0))
    in_chunks = int(np.count_nonzero(_in_chunks(compared)))
    all_pairs, pairs = _pairs(original.lengths), _pairs(np.diff(release.subrecord_offsets))
    return [
        _kept(
            "records kept",
            release.n_records,
            len(original),
            "the share of the original's records that the release is about",
            {"emptied_records_dropped": dropped.emptied_records},
        ),
        _kept(
            "items kept",
            named,
            original.n_items,
            "the share of the original's items that the release names",
            {"rare_items_dropped": dropped.rare_items},
        ),
        _kept(
            "items in chunks",
            in_chunks,
            original.n_items,
            "the share of the original's items that are in a record or shared chunk; the others are in term chunks "
            "only, or were dropped",
            {"only_in_term_chunks": named - in_chunks},
        ),
        _kept(
            "occurrences kept",
            len(release.items),
            len(original.items),
            "the share of the occurrences of items in records that are in chunks; those in term chunks are not counted",
            {
                "sensitive_occurrences_dropped": dropped.sensitive_instances,
                "linking_occurrences_dropped": dropped.linking_instances,
                "suppressed_occurrences_dropped": dropped.suppressed_instances,
            },
        ),
        _kept(
            "pairs kept",
            *_distinct_pairs(compared),
            "the share of the different pairs of items that are together in a record of the original that are together "
            "in a subrecord",
            {},
        ),
        _kept(
            "pair instances kept",
            pairs,
            all_pairs,
            "the share of the pairs of items in the original's records that are pairs in subrecords, each counted as "
            "often as it occurs",
            {"linking_pairs_dropped": dropped.linking_pairs},
        ),
    ]


def _kept(name: str, part: int, whole: int, meaning: str, more: dict[str, int]) -> Metric:
    details = {"kept": part, "of": whole, **more}
    edges = "nothing: the original has none of these"
    return Metric(name, share(part, whole), "higher is better", (0.0, 1.0), meaning, edges, details=details)


def _in_chunks(compared: Compared) -> Bools:
    """Which items of the original are in a record or shared chunk."""
    found = np.zeros(compared.original.n_items, bool)
    found[compared.codes[compared.release.items]] = True
    return found


def _distinct_pairs(compared: Compared) -> tuple[int, int]:
    """How many pairs of items that are in some record of the original are in some subrecord, and their number."""
    from shoal.kernels.cluster_pairs import count_cluster_pairs

    original, chunks = compared.original, compared.chunks()
    every, every_kept = np.array([0, len(original)]), np.array([0, len(chunks)])  # as one cluster
    data = original.offsets, original.items, every, chunks.offsets, chunks.items, every_kept
    pairs, _, held = count_cluster_pairs(*data, original.n_items, 1)
    return int(held[0]), int(pairs.sum())


def _pairs(lengths: Int64) -> int:
    """The number of pairs of items in records of these lengths."""
    return int((lengths * (lengths - 1) // 2).sum())
