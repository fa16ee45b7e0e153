"""The canonical order of a release, computed only from what is published.

Deviation from the paper (section 3): everything is published in a sorted order instead of a random one, so the order
leaks nothing. Simple clusters come first, then joint clusters by their height, each followed by the nodes below it;
otherwise equal clusters are ordered by what is published of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.promises import KmPromise, LDiversity, NoCertainLinks
from shoal.publish.disassociation.chunks import Chunks, running
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped

Ragged = tuple[Int64, Int32]


def in_canonical_order(
    sizes: Int64,
    children: Int64,
    chunks: Chunks,
    vocabulary: pa.Array,
    promise: KmPromise,
    *,
    diversity: LDiversity | None = None,
    links: NoCertainLinks | None = None,
    dropped: Dropped,
) -> tuple[Disassociated, Int64]:
    """Sort clusters and joint clusters, and return the number of each cluster.

    Args:
        sizes: the records of each cluster.
        children: the two nodes that each joint cluster holds, one row a joint, below its own number.
        chunks: what is published of the clusters, then of the joints.
        vocabulary: the names of the items.
        promise: what is promised.
        diversity: what is promised of sensitive items.
        links: what is promised of certain links.
        dropped: what was left out.
    """
    from shoal.kernels.rows import take_rows

    n_leaves, n_nodes = len(sizes), len(sizes) + len(children)
    chunks_upto = np.searchsorted(chunks.owner, np.arange(n_nodes + 1)).astype(np.int64)
    subrecords_upto = running(chunks.subrecords)[chunks_upto]
    items: Ragged = (running(chunks.lengths)[subrecords_upto], chunks.items)
    lengths: Ragged = (subrecords_upto, chunks.lengths)
    subrecords: Ragged = (chunks_upto, chunks.subrecords)
    terms: Ragged = (running(chunks.terms), chunks.term_items)

    # Equal nodes have equal keys, lower nodes lower ones: a key represents everything that is published of a subtree.
    keys = np.empty(n_nodes, np.int64)
    below = np.ones(n_nodes, np.int64)
    # Parts are compared in this order. Term chunks differ most, and early.
    of_leaves = [(offsets[: n_leaves + 1], numbers) for offsets, numbers in (terms, items, lengths, subrecords)]
    keys[:n_leaves] = _ranks([*of_leaves, _columns(sizes)])
    children = children.copy()
    levels = _levels(n_leaves, children)
    ranked = n_leaves
    for joints in levels:
        pairs = children[joints - n_leaves]
        pairs = np.take_along_axis(pairs, np.argsort(keys[pairs], axis=1, kind="stable"), axis=1)
        children[joints - n_leaves] = pairs
        below[joints] += below[pairs].sum(axis=1)
        of_joints = [take_rows(*part, joints) for part in (items, lengths, subrecords)]
        keys[joints] = ranked + _ranks([_columns(keys[pairs]), *of_joints])
        ranked += len(joints)

    parent = np.full(n_nodes, -1, np.int64)
    parent[children] = np.arange(n_leaves, n_nodes)[:, None]
    number = _number(parent, children, keys, below, levels, n_leaves)
    order = np.argsort(number)
    term_offsets, term_items = take_rows(*terms, order)
    release = Disassociated(
        promise=promise,
        vocabulary=vocabulary,
        cluster_size=_all_sizes(sizes, children, levels)[order],
        cluster_parent=np.where(parent < 0, -1, number[parent])[order],
        chunk_owner=np.repeat(np.arange(n_nodes), np.diff(chunks_upto)[order]),
        chunk_shared=np.repeat(order >= n_leaves, np.diff(chunks_upto)[order]),
        chunk_offsets=running(take_rows(*subrecords, order)[1]),
        subrecord_offsets=running(take_rows(*lengths, order)[1]),
        items=take_rows(*items, order)[1],
        term_offsets=term_offsets,
        term_items=term_items,
        diversity=diversity,
        links=links,
        dropped=dropped,
    )
    return release, number[:n_leaves]


def _levels(n_leaves: int, children: Int64) -> list[Int64]:
    """The joints by height, the lowest first."""
    height = np.zeros(n_leaves + len(children), np.int64)
    while len(children) and (height[n_leaves:] != (higher := height[children].max(axis=1) + 1)).any():
        height[n_leaves:] = higher
    return [np.flatnonzero(height == level) for level in range(1, int(height.max(initial=0)) + 1)]


def _columns(numbers: npt.NDArray[Any]) -> Ragged:
    """A table of numbers (or one column of them) as a ragged array."""
    width = numbers.size // max(len(numbers), 1)
    return np.arange(len(numbers) + 1) * width, numbers.astype(np.int32).ravel()


def _ranks(parts: list[Ragged]) -> Int64:
    """The ranks of nodes by their parts, compared in order; equal nodes have equal ranks."""
    from shoal.kernels.rows import lay_rows, row_ranks, sorted_rows

    # A node's signature is all of its parts, and then their lengths: equal signatures mean equal nodes.
    widths = np.stack([np.diff(offsets) for offsets, _ in parts], axis=1).astype(np.int32)
    starts = running(widths.sum(axis=1, dtype=np.int64) + len(parts))
    signatures = np.empty(starts[-1], np.int32)
    at = starts[:-1].copy()
    for offsets, numbers in [*parts, _columns(widths)]:
        lay_rows(signatures, at, offsets, numbers)
    return row_ranks(starts, signatures, sorted_rows(starts, signatures))


def _number(parent: Int64, children: Int64, keys: Int64, below: Int64, levels: list[Int64], n_leaves: int) -> Int64:
    """Number the roots by their keys, and the nodes below each root directly after it."""
    number = np.empty(len(parent), np.int64)
    roots = np.flatnonzero(parent < 0)
    roots = roots[np.argsort(keys[roots], kind="stable")]
    number[roots] = running(below[roots])[:-1]
    for joints in reversed(levels):
        first, second = children[joints - n_leaves].T
        number[first] = number[joints] + 1
        number[second] = number[first] + below[first]
    return number


def _all_sizes(sizes: Int64, children: Int64, levels: list[Int64]) -> Int64:
    """The records of each cluster, then of each joint."""
    every = np.concatenate([sizes, np.zeros(len(children), np.int64)])
    for joints in levels:
        every[joints] = every[children[joints - len(sizes)]].sum(axis=1)
    return every
