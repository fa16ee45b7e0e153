"""Bottom-up generalization: values are replaced by their parents, one node of a hierarchy at a time, until groups do.

K. Wang, P. Yu, S. Chakraborty: Bottom-up generalization, ICDM 2004, with the score of the paper on hidden Q-S
associations, section 4.3. Global recoding: what is generalized, is generalized in all rows.

A group is a combination of nodes with a number of rows; rows themselves are looked at only before and after.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from shoal.data.node_tree import NodeTree
from shoal.data.table import Int32, Int64

Bools = npt.NDArray[np.bool_]
Float64 = npt.NDArray[np.float64]
Progress = Callable[[str, int, int], None]

LOSSES = ("entropy", "taxonomy")


class Recoding(NamedTuple):
    """What the rows of a table become."""

    nodes: list[Int32]
    """One array a column: the node of each row."""
    suppressed: Bools
    """The rows that are not published."""


class Weights(NamedTuple):
    """How much the parts of a score count: its exponents. 0 leaves a part out."""

    anonymity: float = 1.0
    loss: float = 1.0
    associations: float = 1.0


EQUAL = Weights()


class Associations(Protocol):
    """What is known of the associations inside of groups."""

    def contribution(self, parts: Int64, merged: Int64) -> float:
        """How much merging lowers them on average, from 0 to 1: group ``parts[i]`` becomes part of ``merged[i]``."""

    def merge(self, group: Int64, n_groups: int) -> None:
        """Groups were merged: what was group ``i`` is in ``group[i]`` now."""


class Evaluation(NamedTuple):
    """From which smallest group on associations count, and what knows them then."""

    smallest: int
    start: Callable[[Int64], Associations]
    """Called once, with the group of each row."""


@dataclass
class _Column:
    """The nodes of one column that are in use, and how far they have been generalized.

    Only nodes that part values of the data matter: with a single child in use a node says no less than the child.
    """

    parent: Int32
    """For each node in use the nearest node above that parts values of the data; -1 at the top."""
    pending: Int64
    """How many of a node's children are not yet what rows hold."""
    rows: Int64
    """How many rows each node stands for."""
    children: dict[int, list[int]]

    @classmethod
    def of(cls, tree: NodeTree, nodes: Int32, sizes: Int64) -> _Column:
        rows = np.zeros(len(tree), np.int64)
        np.add.at(rows, nodes, sizes)
        held = rows > 0
        for node in range(len(tree) - 1, 0, -1):
            rows[tree.parents[node]] += rows[node]
        branches = np.bincount(tree.parents[1:][rows[1:] > 0], minlength=len(tree))
        matters = held | (branches > 1)
        parent = np.full(len(tree), -1, np.int32)
        children: dict[int, list[int]] = {}
        for node in np.flatnonzero(matters).tolist():
            above = next((other for other in tree.ancestors(node) if matters[other]), -1)
            parent[node] = above
            if above >= 0:
                children.setdefault(above, []).append(node)
        pending = np.zeros(len(tree), np.int64)
        for above, below in children.items():
            pending[above] = sum(child in children for child in below)
        return cls(parent, pending, rows, children)

    def candidates(self) -> Iterator[int]:
        """The nodes whose children are all held by rows."""
        return (node for node in self.children if not self.pending[node])

    def loss(self, node: int, kind: str) -> float:
        """What is lost when a node takes the place of its children."""
        below = self.rows[self.children[node]]
        if kind == "taxonomy":
            return float(len(below) - 1)
        return float(-(below * np.log2(below / self.rows[node])).sum())

    def apply(self, node: int) -> list[int]:
        """Let a node take the place of its children, which are returned."""
        if self.parent[node] >= 0:
            self.pending[self.parent[node]] -= 1
        return self.children.pop(node)


def generalize(
    values: Sequence[Int32],
    trees: Sequence[NodeTree],
    k: int,
    *,
    allowance: int = 0,
    loss: str = "entropy",
    weights: Weights = EQUAL,
    evaluation: Evaluation | None = None,
    take_back: bool = True,
    progress: Progress | None = None,
) -> Recoding:
    """Generalize until every group has k rows, but for groups of no more rows in all than may be suppressed.

    Each step takes the candidate (a node whose children are all in use) with the greatest score
    ``A^a (1 + Con)^c / DL^d``: A the growth of the smallest group, DL the loss, Con how much merging lowers the
    associations of the merged groups, once these are evaluated. While no candidate makes the smallest group grow, A is
    left out; once one does, the others are no candidates. The smallest group is that of the groups which would remain
    if as many rows as allowed were suppressed, smallest groups first.

    Args:
        values: one array a column: the node of each row.
        trees: the tree of each column.
        k: the least number of rows of a group; no more than there are rows.
        allowance: how many rows may be suppressed; fewer than there are rows.
        loss: ``entropy``: how much the column's entropy falls, in bits over all rows; ``taxonomy``: how many different
            nodes fewer there are.
        weights: the exponents a, d and c.
        evaluation: when associations count, and how.
        take_back: at the end undo, the last first, steps that those after them made needless.
        progress: called with (stage, done, total): the smallest group, up to k.
    """
    group, tuples, sizes = _distinct(values, trees)
    columns = [_Column.of(tree, nodes, sizes) for tree, nodes in zip(trees, tuples, strict=True)]
    # Which of the present groups each combination of values is in.
    place = np.arange(len(sizes))
    nodes = [column.copy() for column in tuples]
    associations: Associations | None = None
    steps: list[tuple[int, int, list[int]]] = []
    while (smallest := _smallest(sizes, allowance)) < k:
        if progress is not None:
            progress("generalize", min(smallest, k), k)
        if evaluation is not None and associations is None and smallest >= evaluation.smallest:
            associations = evaluation.start(place[group])
        at, node = _best(columns, nodes, sizes, smallest, allowance, loss, weights, associations, trees)
        below = columns[at].apply(node)
        steps.append((at, node, below))
        nodes[at][np.isin(nodes[at], below)] = node
        merged, firsts = renumbered(nodes, trees)
        if len(firsts) < len(sizes):
            sizes = np.bincount(merged, sizes, len(firsts)).astype(np.int64)
            nodes = [column[firsts] for column in nodes]
            place = merged[place]
            if associations is not None:
                associations.merge(merged, len(sizes))
    if progress is not None:
        progress("generalize", k, k)
    nodes = [column[place] for column in nodes]
    if take_back:
        nodes = _taken_back(steps, tuples, nodes, trees, np.bincount(group), k, allowance)
    final, firsts = renumbered(nodes, trees)
    small = np.bincount(final, np.bincount(group), len(firsts)) < k
    return Recoding([column[group] for column in nodes], small[final][group])


