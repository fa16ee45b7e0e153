"""Item hierarchies and releases of generalized baskets for tests, out of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.promises import KmGeneralized
from shoal.release.generalized_baskets import GeneralizedBaskets

ITEMS = "abcdefgh"
DRINKS = Hierarchy.from_rows(
    [
        ("beer", "alcohol", "*"),
        ("wine", "alcohol", "*"),
        ("rum", "alcohol", "*"),
        ("milk", "food", "*"),
        ("bread", "food", "*"),
        ("soap", "soap", "*"),
    ]
)


@st.composite
def item_hierarchies(draw: st.DrawFn, items: str = ITEMS) -> Hierarchy:
    """Trees of up to three levels above the items, of any shape, with some values more than the items."""
    leaves = [*items, "spare"]
    low = {leaf: f"low {draw(st.integers(0, 3))}" for leaf in leaves}
    high = {group: f"high {draw(st.integers(0, 2))}" for group in dict.fromkeys(low.values())}
    levels = draw(st.integers(1, 3))
    rows = [(leaf, low[leaf], high[low[leaf]])[:levels] for leaf in leaves]
    return Hierarchy.from_rows([(*row, "*") for row in rows])


def paths_of(tree: NodeTree) -> dict[str, tuple[str, ...]]:
    """The way from each item to the root, for the oracle; of a whole tree."""
    names = tree.labels
    return {
        names[leaf]: (names[leaf], *(names[node] for node in tree.ancestors(leaf)))
        for leaf in np.flatnonzero(tree.is_bottom).tolist()
    }


def generalized_baskets(
    rows: Iterable[Sequence[str]],
    k: int = 2,
    m: int = 2,
    *,
    hierarchy: Hierarchy = DRINKS,
    whole: bool = False,
    keep: Iterable[str] = (),
    in_order: bool = True,
) -> GeneralizedBaskets:
    """A release of rows of labels, in order unless otherwise said; ``keep``: labels that stay in the tree anyway."""
    tree = NodeTree.from_hierarchy(hierarchy)
    place = {label: node for node, label in enumerate(tree.labels)}
    lists = [[place[label] for label in row] for row in rows]
    if in_order:
        lists = sorted(sorted(row) for row in lists)
    if not whole:
        used = np.zeros(len(tree), bool)
        used[[node for row in lists for node in row] + [place[label] for label in keep]] = True
        tree, moved = tree.cut(used)
        lists = [[int(moved[node]) for node in row] for row in lists]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])]).astype(np.int64)
    nodes = np.array([node for row in lists for node in row], np.int32)
    return GeneralizedBaskets(KmGeneralized(k, m), tree, offsets, nodes, whole)


def rows_of(release: Any) -> list[frozenset[str]]:
    """The rows as sets of labels."""
    bounds = zip(release.offsets[:-1].tolist(), release.offsets[1:].tolist(), strict=True)
    return [frozenset(release.tree.labels[node] for node in release.nodes[start:end]) for start, end in bounds]
