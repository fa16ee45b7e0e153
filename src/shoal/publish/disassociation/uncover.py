"""Chunks from which no certain link follows (the cover problem; ``--cover-safe``).

Form (a): an item in all records of a cluster is linked with certainty to each item of its term chunk. Form (b) (Liu,
Feng, Zhu 2022, conclusions): an item of a chunk each of whose subrecords equals the whole domain gives that domain
away. Occurrences are struck out of single subrecords, and items that cannot spare one get a chunk of their own; where
only sensitive items stand in the term chunk, an item in all records may have to join them. No itemset falls below k
that way, so that the promise of the release stays; but the original is then not among its possible originals.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.transactions import Int64
from shoal.promises import KmAnonymity
from shoal.publish.disassociation.chunks import Chunks


def uncover(
    chunks: Chunks, sizes: Int64, promise: KmAnonymity, sensitive: npt.NDArray[np.uint8]
) -> tuple[Chunks, int, int]:
    """Undo both forms of cover; every cluster has more than k records.

    Returns:
        The chunks, how many occurrences were struck out, and how many pairs of items were torn apart.
    """
    from shoal.kernels.uncover import BACKED, SHARED, UNBACKED, uncover_chunks

    n_leaves, n_nodes = len(sizes), len(chunks.terms)
    node = np.repeat(np.arange(n_nodes), chunks.terms)
    plain = np.bincount(node[sensitive[chunks.term_items] == 0], minlength=n_nodes)
    shared = chunks.owner >= n_leaves
    size = np.append(sizes, -1)[np.minimum(chunks.owner, n_leaves)]
    owner, subrecords, lengths, items, moved_from, moved_item, cost = uncover_chunks(
        chunks.owner,
        chunks.subrecords,
        chunks.lengths,
        chunks.items,
        np.where(chunks.terms[chunks.owner] > 0, size, -1),
        np.where(shared, SHARED, np.where(plain[chunks.owner] > 0, BACKED, UNBACKED)),
        len(sensitive),
        promise.k,
    )
    keys = np.concatenate([node, moved_from]) * len(sensitive) + np.concatenate([chunks.term_items, moved_item])
    keys.sort()
    terms = np.bincount(keys // len(sensitive), minlength=n_nodes).astype(np.int32)
    term_items = (keys % len(sensitive)).astype(np.int32)
    return Chunks(owner, subrecords, lengths, items, terms, term_items), int(cost[0]), int(cost[1])
