"""Chunks from which no certain link follows (the cover problem; ``--cover-safe``).

Form (a): an item in all records of a cluster is linked with certainty to each item of its term chunk. Form (b) (Liu,
Feng, Zhu 2022, conclusions): an item of a chunk each of whose subrecords equals the whole domain gives that domain
away. Occurrences are struck out of single subrecords, and items that cannot spare one get a chunk of their own; where
only sensitive items stand in the term chunk, an item in all records may have to join them. No itemset falls below k
that way, so that the promise of the release stays; but the original is then not among its possible originals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.transactions import Int32, Int64
from shoal.promises import KmPromise
from shoal.publish.disassociation.chunks import Chunks, running


@dataclass(frozen=True, eq=False)
class Uncovered:
    """Chunks without certain links, and what that took."""

    chunks: Chunks
    struck: int
    """Occurrences that were struck out."""
    torn: int
    """Pairs of items that were torn apart."""
    clashing: Int64
    """Items that had to join a term chunk, below a joint cluster that shares them: both cannot be."""


def uncover(
    chunks: Chunks, joints: Int64, sizes: Int64, promise: KmPromise, sensitive: npt.NDArray[np.uint8]
) -> Uncovered:
    """Undo both forms of cover; every cluster has more than k records, and joint cluster j joins ``joints[j]``."""
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
    moved = np.unique(terms[fates == TO_TERMS])
    keys = np.concatenate([node * n_items + chunks.term_items, moved])
    keys.sort()
    uncovered = Chunks(
        owner,
        subrecords,
        lengths,
        items,
        np.bincount(keys // n_items, minlength=n_nodes).astype(np.int32),
        (keys % n_items).astype(np.int32),
    )
    torn = _pairs(chunks.lengths) - _pairs(lengths)
    clashing = _shared_above(moved // n_items, moved % n_items, uncovered, joints, n_leaves, n_items)
    return Uncovered(uncovered, int(np.count_nonzero(fates == STRUCK)), torn, clashing)


def _shared_above(nodes: Int64, items: Int64, chunks: Chunks, joints: Int64, n_leaves: int, n_items: int) -> Int64:
    """Those of some items that a shared chunk of a joint cluster above their node holds."""
    owners = np.repeat(np.repeat(chunks.owner, chunks.subrecords), chunks.lengths)
    shared = np.unique((owners * n_items + chunks.items)[owners >= n_leaves])
    parents = np.full(n_leaves + len(joints), -1, np.int64)
    parents[joints] = n_leaves + np.arange(len(joints))[:, None]
    found = np.zeros(len(items), bool)
    above = parents[nodes]
    while (above >= 0).any():
        found |= (above >= 0) & np.isin(above * n_items + items, shared)
        above = np.where(above >= 0, parents[above], -1)
    return np.unique(items[found])


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
