"""How many records hold given items, from rows of nodes: exact for nodes that stand in rows, else by even division.

Generalized baskets (M. Terrovitis, N. Mamoulis, P. Kalnis, VLDB 2008): a row with a node comes from a record with one
or more of the items below it. So a node in rows, or above some, is counted exactly: a record holds it if it holds
anything below it. An item below a node in rows can be in all rows with that node, or in none. What is expected divides
evenly: a row is taken to hold ONE of the items below each of its nodes, each as likely, whatever stands beside it; so
that two different items below one node are never expected together.

Noisy counts (R. Chen et al., PVLDB 2011): a sum of counts, each with noise of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.analyse.answers import Support, Supports
from shoal.analyse.node_rows.basket_paths import count_errors
from shoal.data.arrays import Int32, Int64
from shoal.data.node_tree import NodeTree
from shoal.data.transactions import codes_of
from shoal.errors import InputError
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets

_EVENLY = "a record with a group holds one of its items, each as likely"


def node_support(release: GeneralizedBaskets, items: Iterable[str]) -> Support:
    """How many records hold all of the items, each a published one, a group, or an item below one; see below."""
    return node_supports(release, [items])[0]


def node_supports(release: GeneralizedBaskets, itemsets: Iterable[Iterable[str]]) -> Supports:
    """The same for many sets at once.

    Args:
        release: what was published.
        itemsets: names of the release's hierarchy: what rows hold, what is above it, and, where the hierarchy is whole,
            what is below. A record holds a group if it holds any item of it.

    Raises:
        InputError: a name is not in the release, or nothing is asked.
    """
    index = _Index.of(release.tree, release.offsets, release.nodes)
    held = np.flatnonzero(release.is_held)
    answers = []
    for nodes in _asked(release.tree, itemsets, _hidden(release)):
        above = [_above(release.tree, held, node) for node in nodes]
        rows = index.rows([node if over is None else over for node, over in zip(nodes, above, strict=True)])
        below: dict[int, list[int]] = {}
        for node, over in zip(nodes, above, strict=True):
            if over is not None:
                below.setdefault(over, []).append(node)
        chance = math.prod(_share(release.tree, over, some) for over, some in below.items())
        n = len(rows)
        answers.append((0 if below else n, n * chance, math.sqrt(n * chance * (1 - chance)), n))
    least, expected, deviation, most = np.array(answers, float).reshape(-1, 4).T
    return Supports(least.astype(np.int64), most.astype(np.int64), expected, deviation, _EVENLY)


@dataclass(frozen=True)
class NoisyCount:
    """How many records hold some items, as a sum of noisy counts.

    Example:
        >>> print(NoisyCount(120, 4, 8.0))
        120 in 4 published baskets (noise: standard error 8.0); those that were too rare are missing
    """

    count: int
    """The sum of the counts of the baskets that hold all items."""
    baskets: int
    """How many different baskets that are."""
    error: float
    """The standard error of the sum that noise brings about; not of what is missing."""

    def __str__(self) -> str:
        return (
            f"{self.count:,} in {self.baskets:,} published basket{'' if self.baskets == 1 else 's'} (noise: standard "
            f"error {self.error:,.1f}); those that were too rare are missing"
        )


def noisy_count(release: NoisyBaskets, items: Iterable[str]) -> NoisyCount:
    """How many records hold all of the items, by the sum of the counts of the baskets that do; see below."""
    return noisy_counts(release, [items])[0]


def noisy_counts(release: NoisyBaskets, itemsets: Iterable[Iterable[str]]) -> tuple[NoisyCount, ...]:
    """The same for many sets at once.

    Each published count has noise of its own, by what of epsilon its basket had left. Baskets whose noisy count was low
    were left out, so that a sum is too low on average; counts that were let through because noise raised them make it
    higher.

    Args:
        release: what was published.
        itemsets: names of the release's hierarchy: items, or groups, of which a basket must hold any item.

    Raises:
        InputError: a name is not in the release, or nothing is asked.
    """
    index = _Index.of(release.tree, release.offsets, release.items)
    variances = count_errors(release) ** 2
    answers = []
    for nodes in _asked(release.tree, itemsets, ""):
        rows = index.rows(nodes)
        error = math.sqrt(float(variances[rows].sum()))
        answers.append(NoisyCount(int(release.row_counts[rows].sum()), len(rows), error))
    return tuple(answers)


@dataclass(frozen=True, eq=False)
class _Index:
    """The rows of every node; those of a node and all below it stand together."""

    tree: NodeTree
    starts: Int64
    owners: Int64

    @classmethod
    def of(cls, tree: NodeTree, offsets: Int64, nodes: Int32) -> _Index:
        owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        starts = np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=len(tree)))])
        return cls(tree, starts, owners[np.argsort(nodes, kind="stable")])

    def rows(self, nodes: list[int]) -> Int64:
        """The rows that hold, for each of the nodes, it or something below it."""
        spans = [(int(self.starts[node]), int(self.starts[self.tree.ends[node]])) for node in nodes]
        spans.sort(key=lambda span: span[1] - span[0])
        found: Int64 = np.unique(self.owners[slice(*spans[0])])
        for span in spans[1:]:
            found = np.intersect1d(found, self.owners[slice(*span)])
        return found


def _asked(tree: NodeTree, itemsets: Iterable[Iterable[str]], hint: str) -> list[list[int]]:
    """The nodes of each set of names."""
    words = pa.array(tree.labels, pa.string())
    sets = []
    for items in itemsets:
        names = sorted(frozenset(items))
        if not names:
            raise InputError("each query must name 1 item or more, not 0")
        try:
            sets.append(codes_of(words, names, "the release").tolist())
        except InputError as error:
            raise InputError(f"{error}{hint}") from None
    return sets


def _hidden(release: GeneralizedBaskets) -> str:
    if release.discloses_hierarchy:
        return ""
    groups = int(np.count_nonzero(release.is_held & (release.tree.leaves > 1)))
    return (
        f". The hierarchy is cut to the published nodes: an item may be hidden in one of {groups:,} published groups. "
        "Query them by name (shoal show lists rows)"
    )


def _above(tree: NodeTree, held: Int64, node: int) -> int | None:
    """The node above that stands in rows in the place of this one, if there is one."""
    at = int(np.searchsorted(held, node)) - 1
    return int(held[at]) if at >= 0 and node < tree.ends[held[at]] else None


def _share(tree: NodeTree, over: int, nodes: list[int]) -> float:
    """The share of the items below one node that are below all of some others, which are below it."""
    # Of nodes in a walk the last one is below all others, or nothing is.
    last = max(nodes)
    if any(last >= tree.ends[node] for node in nodes):
        return 0.0
    return float(tree.leaves[last] / tree.leaves[over])