def _taken_back(
    steps: Sequence[tuple[int, int, list[int]]],
    tuples: Sequence[Int32],
    nodes: Sequence[Int32],
    trees: Sequence[NodeTree],
    sizes: Int64,
    k: int,
    allowance: int,
) -> list[Int32]:
    """The last steps first, undo those that later ones made needless."""
    found = list(nodes)
    for at, node, below in reversed(steps):
        held = found[at] == node
        if not held.any():
            continue  # what is above it stands
        tree = trees[at]
        finer = found[at].copy()
        for child in below:
            finer[held & (tuples[at] >= child) & (tuples[at] < tree.ends[child])] = child
        trial = [*found[:at], finer, *found[at + 1 :]]
        numbers, firsts = renumbered(trial, trees)
        if _smallest(np.bincount(numbers, sizes, len(firsts)).astype(np.int64), allowance) >= k:
            found = trial
    return found


def _best(
    columns: Sequence[_Column],
    nodes: Sequence[Int32],
    sizes: Int64,
    smallest: int,
    allowance: int,
    loss: str,
    weights: Weights,
    associations: Associations | None,
    trees: Sequence[NodeTree],
) -> tuple[int, int]:
    """The candidate with the greatest score, as its column and node; of equal ones the first."""

    @cache
    def rest(at: int) -> Int64:
        """Groups that differ in one column only, as one number."""
        others = [*nodes[:at], *nodes[at + 1 :]]
        if not others:
            return np.zeros(len(sizes), np.int64)
        return renumbered(others, [*trees[:at], *trees[at + 1 :]])[0]

    small = np.where(sizes <= smallest, sizes, 0)
    in_small = int(small.sum())
    growing: list[tuple[int, int, int]] = []
    still: list[tuple[int, int, int]] = []
    for at, column in enumerate(columns):
        held = np.bincount(nodes[at], small, len(trees[at]))
        for node in column.candidates():
            growth = 0
            # Groups that stay as they are, and small, keep the smallest where it is: no need to merge the others.
            if in_small - held[column.children[node]].sum() <= allowance:
                touched = np.isin(nodes[at], column.children[node])
                merged = np.bincount(rest(at)[touched], sizes[touched]).astype(np.int64)
                growth = _smallest(np.concatenate([sizes[~touched], merged[merged > 0]]), allowance) - smallest
            (growing if growth > 0 else still).append((at, node, growth))
    best, greatest = (-1, -1), -math.inf
    for at, node, growth in growing or still:
        score = weights.anonymity * math.log(max(growth, 1)) - weights.loss * math.log(columns[at].loss(node, loss))
        if associations is not None and weights.associations:
            parts = np.flatnonzero(np.isin(nodes[at], columns[at].children[node]))
            score += weights.associations * math.log1p(associations.contribution(parts, rest(at)[parts]))
        if score > greatest:
            best, greatest = (at, node), score
    return best


def _smallest(sizes: Int64, allowance: int) -> int:
    """The smallest group, once as many rows as allowed are gone, smallest groups first."""
    if not allowance:
        return int(sizes.min())
    ordered = np.sort(sizes)
    return int(ordered[np.searchsorted(np.cumsum(ordered), allowance, side="right")])


def _distinct(values: Sequence[Int32], trees: Sequence[NodeTree]) -> tuple[Int64, list[Int32], Int64]:
    """For each row its combination of values, the combinations, and how many rows have each."""
    group, firsts = renumbered(values, trees)
    return group, [column[firsts] for column in values], np.bincount(group, minlength=len(firsts)).astype(np.int64)


def renumbered(columns: Sequence[Int32], trees: Sequence[NodeTree]) -> tuple[Int64, Int64]:
    """Equal combinations as one number, in the order of the nodes, and where each is found first."""
    keys = np.zeros(len(columns[0]), np.int64)
    span = 1
    for column, tree in zip(columns, trees, strict=True):
        if span * len(tree) >= 2**63:
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
        keys = keys * len(tree) + column
        span *= len(tree)
    _, firsts, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return numbers.astype(np.int64), firsts
