"""A hierarchy of items for DiffPart: the heights of nodes, how many splits can follow, and their children."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.node_tree import NodeTree


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """The data of a hierarchy that splitting needs, for each node."""

    tree: NodeTree
    heights: Int64
    """How far each node is above the lowest one below it; items have 0."""
    inner: Int64
    """How many inner nodes are at or below each node: at most so many splits can follow."""
    first_child: Int64
    """Where the children of each node begin in ``children``, and where the last ones end."""
    children: Int32
    """Node after node, items before inner nodes: so sets of items alone have the lowest numbers."""
    bits: Int32
    """The place of each node among its parent's children."""
    n_items: Int64
    """How many children of each node are items."""

    @classmethod
    def of(cls, tree: NodeTree) -> Taxonomy:
        """Compute all arrays from a tree."""
        heights, inner = np.zeros(len(tree), np.int64), (~tree.is_bottom).astype(np.int64)
        for node in range(len(tree) - 1, 0, -1):
            above = tree.parents[node]
            heights[above] = max(heights[above], heights[node] + 1)
            inner[above] += inner[node]
        below = np.arange(1, len(tree))
        children = below[np.lexsort((below, inner[1:] > 0, tree.parents[1:]))].astype(np.int32)
        number = np.bincount(tree.parents[1:], minlength=len(tree))
        first_child = np.concatenate([[0], np.cumsum(number)]).astype(np.int64)
        bits = np.zeros(len(tree), np.int32)
        bits[children] = np.arange(len(children)) - first_child[tree.parents[children]]
        n_items = np.bincount(tree.parents[1:], weights=inner[1:] == 0, minlength=len(tree)).astype(np.int64)
        return cls(tree, heights, inner, first_child, children, bits, n_items)

    @property
    def n_children(self) -> Int64:
        """How many children each node has."""
        return np.diff(self.first_child)
