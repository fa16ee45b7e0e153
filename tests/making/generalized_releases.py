"""Generalized releases out of plain Python lists, for tests.

A tree is a dict from each label to that of its parent, the root's being None; a row is a tuple of labels, the
quasi-identifiers first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.node_tree import NodeTree
from shoal.data.table import Role, Table
from shoal.promises import HiddenAssociations, KAnonymity
from shoal.release.generalized import Generalized, GeneralizedColumn

Tree = Mapping[str, str | None]


def flat_tree(values: str | Sequence[str]) -> dict[str, str | None]:
    return {"*": None, **dict.fromkeys(values, "*")}


def node_tree(tree: Tree, leaves: Mapping[str, int] | None = None) -> NodeTree:
    """The tree in the order of a walk; without ``leaves`` what has nothing below is a value."""
    children: dict[str | None, list[str]] = {}
    for label, parent in tree.items():
        children.setdefault(parent, []).append(label)
    order: list[str] = []

    def walk(label: str) -> int:
        order.append(label)
        return max(1, sum(walk(child) for child in children.get(label, [])))

    (root,) = children[None]
    walk(root)
    counted = {label: _values(label, children) for label in order} | dict(leaves or {})
    parents = [-1 if tree[label] is None else order.index(str(tree[label])) for label in order]
    return NodeTree(tuple(order), np.array(parents, np.int32), np.array([counted[label] for label in order], np.int64))


def _values(label: str, children: Mapping[str | None, list[str]]) -> int:
    below = children.get(label, [])
    return sum(_values(child, children) for child in below) if below else 1


def generalized(
    rows: Sequence[Sequence[str]],
    trees: Mapping[str, Tree | NodeTree],
    n_quasi: int,
    k: int = 2,
    *,
    sort: bool = True,
    cut: bool = True,
    hide: tuple[float, float] | None = None,
    resists: bool = False,
    groups: Sequence[int] | None = None,
    **options: Any,
) -> Generalized:
    """Build a release; ``sort=False`` keeps the rows as given, and ``groups`` says which is in which group."""
    names = list(trees)
    whole = [tree if isinstance(tree, NodeTree) else node_tree(tree) for tree in trees.values()]
    cells = np.array([[tree.labels.index(row[j]) for j, tree in enumerate(whole)] for row in rows], np.int32)
    cells = cells.reshape(len(rows), len(names))
    if cut:
        parts = [tree.cut(np.bincount(cells[:, j], minlength=len(tree)) > 0) for j, tree in enumerate(whole)]
        whole = [part for part, _ in parts]
        cells = np.column_stack([place[cells[:, j]] for j, (_, place) in enumerate(parts)]).astype(np.int32)
    if sort:
        cells = cells[np.lexsort(cells.T[::-1])]
    if groups is None:
        new = np.any(cells[1:, :n_quasi] != cells[:-1, :n_quasi], axis=1)
        offsets = np.concatenate([[0], np.flatnonzero(new) + 1, [len(rows)]]) if len(rows) else np.zeros(1)
    else:
        offsets = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    roles = [Role.QUASI] * n_quasi + [Role.SENSITIVE] * (len(names) - n_quasi)
    hidden = None if hide is None else HiddenAssociations(tuple(names[n_quasi:]), *hide, resists_filling=resists)
    return Generalized(
        method="bottom-up",
        promise=KAnonymity(k, tuple(names[:n_quasi])),
        columns=tuple(
            GeneralizedColumn(name, role, tree, cells[:, j])
            for j, (name, role, tree) in enumerate(zip(names, roles, whole, strict=True))
        ),
        group_offsets=offsets.astype(np.int64),
        hidden=hidden,
        discloses_hierarchies=not cut,
        **options,
    )


def table(rows: Sequence[Sequence[Any]], names: Sequence[str], n_quasi: int) -> Table:
    """A table of plain values."""
    data = pa.table({name: [row[j] for row in rows] for j, name in enumerate(names)})
    return Table.from_arrow(data, quasi=list(names[:n_quasi]), sensitive=list(names[n_quasi:]))
