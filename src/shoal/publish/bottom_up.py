"""Bottom-up generalization: replace values by their parents, one node at a time, until all groups are large enough.

K. Wang, P. Yu, S. Chakraborty: Bottom-up generalization, ICDM 2004, with the score of the paper on hidden Q-S
associations, section 4.3. The recoding is global: a generalized value is generalized in all rows.

A group is a combination of nodes with a number of rows; single rows are read only before and after.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.node_tree import NodeTree
from shoal.publish.recoding import Recoding, renumbered
from shoal.run import DEFAULT_RUN, Run

LOSSES = ("entropy", "taxonomy", "ncp")
# Groups that are remembered for a candidate because they would stay small.
_WITNESSES = 64


class Weights(NamedTuple):
    """The weights of the parts of a score, as exponents. 0 leaves a part out."""

    anonymity: float = 1.0
    loss: float = 1.0
    associations: float = 1.0


EQUAL = Weights()


class Associations(Protocol):
    """The associations within groups."""

    def contribution(self, parts: Int64, merged: Int64) -> float:
        """How much merging lowers them on average, from 0 to 1: group ``parts[i]`` becomes part of ``merged[i]``."""

    def regroup(self, group: Int64) -> None:
        """Update after groups were merged: these are the new groups of all rows."""


class Evaluation(NamedTuple):
    """From which size of the smallest group on associations count, and how they are evaluated."""

    smallest: int
    start: Callable[[Int64], Associations]
    """Called once, with the group of each row."""


@dataclass
class _Column:
    """The nodes of one column that are in use, and how far they have been generalized.

    Only nodes that separate values of the data matter: a node with a single child in use says as much as the child.
    """

    parent: Int32
    """For each node in use the nearest node above that separates values of the data; -1 at the top."""
    pending: Int64
    """How many of a node's children rows do not hold yet."""
    rows: Int64
    """How many rows each node stands for."""
    leaves: Int64
    """How many values each node stands for."""
    children: dict[int, list[int]]
    losses: dict[int, float] = field(default_factory=dict)

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
        return cls(parent, pending, rows, tree.leaves, children)

    def candidates(self) -> Iterator[int]:
        """The nodes whose children are all held by rows."""
        return (node for node in self.children if not self.pending[node])

    def loss(self, node: int, kind: str) -> float:
        """The loss when a node replaces its children."""
        if node not in self.losses:
            children = self.children[node]
            below = self.rows[children]
            if kind == "taxonomy":
                lost = len(children) - 1.0
            elif kind == "ncp":
                lost = float((below * (self.leaves[node] - self.leaves[children])).sum() / (self.leaves[0] - 1))
            else:
                lost = float(-(below * np.log2(below / self.rows[node])).sum())
            self.losses[node] = lost
        return self.losses[node]

    def apply(self, node: int) -> list[int]:
        """Replace the children of a node by the node, and return them."""
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
    run: Run = DEFAULT_RUN,
) -> Recoding:
    """Generalize until every group has k rows, except groups that together have no more rows than may be suppressed.

    Each step takes the candidate (a node whose children are all in use) with the greatest score
    ``A^a (1 + Con)^c / DL^d``: A the growth of the smallest group, DL the loss, Con how much merging lowers the
    associations of the merged groups, once these are evaluated. While no candidate makes the smallest group grow, A is
    left out; once one does, only those that do are candidates. The smallest group is the smallest of those that would
    remain if as many rows as allowed were suppressed, smallest groups first.

    Args:
        values: one array a column: the node of each row.
        trees: the tree of each column.
        k: the least number of rows of a group; no more than there are rows.
        allowance: how many rows may be suppressed; fewer than there are rows.
        loss: ``entropy``: how much the column's entropy falls, in bits over all rows; ``taxonomy``: how many different
            nodes fewer there are; ``ncp``: how many more values cells stand for, as a share of the column's.
        weights: the exponents a, d and c.
        evaluation: when associations count, and how.
        take_back: at the end, undo steps that later ones made unnecessary, the last first.
        run: threads, progress and chance (:class:`shoal.Run`).
    """
    group, firsts = renumbered(values, trees)
    tuples = [column[firsts] for column in values]
    weight = np.bincount(group, minlength=len(firsts)).astype(np.int64)
    columns = [_Column.of(tree, nodes, weight) for tree, nodes in zip(trees, tuples, strict=True)]
    search = _Search(trees, columns, tuples, weight, allowance)
    associations: Associations | None = None
    steps: list[tuple[int, int, list[int]]] = []
    while search.smallest < k:
        run.report("generalize", search.smallest, k)
        if evaluation is not None and associations is None and search.smallest >= evaluation.smallest:
            search.settle()
            associations = evaluation.start(search.place[group])
        at, node = _best(search, loss, weights, associations)
        steps.append((at, node, search.apply(at, node)))
        if associations is not None:
            search.settle()
            associations.regroup(search.place[group])
    run.report("generalize", k, k)
    nodes = [column[search.place] for column in search.nodes]
    if take_back:
        nodes = _taken_back(steps, tuples, nodes, trees, weight, k, allowance)
    final, firsts = renumbered(nodes, trees)
    small = np.bincount(final, weight, len(firsts)) < k
    return Recoding([column[group] for column in nodes], small[final][group])


