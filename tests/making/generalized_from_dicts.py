"""Rows whose cells became nodes, at random, and releases of them: dictionaries of labels, None for a suppressed row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.release.generalized import Generalized
from tests.making import generalized_releases

Row = Mapping[str, str]


def generalized(
    rows: Sequence[Row | None],
    trees: Mapping[str, NodeTree],
    quasi: Sequence[str],
    *,
    k: int = 2,
    cut: bool = True,
) -> Generalized:
    """A release of these rows: those that agree on all quasi-identifiers are a group; other columns are sensitive."""
    names = [*quasi, *(name for name in trees if name not in quasi)]
    held = [[row[name] for name in names] for row in rows if row is not None]
    suppressed = sum(row is None for row in rows)
    ordered = {name: trees[name] for name in names}
    return generalized_releases.generalized(held, ordered, len(quasi), k, cut=cut, suppressed=suppressed)


def parents_of(tree: NodeTree) -> dict[str, str | None]:
    """A tree as the oracles have it."""
    labels = tree.labels
    return {label: labels[parent] if parent >= 0 else None for label, parent in zip(labels, tree.parents, strict=True)}


@st.composite
def recoded(
    draw: st.DrawFn, original: Sequence[Row], hierarchies: Mapping[str, Hierarchy], *, may_suppress: bool = True
) -> list[Row | None]:
    """Each cell of some rows as its value or a node above it; some rows suppressed, but not all."""
    trees = {name: parents_of(NodeTree.from_hierarchy(hierarchy)) for name, hierarchy in hierarchies.items()}
    rows: list[Row | None] = []
    for place, row in enumerate(original):
        if may_suppress and place and not draw(st.integers(0, 4)):
            rows.append(None)
            continue
        cells = {}
        for name, tree in trees.items():
            up: str | None = row[name]
            path = []
            while up is not None:
                path.append(up)
                up = tree[up]
            cells[name] = draw(st.sampled_from(path))
        rows.append(cells)
    return rows
