"""Generalized releases out of plain Python rows: dictionaries of labels, None for a suppressed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Role
from shoal.promises import KAnonymity
from shoal.release.generalized import Generalized, GeneralizedColumn

Row = Mapping[str, str]


def generalized(
    rows: Sequence[Row | None],
    trees: Mapping[str, NodeTree],
    quasi: Sequence[str],
    *,
    k: int = 2,
    cut: bool = True,
) -> Generalized:
    """A release of these rows: those that agree on all quasi-identifiers are a group; the others are sensitive."""
    names = [*quasi, *(name for name in trees if name not in quasi)]
    nodes = {name: {label: node for node, label in enumerate(trees[name].labels)} for name in names}
    held = sorted(tuple(nodes[name][row[name]] for name in names) for row in rows if row is not None)
    keys = [row[: len(quasi)] for row in held]
    starts = [at for at, key in enumerate(keys) if at == 0 or key != keys[at - 1]]
    columns = []
    for place, name in enumerate(names):
        tree, codes = trees[name], np.array([row[place] for row in held], np.int32)
        if cut:
            tree, moved = tree.cut(np.bincount(codes, minlength=len(tree)) > 0)
            codes = moved[codes]
        columns.append(GeneralizedColumn(name, Role.QUASI if name in quasi else Role.SENSITIVE, tree, codes))
    return Generalized(
        "bottom-up",
        KAnonymity(k, tuple(quasi)),
        tuple(columns),
        np.array([*starts, len(held)], np.int64),
        suppressed=sum(row is None for row in rows),
        discloses_hierarchies=not cut,
    )


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
