"""What each basket of noisy counts went through: the splits above it, and what each spent of epsilon.

R. Chen et al., PVLDB 2011 (DiffPart). From the root down, a set of nodes is split at its highest inner node, the first
one in the order of the hierarchy where several are, into the nodes below it that have items of the basket. A split
spends what is left of half of epsilon over the number of inner nodes at or below the set; the last one, which makes the
basket, spends all that is left. So the path of a basket, and how exact its count is, follow from the hierarchy and
epsilon alone: anyone who has a release can compute it. Publisher and auditor have code of their own for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.node_tree import NodeTree
from shoal.release.noisy_baskets import NoisyBaskets

UNIT = 2.0**-40
"""What budgets are whole multiples of."""
_C1, _C2 = 6.75, 2.75


@dataclass(frozen=True, eq=False)
class BasketPaths:
    """The splits of basket ``i`` are those from ``offsets[i]`` to ``offsets[i + 1] - 1``, the first at the root."""

    offsets: Int64
    nodes: Int32
    """Where each split was."""
    units: Int64
    """What it spent, in units of 2^-40: for each basket they add up to epsilon."""
    thresholds: Int64
    """What the noisy count had to reach: the number of records that were left to go on, at last that of the basket."""

    @property
    def last(self) -> Int64:
        """Where the last split of each basket stands: the one that its count comes from."""
        return self.offsets[1:] - 1

    @property
    def count_budgets(self) -> Float64:
        """The epsilon of each basket's count."""
        return np.asarray(self.units[self.last] * UNIT, np.float64)

    @property
    def least_counts(self) -> Int64:
        """The least count with which each basket is published."""
        least: Int64 = self.thresholds[self.last]
        return least


def basket_paths(tree: NodeTree, epsilon: float, offsets: Int64, items: Int32) -> BasketPaths:
    """The paths of baskets of bottom nodes, none of them empty, in a tree that is one.

    Example:
        >>> from shoal.data.item_hierarchies import neighbours
        >>> tree = NodeTree.from_hierarchy(neighbours("abcd", fanout=2))
        >>> paths = basket_paths(tree, 1.0, np.array([0, 2]), np.array([2, 5], np.int32))
        >>> [tree.labels[node] for node in paths.nodes]
        ['*', 'a .. b', 'c .. d']
        >>> (paths.units * UNIT).round(3).tolist(), paths.thresholds.tolist()
        ([0.167, 0.167, 0.667], [115, 58, 6])
    """
    heights, inner = heights_and_inner(tree)
    rows, nodes, parts = _splits(tree, offsets, items)
    # The inner nodes at or below a set change by what is split and by what comes in its place.
    comes = np.zeros(len(nodes), np.int64)
    np.add.at(comes, parts[parts >= 0], inner[nodes[parts >= 0]])
    order = np.lexsort((nodes, -heights[nodes], rows))
    change = (comes - inner[nodes])[order]
    nodes, numbers = nodes[order], np.bincount(rows, minlength=len(offsets) - 1)
    starts = np.cumsum(numbers) - numbers
    before = np.cumsum(change) - change
    steps = inner[0] + before - np.repeat(before[starts], numbers)
    units = np.zeros(len(nodes), np.int64)
    total = epsilon_units(epsilon)
    half, rest = np.full(len(numbers), total // 2), np.full(len(numbers), total)
    for step in range(int(numbers.max(initial=1)) - 1):
        going = np.flatnonzero(numbers > step + 1)
        at = starts[going] + step
        units[at] = half[going] // steps[at]
        half[going] -= units[at]
        rest[going] -= units[at]
    last = starts + numbers - 1
    units[last] = rest
    baskets = np.zeros(len(nodes), bool)
    baskets[last] = True
    thresholds = thresholds_of(heights[nodes], units, baskets=baskets)
    return BasketPaths(np.concatenate([[0], last + 1]), nodes.astype(np.int32), units, thresholds)


def count_errors(release: NoisyBaskets) -> Float64:
    """The standard deviation of the noise in each basket's count: sqrt(2 r) / (1 - r), r = exp(-its epsilon).

    It is that of the noise alone: that only counts above a threshold are published makes small ones too large, too.
    """
    if epsilon_units(release.promise.epsilon) == 0:
        return np.full(release.n_rows, math.inf)
    paths = basket_paths(release.tree, release.promise.epsilon, release.offsets, release.items)
    ratios = np.exp(-paths.count_budgets)
    errors: Float64 = np.sqrt(2 * ratios) / -np.expm1(-paths.count_budgets)
    return errors


def epsilon_units(epsilon: float) -> int:
    """A budget in units of 2^-40, rounded down."""
    return math.floor(epsilon / UNIT)


def thresholds_of(heights: Int64, units: Int64, *, baskets: Bools) -> Int64:
    """What noisy counts have to reach that spend so much: by the height of the split, or as those of baskets."""
    wanted = math.sqrt(2) * np.where(baskets, _C2, _C1 * heights)
    # Rounding must not make a threshold of n one of n + 1.
    thresholds: Int64 = np.ceil(wanted / (units * UNIT) * (1 - 2.0**-36)).astype(np.int64)
    return thresholds


def heights_and_inner(tree: NodeTree) -> tuple[Int64, Int64]:
    """How far each node is above the lowest below it, and how many inner nodes are at or below it."""
    heights = np.zeros(len(tree), np.int64)
    for node in range(len(tree) - 1, 0, -1):
        heights[tree.parents[node]] = max(heights[tree.parents[node]], heights[node] + 1)
    before = np.concatenate([[0], np.cumsum(heights > 0)])
    return heights, before[tree.ends] - before[:-1]


def _splits(tree: NodeTree, offsets: Int64, items: Int32) -> tuple[Int64, Int64, Int64]:
    """All nodes above the items of each basket: of which basket, which node, and where the one above it stands."""
    n = len(tree)
    going = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * n + tree.parents[items]
    found = np.empty(0, np.int64)
    while len(going):
        going = np.setdiff1d(going, found)
        found = np.union1d(found, going)
        going = going[going % n > 0]
        going = going - going % n + tree.parents[going % n]
    rows, nodes = found // n, found % n
    return rows, nodes, np.where(nodes > 0, np.searchsorted(found, found - nodes + tree.parents[nodes]), -1)
