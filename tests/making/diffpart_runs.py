"""Small hierarchies as the oracle of DiffPart writes them, as trees, and many runs of the mechanism side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.data.node_tree import NodeTree
from shoal.promises import UnboundedDifferentialPrivacy
from shoal.publish.diffpart import Taxonomy, partition
from shoal.randomness import Numbers
from shoal.release.noisy_baskets import NoisyBaskets
from tests.oracles import diffpart as oracle

PAIR = {"*": "ab"}
BALANCED = {"*": ["X", "Y"], "X": "ab", "Y": "cd"}
MIXED = {"*": ["a", "X"], "X": ["b", "Y"], "Y": "cd"}
UNEVEN = {"*": ["X", "Y"], "X": "ab", "Y": ["Z", "W"], "Z": "cd", "W": "ef"}
"""The second of two inner nodes is the higher one, and what its split drops decides what the next one may spend."""
ONE = 2**40


def tree_of(tree: Mapping[str, Sequence[str]]) -> NodeTree:
    """The nodes of a hierarchy in the order of a walk."""
    nodes = list(oracle.walk(tree))
    parent = {child: node for node, children in tree.items() for child in children}
    parents = np.array([nodes.index(parent[node]) if node in parent else -1 for node in nodes], np.int32)
    leaves = np.array([sum(below not in tree for below in oracle.walk(tree, node)) for node in nodes], np.int64)
    return NodeTree(tuple(nodes), parents, leaves)


def coded(tree: NodeTree, rows: Iterable[Iterable[str]]) -> tuple[Any, Any]:
    """Rows of names as offsets and ascending nodes."""
    lists = [sorted(tree.labels.index(name) for name in row) for row in rows]
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return offsets, np.array([node for row in lists for node in row], np.int32)


def noisy(tree: Mapping[str, Sequence[str]], epsilon: float, counts: Mapping[str, int], **more: Any) -> NoisyBaskets:
    """A release of baskets such as ``"ab"``, put in their order."""
    nodes = tree_of(tree)
    rows = sorted((sorted(nodes.labels.index(name) for name in basket), count) for basket, count in counts.items())
    offsets = np.cumsum([0, *(len(row) for row, _ in rows)]).astype(np.int64)
    items = np.array([node for row, _ in rows for node in row], np.int32)
    numbers = np.array([count for _, count in rows], np.int64)
    return NoisyBaskets(UnboundedDifferentialPrivacy(epsilon), nodes, offsets, items, numbers, **more)


def outputs(
    tree: Mapping[str, Sequence[str]], total: int, records: Sequence[Iterable[str]], n: int, seed: int = 1
) -> list[dict[frozenset[str], int]]:
    """What n runs publish of the same records."""
    nodes = tree_of(tree)
    offsets, items = coded(nodes, records)
    starts = (offsets[:-1] + np.arange(n)[:, None] * offsets[-1]).reshape(-1)
    found = partition(
        Taxonomy.of(nodes),
        total,
        np.append(starts, n * offsets[-1]).astype(np.int64),
        np.tile(items, n),
        np.repeat(np.arange(n), len(offsets) - 1),
        n_runs=n,
        chance=Numbers(seed),
        report=lambda *_: None,
    )
    made: list[dict[frozenset[str], int]] = [{} for _ in range(n)]
    rows = np.split(found.nodes, found.offsets[1:-1]) if len(found.counts) else []
    for run, row, count in zip(found.runs.tolist(), rows, found.counts.tolist(), strict=True):
        made[run][frozenset(nodes.labels[node] for node in row)] = count
    return made


def tally(made: Iterable[Mapping[frozenset[str], int]]) -> Counter[frozenset[tuple[frozenset[str], int]]]:
    """How many runs publish the same."""
    return Counter(frozenset(output.items()) for output in made)
