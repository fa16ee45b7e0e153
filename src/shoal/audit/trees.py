"""Hierarchies and published trees as the auditor reads them, by its own code.

A published tree lists its nodes in depth-first order, each with its parent: descendants follow a node. A given
hierarchy has levels of labels. As a tree, a label is a node that represents the values below it; labels that represent
the same values are one node, named after the lowest of them; the root is a separate node; and no two nodes share a
label. The order of siblings has no meaning here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from shoal.data.arrays import Bools, Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.errors import InputError
from shoal.quoting import named, shown

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_EXACT = 2**53
_SHOWN = 10
_TREES = 64
"""For so many trees, the ends of the nodes' descendants are cached."""


@lru_cache(maxsize=_TREES)
def depths(tree: NodeTree) -> Int64:
    """How many nodes are above each node in depth-first order."""
    found: list[int] = []
    for parent in tree.parents.tolist():
        found.append(0 if parent < 0 else found[parent] + 1)
    return np.array(found, np.int64)


@lru_cache(maxsize=_TREES)
def ends(tree: NodeTree) -> Int64:
    """Where the descendants of each node end: at the next node that is not deeper than the node itself."""
    deep = depths(tree).tolist()
    found = [len(deep)] * len(deep)
    waiting: list[int] = []
    for node, depth in enumerate(deep):
        while waiting and deep[waiting[-1]] >= depth:
            found[waiting.pop()] = node
        waiting.append(node)
    return np.array(found, np.int64)


def bottom(tree: NodeTree) -> Bools:
    """The nodes without children."""
    lowest = np.ones(len(tree), bool)
    lowest[tree.parents[tree.parents >= 0]] = False
    return lowest


def heights(tree: NodeTree) -> Int64:
    """How many steps it takes from each node down to the lowest node below it."""
    found = [0] * len(tree)
    for node, parent in reversed(list(enumerate(tree.parents.tolist()))):
        if parent >= 0:
            found[parent] = max(found[parent], found[node] + 1)
    return np.array(found, np.int64)


def inner_nodes(tree: NodeTree) -> Int64:
    """How many nodes with children are at or below each node."""
    inner = np.append(0, np.cumsum(~bottom(tree)))
    return np.asarray(inner[ends(tree)] - inner[:-1])


def tree_of(hierarchy: Hierarchy) -> NodeTree:
    """The nodes of a hierarchy, in depth-first order.

    Raises:
        InputError: a label represents different values at two places.

    Example:
        >>> work = Hierarchy.from_rows([("State", "Gov", "*"), ("Federal", "Gov", "*"), ("Own", "Own", "*")])
        >>> tree = tree_of(work)
        >>> tree.labels, tree.parents.tolist(), tree.leaves.tolist()
        (('*', 'Own', 'Gov', 'State', 'Federal'), [-1, 0, 0, 2, 2], [3, 1, 2, 1, 1])
    """
    *levels, top = hierarchy.labels
    n_values = len(hierarchy.labels[0])
    labels, sizes, parents = list(levels[0]), [1] * n_values, [-1] * n_values
    highest = np.arange(n_values)  # the highest node so far of each value
    for names, codes in zip(levels[1:], hierarchy.codes[1:], strict=False):
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(names) + 1)).tolist()
        for code, name in enumerate(names):
            values = order[bounds[code] : bounds[code + 1]]
            below = np.unique(highest[values]).tolist()
            if name == top[0] or len(values) == n_values or len(below) == 1:
                continue  # the root, perhaps under another name; or an existing node
            for node in below:
                parents[node] = len(labels)
            highest[values] = len(labels)
            labels.append(name)
            sizes.append(len(values))
            parents.append(-1)
    root = len(labels)
    return _walk([*labels, top[0]], [root if parent < 0 else parent for parent in parents], [*sizes, n_values])


def _walk(labels: list[str], parents: list[int], sizes: list[int]) -> NodeTree:
    """The same nodes in depth-first order; the root is the last one given."""
    known: set[str] = set()
    for label in labels:
        if label in known:
            raise InputError(
                f"the label {shown(label)} is at two places of the hierarchy for different values: rename one of them"
            )
        known.add(label)
    below: list[list[int]] = [[] for _ in labels]
    for node, parent in enumerate(parents):
        below[parent].append(node)
    place: dict[int, int] = {}
    waiting = [len(labels) - 1]
    while waiting:
        node = waiting.pop()
        place[node] = len(place)
        waiting += reversed(below[node])
    above = [-1 if node == len(labels) - 1 else place[parents[node]] for node in place]
    return NodeTree(
        tuple(labels[node] for node in place),
        np.array(above, np.int32),
        np.array([sizes[node] for node in place], np.int64),
    )


def leaves_of(texts: Sequence[str], hierarchy: Hierarchy, *, numbers: bool) -> list[str]:
    """The value of a hierarchy for each text: the one written like it, or for numbers the first equal one.

    Raises:
        InputError: some texts have none; lists them.

    Example:
        >>> ages = Hierarchy.from_rows([("39.0", "*"), ("40", "*")])
        >>> leaves_of(["39", "40"], ages, numbers=True)
        ['39.0', '40']
    """
    written = set(hierarchy.labels[0])
    worth: dict[float | str, str] = {}
    if numbers:
        for leaf in hierarchy.labels[0]:
            worth.setdefault(_worth(leaf), leaf)
    found = [text if text in written else worth.get(_worth(text)) for text in texts]
    lost = [text for text, leaf in zip(texts, found, strict=True) if leaf is None]
    if lost:
        more = f", ... and {len(lost) - _SHOWN:,} more" if len(lost) > _SHOWN else ""
        called = f"hierarchy {named(hierarchy.name)}" if hierarchy.name else "the hierarchy"
        raise InputError(
            f"{called} does not fit:\n  without a place ({len(lost):,}): {', '.join(map(shown, lost[:_SHOWN]))}{more}\n"
            "Add --complete to place missing values under the root."
        )
    return [leaf for leaf in found if leaf is not None]


def _worth(text: str) -> float | str:
    """The numeric value of a text; any other text, and a number too large to be distinguished, is itself."""
    number = float(text) if _NUMBER.fullmatch(text) else None
    return number if number is not None and abs(number) < _EXACT else text
