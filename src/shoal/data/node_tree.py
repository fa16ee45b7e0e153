"""A hierarchy as a tree of nodes with unique labels, for the cells of a generalized table.

A :class:`~shoal.data.hierarchy.Hierarchy` has levels, and a label may occur at several of them. Cells are written as
labels, so here nodes that cover the same values are one node, and no two nodes share a label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Column
from shoal.errors import InputError
from shoal.quoting import named, shown

_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, eq=False)
class NodeTree:
    """Nodes in depth-first order from the root: a parent comes before its children, and a subtree is contiguous.

    Example:
        >>> work = Hierarchy.from_rows([("State", "Gov", "*"), ("Federal", "Gov", "*"), ("Own", "Own", "*")])
        >>> tree = NodeTree.from_hierarchy(work)
        >>> tree.labels, tree.parents.tolist(), tree.leaves.tolist(), tree.ends.tolist()
        (('*', 'Gov', 'Federal', 'State', 'Own'), [-1, 0, 1, 1, 0], [3, 2, 1, 1, 1], [5, 4, 3, 4, 5])
    """

    labels: tuple[str, ...]
    """The labels, all different; the root comes first."""
    parents: Int32
    """The parent of each node; -1 for the root."""
    leaves: Int64
    """How many values of the hierarchy each node covers, whether or not they are in this tree as nodes."""

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def from_hierarchy(cls, hierarchy: Hierarchy) -> NodeTree:
        """The nodes of a hierarchy; nodes that cover the same values are one, with the name of the lowest.

        The root keeps its name, and is a separate node if the hierarchy has a single value.

        Raises:
            InputError: a label has different values at two levels.
        """
        levels = hierarchy.codes[::-1]
        paths: dict[tuple[str, ...], tuple[int, ...]] = {}
        names = [hierarchy.labels[hierarchy.height - at] for at in range(len(levels))]
        sizes = [hierarchy.leaf_counts(hierarchy.height - at) for at in range(len(levels))]
        for leaf in range(hierarchy.n_leaves):
            path: list[str] = []
            counts: list[int] = []
            for at, codes in enumerate(levels):
                code = codes[leaf]
                if path and at < hierarchy.height and names[at][code] == path[0]:
                    continue  # a row that was padded with the root: the nodes below it are directly below the root
                if len(counts) > 1 and counts[-1] == sizes[at][code]:
                    path.pop(), counts.pop()  # the lower of two that cover the same values
                elif counts and counts[-1] == sizes[at][code] and at < hierarchy.height:
                    continue  # the root stays the root
                path.append(names[at][code])
                counts.append(int(sizes[at][code]))
            paths[tuple(path)] = tuple(counts)
        nodes: dict[tuple[str, ...], int] = {}
        below: dict[tuple[str, ...], int] = {}
        # Paths share most of their labels: each label is processed once.
        rank = {label: at for at, label in enumerate(sorted({label for path in paths for label in path}, key=_natural))}
        for whole in sorted(paths, key=lambda path: [rank[label] for label in path]):
            for length in range(1, len(whole) + 1):
                nodes.setdefault(whole[:length], paths[whole][length - 1])
                below[whole[:length]] = below.get(whole[:length], 0) + 1
        place_of = {node: place for place, node in enumerate(nodes)}
        labels = tuple(node[-1] for node in nodes)
        # Two nodes of one label below one node, of different levels, look like one that has the values of both.
        twice = next((node[-1] for node, size in nodes.items() if below[node] != size), None)
        if twice is None and len(set(labels)) < len(labels):
            twice = next(label for place, label in enumerate(labels) if label in labels[:place])
        if twice is not None:
            raise InputError(
                f"hierarchy {named(hierarchy.name)}: the label {shown(twice)} occurs at two places with different "
                "values: give one of them another name"
            )
        parents = np.array([place_of[node[:-1]] if len(node) > 1 else -1 for node in nodes], np.int32)
        return cls(labels, parents, np.array(list(nodes.values()), np.int64))

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"NodeTree({len(self):,} nodes below {self.labels[0]!r})"

    @cached_property
    def ends(self) -> Int32:
        """The nodes at or below node ``i`` are the nodes ``i`` to ``ends[i] - 1``."""
        ends = np.arange(1, len(self) + 1, dtype=np.int32)
        for node in range(len(self) - 1, 0, -1):
            parent = self.parents[node]
            ends[parent] = max(ends[parent], ends[node])
        return ends

    @cached_property
    def depths(self) -> Int32:
        """How many nodes are above each node."""
        depths = np.zeros(len(self), np.int32)
        for node in range(1, len(self)):
            depths[node] = depths[self.parents[node]] + 1
        return depths

    @property
    def is_bottom(self) -> Bools:
        """Whether a node has no nodes below it in this tree."""
        bottom: Bools = self.ends == np.arange(1, len(self) + 1)
        return bottom

    @cached_property
    def at_or_above(self) -> Bools:
        """``at_or_above[a, b]``: node ``b`` is node ``a`` or below it."""
        places = np.arange(len(self))
        within: Bools = (places[:, None] <= places[None, :]) & (places[None, :] < self.ends[:, None])
        return within

    def ancestors(self, node: int) -> Iterator[int]:
        """The nodes above a node, from its parent to the root."""
        while (node := int(self.parents[node])) >= 0:
            yield node

    def places(self, column: Column, hierarchy: Hierarchy) -> Int32:
        """The node of each value of a column, by the hierarchy from which this tree was made.

        Raises:
            InputError: a value has no place.
        """
        known = {label: place for place, label in enumerate(self.labels)}
        leaves = hierarchy.leaves
        return np.array([known[leaves[place]] for place in hierarchy.places(column)], np.int32)

    def leaves_of(self, values: Iterable[str], hierarchy: Hierarchy) -> Int32:
        """The node of each given value, by the hierarchy from which this tree was made.

        Raises:
            InputError: values have no place; lists all of them.
        """
        known = {label: place for place, label in enumerate(self.labels)}
        return np.array([known[hierarchy.leaves[place]] for place in hierarchy.places(values)], np.int32)

    def cut(self, used: Bools) -> tuple[NodeTree, Int32]:
        """The part of the tree at and above the nodes in use, and the place of each node there (-1: removed)."""
        kept = np.array(used, bool)
        kept[0] = True
        for node in range(len(self) - 1, 0, -1):
            if kept[node]:
                kept[self.parents[node]] = True
        place = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        parents = np.where(self.parents[kept] < 0, -1, place[self.parents[kept]]).astype(np.int32)
        labels = tuple(label for label, keep in zip(self.labels, kept.tolist(), strict=True) if keep)
        return NodeTree(labels, parents, self.leaves[kept]), place


def _natural(label: str) -> tuple[list[tuple[int, int | Decimal, str]], str]:
    """A sort key for labels in which 9 comes before 10; labels that differ only in leading zeros stay distinct."""
    parts = [part for part in _DIGITS.split(label) if part]
    # Not int(), which takes 4,300 digits at most.
    return [(0, Decimal(part), "") if part.isdecimal() else (1, 0, part) for part in parts], label
