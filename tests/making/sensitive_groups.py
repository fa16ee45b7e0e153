"""Groups of rows with sensitive cells, as the oracle of associations takes them and as Shoal does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shoal.data.node_tree import NodeTree
from tests.oracles import associations as oracle

Labels = tuple[str, ...]
FLAT = {"*": None, "a": "*", "b": "*", "c": "*"}
PAIR = {"*": None, "y": "*", "n": "*"}
DEEP = {"*": None, "P": "*", "p": "P", "q": "P", "R": "*", "r": "R", "s": "R", "t": "*"}
DEEPER = {"*": None, "U": "*", "V": "U", "v": "V", "w": "V", "u": "U", "x": "*"}


def node_tree(parents: oracle.Tree) -> NodeTree:
    """The same tree, whose nodes are in preorder already."""
    labels = list(parents)
    inner = set(parents.values())
    leaves = [sum(oracle.at_or_below(parents, v, node) for v in labels if v not in inner) for node in labels]
    above = [-1 if parent is None else labels.index(parent) for parent in parents.values()]
    return NodeTree(tuple(labels), np.array(above, np.int32), np.array(leaves, np.int64))


@dataclass(frozen=True)
class Groups:
    """Rows of groups; each row a label for each column."""

    trees: tuple[oracle.Tree, ...]
    groups: tuple[tuple[Labels, ...], ...]

    @property
    def arrays(self) -> tuple[list[Any], list[NodeTree], Any]:
        """Nodes by column, trees, and where groups start."""
        trees = [node_tree(tree) for tree in self.trees]
        rows = [row for group in self.groups for row in group]
        nodes = [np.array([t.labels.index(row[c]) for row in rows], np.int32) for c, t in enumerate(trees)]
        return nodes, trees, np.cumsum([0, *map(len, self.groups)])

    def read(self, nodes: list[Any]) -> list[list[Labels]]:
        """The groups with these nodes instead."""
        trees = [node_tree(tree) for tree in self.trees]
        columns = [[tree.labels[node] for node in column] for tree, column in zip(trees, nodes, strict=True)]
        rows, made = list(zip(*columns, strict=True)), []
        for group in self.groups:
            made.append(rows[: len(group)])
            rows = rows[len(group) :]
        return made


@st.composite
def groups_of(draw: st.DrawFn, *, hidden: bool, max_rows: int = 9, max_groups: int = 2) -> Groups:
    """Small groups in which rows repeat; with ``hidden``, cells may be inner nodes and roots."""
    trees = tuple(draw(st.lists(st.sampled_from([FLAT, PAIR, DEEP, DEEPER]), min_size=1, max_size=3)))
    cells = [[node for node in tree if hidden or node not in set(tree.values())] for tree in trees]
    row = st.tuples(*map(st.sampled_from, cells))
    some = st.lists(st.tuples(row, st.integers(1, 4)), min_size=1, max_size=5)
    group = some.map(lambda rows: tuple(row for row, times in rows for _ in range(times))[:max_rows])
    return Groups(trees, tuple(draw(st.lists(group, min_size=1, max_size=max_groups))))


shares = st.sampled_from([0.1, 0.2, 0.25, 1 / 3, 0.4, 0.5, 0.6, 0.75, 1.0])
