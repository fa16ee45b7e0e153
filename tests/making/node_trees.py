"""Random trees of nodes, for Hypothesis: in the order of a walk from the root, some of them cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st


@st.composite
def node_trees(draw: st.DrawFn, max_nodes: int = 9) -> Any:
    """A :class:`shoal.data.node_tree.NodeTree` of two nodes or more; a node has at least its children's values."""
    from shoal.data.node_tree import NodeTree

    parents = [-1]
    for node in range(1, draw(st.integers(2, max_nodes))):
        above = [node - 1]  # what a node may hang on in such a walk: the one before it, and what is above that
        while parents[above[-1]] >= 0:
            above.append(parents[above[-1]])
        parents.append(draw(st.sampled_from(above)))
    leaves = [0] * len(parents)
    for node in range(len(parents) - 1, -1, -1):
        children = [child for child, parent in enumerate(parents) if parent == node]
        # A tree that was cut lacks some of the values below its nodes; with one child left, it does.
        cut = draw(st.integers(1, 2)) if len(children) == 1 and node else draw(st.sampled_from([0, 0, 0, 1]))
        leaves[node] = max(1, sum(leaves[child] for child in children) + cut)
    labels = tuple(f"n{node}" for node in range(len(parents)))
    return NodeTree(labels, np.array(parents, np.int32), np.array(leaves, np.int64))


def bottoms(tree: Any) -> list[int]:
    """The nodes that rows may hold."""
    return [int(node) for node in np.flatnonzero(tree.is_bottom)]
