"""Tuples of nodes as a tree of prefixes: one binary search per column finds them, for any number of columns.

With many columns, the number of a whole tuple would not fit a machine word; that of a prefix and a node does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.audit.trees import depths
from shoal.data.arrays import Int64
from shoal.data.node_tree import NodeTree


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """Level ``j`` lists ``prefix * sizes[j] + node`` in ascending order; the place of an entry is the next prefix.

    Example:
        >>> tree, place = plant(np.array([0, 0, 1]), [np.array([2, 1, 1]), np.array([0, 0, 3])], [3, 4])
        >>> place.tolist(), tree.down(0, np.array([0, 1]), np.array([1, 2])).tolist()
        ([1, 0, 2], [0, -1])
    """

    levels: tuple[Int64, ...]
    sizes: tuple[int, ...]

    def down(self, level: int, prefix: Int64, node: Int64) -> Int64:
        """The prefixes that are longer by a node; -1 if there is none."""
        keys = self.levels[level]
        if not len(keys):
            return np.full(len(prefix), -1)
        wanted = prefix * self.sizes[level] + node
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((keys[place] == wanted) & (prefix >= 0) & (node < self.sizes[level]), place, -1)

    def find(self, start: Int64, nodes: Int64) -> Int64:
        """The places of whole tuples, given as rows; -1 for those that are not in the tree."""
        place = start
        for level in range(len(self.levels)):
            place = self.down(level, place, nodes[:, level])
        return place


def plant(start: Int64, columns: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int]) -> tuple[PrefixTree, Int64]:
    """The tree of some rows below the prefixes they start from, and the place of each row; places ascend as rows do."""
    place, levels = start.astype(np.int64), []
    for column, size in zip(columns, sizes, strict=True):
        keys, inverse = np.unique(place * size + column, return_inverse=True)
        levels.append(keys)
        place = inverse.reshape(-1).astype(np.int64)
    return PrefixTree(tuple(levels), tuple(sizes)), place


@dataclass(frozen=True, eq=False)
class Upwards:
    """For each node, itself and its ancestors up to the root: ``nodes[offsets[i]:offsets[i + 1]]``."""

    offsets: Int64
    nodes: Int64


def upwards(tree: NodeTree) -> Upwards:
    """List the nodes at and above each node."""
    lengths = depths(tree) + 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    nodes = np.zeros(int(offsets[-1]), np.int64)
    left, at = np.arange(len(tree)), np.arange(len(tree))
    step = 0
    while len(left):
        nodes[offsets[left] + step] = at
        at = tree.parents[at].astype(np.int64)
        left, at = left[at >= 0], at[at >= 0]
        step += 1
    return Upwards(offsets, nodes)
