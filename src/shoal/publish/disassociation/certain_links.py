"""Remove certain links from chunks (``--cover-safe``).

A link is certain if every record of a cluster that may hold one item must hold another: the other is in all records
of the cluster, or in all subrecords of their chunk that hold the first (Liu, Feng, Zhu 2022, conclusions, require this
only for the whole chunk domain). Occurrences are struck out of single subrecords, and items that cannot spare one get
a chunk of their own; if Lemma 2 has no subrecord to spare, an item in all records joins the term chunk. No set of up
to m items falls below k, so the promise of the release still holds; but then the original is not among its possible
originals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Bools, Int32, Int64, UInt8
from shoal.promises import KmPromise
from shoal.publish.disassociation.chunks import Chunks, running


@dataclass(frozen=True, eq=False)
class Uncovered:
    """Chunks without certain links, and what was changed to remove the links."""

    chunks: Chunks
    struck: int
    """Occurrences that were struck out."""
    torn: int
    """Pairs of items that were split."""


def uncover(chunks: Chunks, joints: Int64, sizes: Int64, promise: KmPromise, sensitive: UInt8) -> Uncovered:
    """Remove all certain links; every cluster has more than k records, and joint cluster j joins ``joints[j]``."""
    from shoal.kernels.certain_links import APART, STAYS, STRUCK, TO_TERMS, uncover_chunks

    n_leaves, n_nodes, n_items = len(sizes), len(chunks.terms), len(sensitive)
    node = np.repeat(np.arange(n_nodes), chunks.terms)
    plain = np.bincount(node[sensitive[chunks.term_items] == 0], minlength=n_nodes)
    size = np.append(sizes, -1)[np.minimum(chunks.owner, n_leaves)]
    fates = uncover_chunks(
        running(chunks.subrecords),
        running(chunks.lengths),
        chunks.items,
        chunks.owner,
        (chunks.owner >= n_leaves).astype(np.int64),
        np.where(_has_one_item(chunks, joints)[chunks.owner], -1, size),
        _cluster_numbers(chunks, sizes, promise, plain > 0),
        n_items,
        promise.k,
        promise.m,
    )
    chunk_of_row = np.repeat(np.arange(len(chunks.owner)), chunks.subrecords)
    row = np.repeat(np.arange(len(chunk_of_row)), chunks.lengths)
    chunk = chunk_of_row[row]

    # An item's own chunk comes directly after the one that it was in.
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
    return Uncovered(uncovered, int(np.count_nonzero(fates == STRUCK)), torn)


def has_common_item(chunks: Chunks, sizes: Int64, n_items: int) -> Bools:
    """Which clusters have an item that all their records hold."""
    full = np.repeat(np.repeat(chunks.subrecords == sizes[chunks.owner], chunks.subrecords), chunks.lengths)
    chunk = np.repeat(np.repeat(np.arange(len(chunks.owner)), chunks.subrecords), chunks.lengths)
    keys, times = np.unique(chunk[full] * n_items + chunks.items[full], return_counts=True)
    owner = chunks.owner[keys // n_items]
    common = np.zeros(len(sizes), bool)
    common[owner[times == sizes[owner]]] = True
    return common


def _cluster_numbers(chunks: Chunks, sizes: Int64, promise: KmPromise, backed: Bools) -> Int64:
    """What the kernel needs for each node: the subrecords that Lemma 2 can spare, and the number of chunks."""
    from shoal.kernels.certain_links import PLENTY

    n_chunks = np.bincount(chunks.owner, minlength=len(backed))
    have = np.bincount(chunks.owner, weights=chunks.subrecords, minlength=len(backed)).astype(np.int64)
    needed = np.append(sizes, np.zeros(len(backed) - len(sizes), np.int64))
    needed += promise.k * (np.minimum(n_chunks, promise.m) - 1)
    spare = have - needed
    spare[len(sizes) :] = PLENTY
    spare[backed] = PLENTY
    return np.column_stack([spare, n_chunks]).ravel()


def _has_one_item(chunks: Chunks, joints: Int64) -> Bools:
    """Which nodes may hold a single item in all: if all their records hold it, it is linked to nothing."""
    first = running(chunks.lengths)[running(chunks.subrecords)[:-1]]
    n_nodes = len(chunks.terms)
    alone: Bools = (chunks.terms == 0) & (np.bincount(chunks.owner, minlength=n_nodes) == 1)
    if len(first):
        alike = np.minimum.reduceat(chunks.items, first) == np.maximum.reduceat(chunks.items, first)
        alone[chunks.owner[~alike]] = False
    alone[joints] = False
    return alone


def _differs(numbers: Int64) -> Bools:
    """Where a number differs from the previous one."""
    differs: Bools = np.diff(numbers, prepend=-1) != 0
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