class _Search:
    """Groups that are merged step by step.

    Most steps touch few groups and do not change the smallest one. To know this of a candidate, it is enough to know
    some groups that would stay small: its witnesses. A witness that no step has touched since is still a witness:
    groups that agree with it in a column cannot be touched there without it. So groups are numbered anew only when a
    candidate has no witnesses left.
    """

    def __init__(
        self,
        trees: Sequence[NodeTree],
        columns: Sequence[_Column],
        nodes: Sequence[Int32],
        sizes: Int64,
        allowance: int,
    ) -> None:
        self.trees, self.columns, self.allowance = trees, columns, allowance
        self.nodes = [column.copy() for column in nodes]
        self.sizes = sizes
        self.place: Int64 = np.arange(len(sizes))
        """The present group of each original group."""
        self.smallest = _smallest(sizes, allowance)
        self._touched = np.zeros(len(sizes), bool)
        self._witnesses: dict[tuple[int, int], Int64] = {}
        self._rests: dict[int, Int64] = {}

    def apply(self, at: int, node: int) -> list[int]:
        """Replace the children of a node by the node, and return them."""
        below = self.columns[at].apply(node)
        inside = np.isin(self.nodes[at], below)
        self.nodes[at][inside] = node
        self._touched |= inside
        if not self._all_witnessed():
            self.settle()
        return below

    def settle(self) -> None:
        """Number the groups anew if any were touched."""
        if not self._touched.any():
            return
        merged, firsts = renumbered(self.nodes, self.trees)
        self._witnesses = {key: merged[found[~self._touched[found]]] for key, found in self._witnesses.items()}
        self.sizes = np.bincount(merged, self.sizes, len(firsts)).astype(np.int64)
        self.nodes = [column[firsts] for column in self.nodes]
        self.place = merged[self.place]
        self._touched = np.zeros(len(self.sizes), bool)
        self._rests = {}
        self.smallest = _smallest(self.sizes, self.allowance)

    def candidates(self) -> Iterator[tuple[int, int]]:
        """Columns and nodes whose children are all held by rows."""
        return ((at, node) for at, column in enumerate(self.columns) for node in sorted(column.candidates()))

    def _all_witnessed(self) -> bool:
        candidates = list(self.candidates())
        return bool(candidates) and all(map(self._is_witnessed, candidates))

    def _is_witnessed(self, key: tuple[int, int]) -> bool:
        """Whether groups are known that would stay small; groups that a candidate does not touch are found at once."""
        found = self._witnesses.get(key)
        if found is None or int(self.sizes[found[~self._touched[found]]].sum()) <= self.allowance:
            self._remember(key, ~self.parts(*key) & ~self._touched & (self.sizes <= self.smallest))
            found = self._witnesses[key]
        return int(self.sizes[found[~self._touched[found]]].sum()) > self.allowance

    def _remember(self, key: tuple[int, int], small: Bools) -> None:
        # Far apart, so that no single step touches all of them; two for each row that may be suppressed.
        places = np.flatnonzero(small)
        enough = _WITNESSES + 2 * self.allowance
        self._witnesses[key] = places[:: max(1, len(places) // enough)].copy()

    def rest(self, at: int) -> Int64:
        """One number for groups that differ in one column only."""
        if at not in self._rests:
            others = [*self.nodes[:at], *self.nodes[at + 1 :]]
            trees = [*self.trees[:at], *self.trees[at + 1 :]]
            self._rests[at] = renumbered(others, trees)[0] if others else np.zeros(len(self.sizes), np.int64)
        return self._rests[at]

    def parts(self, at: int, node: int) -> Bools:
        """The groups that a candidate would touch."""
        return np.isin(self.nodes[at], self.columns[at].children[node])

    def growth(self, at: int, node: int) -> int:
        """By how much a candidate would make the smallest group grow."""
        if self._is_witnessed((at, node)):
            return 0
        self.settle()
        parts, rest = self.parts(at, node), self.rest(at)
        merged = np.bincount(rest[parts], self.sizes[parts], int(rest.max()) + 1).astype(np.int64)
        after = np.where(parts, merged[rest], self.sizes)
        small = after <= self.smallest
        if int(self.sizes[small].sum()) <= self.allowance:
            return _smallest(np.concatenate([self.sizes[~parts], merged[merged > 0]]), self.allowance) - self.smallest
        self._remember((at, node), small)
        return 0


def _best(search: _Search, loss: str, weights: Weights, associations: Associations | None) -> tuple[int, int]:
    """The candidate with the greatest score, as its column and node; of equal ones the first."""
    growth = {key: search.growth(*key) for key in search.candidates()}
    growing = any(growth.values())
    best, greatest = (-1, -1), -math.inf
    for (at, node), grown in growth.items():
        if growing and not grown:
            continue
        score = weights.anonymity * math.log(grown) if growing else 0.0
        score -= weights.loss * math.log(search.columns[at].loss(node, loss))
        if associations is not None and weights.associations:
            parts = np.flatnonzero(search.parts(at, node))
            score += weights.associations * math.log1p(associations.contribution(parts, search.rest(at)[parts]))
        # Rounded, so that the last bit of a sum does not make equal scores differ.
        if round(score, 9) > greatest:
            best, greatest = (at, node), round(score, 9)
    return best


def _taken_back(
    steps: Sequence[tuple[int, int, list[int]]],
    tuples: Sequence[Int32],
    nodes: Sequence[Int32],
    trees: Sequence[NodeTree],
    sizes: Int64,
    k: int,
    allowance: int,
) -> list[Int32]:
    """Undo steps that later ones made unnecessary, the last first."""
    found = [column.copy() for column in nodes]
    group = renumbered(found, trees)[0]
    of_group = np.bincount(group, sizes).astype(np.int64)
    for at, node, below in reversed(steps):
        held = np.flatnonzero(found[at] == node)
        # Each group at the node would split into one for each child in it. (None is there if a node above is in use.)
        child = np.searchsorted(below, tuples[at][held], side="right") - 1
        keys = group[held] * len(below) + child
        parts = np.bincount(keys, sizes[held], len(of_group) * len(below)).astype(np.int64)
        others = of_group.copy()
        others[group[held]] = 0
        after = np.concatenate([others[others > 0], parts[parts > 0]])
        if len(held) and _smallest(after, allowance) >= k:
            found[at][held] = np.array(below, np.int32)[child]
            # New numbers for the parts, after those of all groups; empty ones do no harm.
            number = np.cumsum(parts > 0) - 1 + len(of_group)
            group[held] = number[keys]
            of_group = np.concatenate([others, parts[parts > 0]])
    return found


def _smallest(sizes: Int64, allowance: int) -> int:
    """The smallest group after as many rows as allowed were suppressed, smallest groups first."""
    if not allowance:
        return int(sizes.min())
    ordered = np.sort(sizes)
    return int(ordered[np.searchsorted(np.cumsum(ordered), allowance, side="right")])
