"""Fill each hidden cell with the value below it that most rows of its group show: the adversary of the promise.

Ties go to the first value in the order of the tree; a cell with no such value remains hidden (see
:class:`~shoal.promises.HiddenAssociations`).
"""

from __future__ import annotations

import numpy as np

from shoal.audit.generalized.shown_rows import ShownRows, gather_counted
from shoal.audit.parts import expand
from shoal.audit.trees import ends
from shoal.data.arrays import Bools, Int64
from shoal.data.node_tree import NodeTree


def is_value(tree: NodeTree) -> Bools:
    """Whether each node is a single value, rather than one that may represent several; the root always may."""
    flags = np.asarray(tree.leaves == 1)
    flags[0] = False
    return flags


def fill(shown: ShownRows) -> ShownRows:
    """The rows as this adversary sees them."""
    nodes = most_frequent(shown)
    columns = [nodes[:, column] for column in range(nodes.shape[1])]
    return gather_counted(shown.group, columns, shown.count, shown.trees, shown.sizes)[0]


def most_frequent(shown: ShownRows) -> Int64:
    """The nodes of the rows, hidden ones filled."""
    filled = shown.nodes.copy()
    for column, tree in enumerate(shown.trees):
        visible, size = is_value(tree), len(tree)
        cells = shown.nodes[:, column]
        keys = shown.group * size + cells
        seen = visible[cells]
        known, inverse = np.unique(keys[seen], return_inverse=True)
        times = np.bincount(inverse.reshape(-1), shown.count[seen], minlength=len(known))
        hidden, back = np.unique(keys[~seen], return_inverse=True)
        node: Int64 = hidden % size
        start: Int64 = np.asarray(np.searchsorted(known, hidden), np.int64)
        end: Int64 = np.asarray(np.searchsorted(known, hidden - node + ends(tree)[node]), np.int64)
        owner, place = expand(start, end)
        # The best of each comes first: most rows, then the order of the tree.
        order = np.lexsort((place, -times[place], owner))
        first = order[np.concatenate([[True], owner[order][1:] != owner[order][:-1]])] if len(order) else order
        node[owner[first]] = known[place[first]] % size
        filled[~seen, column] = node[back.reshape(-1)]
    return filled
