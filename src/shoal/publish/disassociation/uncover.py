"""Chunks from which no certain link follows (the cover problem; ``--cover-safe``).

Form (a): an item in all records of a cluster is linked with certainty to each item of its term chunk. Form (b) (Liu,
Feng, Zhu 2022, conclusions): an item of a chunk each of whose subrecords equals the whole domain gives that domain
away. Occurrences are struck out of single subrecords, and items that cannot spare one get a chunk of their own; where
only sensitive items stand in the term chunk, an item in all records may have to join them. No itemset falls below k
that way, so that the promise of the release stays; but the original is then not among its possible originals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.transactions import Int32, Int64
from shoal.promises import KmPromise
from shoal.publish.disassociation.chunks import Chunks, running


def uncover(
    chunks: Chunks, sizes: Int64, promise: KmPromise, sensitive: npt.NDArray[np.uint8]
) -> tuple[Chunks, int, int]:
    """Undo both forms of cover; every cluster has more than k records.

    Returns:
        The chunks, how many occurrences were struck out, and how many pairs of items were torn apart.
    """
    from shoal.kernels.uncover import APART, BACKED, SHARED, STAYS, STRUCK, TO_TERMS, UNBACKED, uncover_chunks

    n_leaves, n_nodes, n_items = len(sizes), len(chunks.terms), len(sensitive)
    node = np.repeat(np.arange(n_nodes), chunks.terms)
    plain = np.bincount(node[sensitive[chunks.term_items] == 0], minlength=n_nodes)
    size = np.append(sizes, -1)[np.minimum(chunks.owner, n_leaves)]
    fates = uncover_chunks(
        running(chunks.subrecords),
        running(chunks.lengths),
        chunks.items,
        np.where(chunks.terms[chunks.owner] > 0, size, -1),
        np.where(chunks.owner >= n_leaves, SHARED, np.where(plain[chunks.owner] > 0, BACKED, UNBACKED)),
        n_items,
        promise.k,
    )
    chunk_of_row = np.repeat(np.arange(len(chunks.owner)), chunks.subrecords)
    row = np.repeat(np.arange(len(chunk_of_row)), chunks.lengths)
    chunk = chunk_of_row[row]

    # An item's own chunk comes right after the one that it was in.
    left = np.flatnonzero((fates == STAYS) | (fates == APART))
    new_chunk = chunk[left] * (n_items + 1) + np.where(fates[left] == APART, chunks.items[left] + 1, 0)
    by_chunk = np.argsort(new_chunk, kind="stable")
    left, new_chunk = left[by_chunk], new_chunk[by_chunk]
    row_starts = np.flatnonzero(_differs(new_chunk) | _differs(row[left]))
    chunk_starts = np.flatnonzero(_differs(new_chunk[row_starts]))
    owner = chunks.owner[new_chunk[row_starts][chunk_starts] // (n_items + 1)]
    subrecords = np.diff(chunk_starts, append=len(row_starts)).astype(np.int32)
    lengths, items = _in_order(subrecords, np.diff(row_starts, append=len(left)), chunks.items[left])

    terms = chunks.owner[chunk] * n_items + chunks.items
    keys = np.concatenate([node * n_items + chunks.term_items, np.unique(terms[fates == TO_TERMS])])
    keys.sort()
    uncovered = Chunks(
        owner,
        subrecords,
        lengths,
        items,
        np.bincount(keys // n_items, minlength=n_nodes).astype(np.int32),
        (keys % n_items).astype(np.int32),
    )
    return uncovered, int(np.count_nonzero(fates == STRUCK)), _pairs(chunks.lengths) - _pairs(lengths)


def _differs(numbers: Int64) -> npt.NDArray[np.bool_]:
    """Where a number differs from the one before."""
    differs: npt.NDArray[np.bool_] = np.diff(numbers, prepend=-1) != 0
    return differs


def _in_order(subrecords: Int32, lengths: Int64, items: Int32) -> tuple[Int32, Int32]:
    """The subrecords of each chunk in lexicographic order."""
    from shoal.kernels.rows import sorted_rows, take_rows

    number = np.repeat(np.arange(len(subrecords), dtype=np.int32), subrecords)
    offsets = running(lengths)
    order = sorted_rows(running(lengths + 1), np.insert(items, offsets[:-1], number))
    return lengths[order].astype(np.int32), take_rows(offsets, items, order)[1]


def _pairs(lengths: npt.NDArray[Any]) -> int:
    """How many pairs of items the subrecords of these lengths hold."""
    return int((lengths.astype(np.int64) * (lengths - 1)).sum()) // 2
