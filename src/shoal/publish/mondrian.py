"""Mondrian-style local recoding along trees: each part of the rows is generalized only as far as needed.

K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional k-Anonymity, ICDE 2006, with hierarchies in place of
medians. All rows begin at the root of every column. A part is split on one column, into the children of its node: the
rows of a child with at least k rows go down; the rows of smaller children stay together at the node. If those are fewer
than k, the smallest of the children that went down stays with them. A part whose rows are all in one child goes down at
no cost. The column is the one whose split saves most of the normalized certainty penalty (NCP), until none saves any.

Groups are well-defined: two parts never have the same labels. They were one part until a split on some column. There
they went to different children; or one went to a child and the other stayed, without any row of that child: it keeps
the node's label, or goes down to other children later.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.node_tree import NodeTree
from shoal.kernels.compiling import announced
from shoal.publish.recoding import Recoding, renumbered
from shoal.run import DEFAULT_RUN, Run

# Cells processed between two reports of progress.
_BUDGET = 1 << 25


def generalize(
    values: Sequence[Int32],
    trees: Sequence[NodeTree],
    k: int,
    *,
    allowance: int = 0,
    run: Run = DEFAULT_RUN,
) -> Recoding:
    """Generalize rows until every combination of nodes occurs in at least ``k`` of them.

    Args:
        values: for each column the bottom node that each row holds.
        trees: the tree of each column.
        k: how many rows agree on all columns; no more than there are rows.
        allowance: how many rows may be suppressed. If fewer than k rows would stay at a node, they are suppressed
            instead of keeping others with them, provided that this saves more of the NCP than it costs; a suppressed
            row costs 1 in every column. Splits of larger parts come first.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        For each column the node of each row, and which rows are suppressed: they are at the roots.

    Deviations:
        Splits are into the children of a node, not at a median, so that cells are nodes of the hierarchy; the NCP
        decides where the paper takes the widest column.

    Example:
        >>> from shoal.data.hierarchy import Hierarchy
        >>> job = NodeTree.from_hierarchy(Hierarchy.from_rows([("State", "Gov", "*"), ("Local", "Gov", "*"),
        ...                                                    ("Own", "Own", "*")]))
        >>> nodes, _ = generalize([np.array([2, 2, 3, 4, 4], np.int32)], [job], 2)
        >>> [job.labels[node] for node in nodes[0]]
        ['Gov', 'Gov', 'Gov', 'Own', 'Own']
    """
    n_rows = len(values[0])
    report = run.report
    report("generalize", 0, n_rows)
    with announced(lambda: report("compile", 0, 1)):
        from shoal.kernels.local_recoding import SUPPRESSED, split_parts

    # Equal rows become one with a weight, and are sorted: nothing below depends on the order of the input.
    kind, first = renumbered(values, trees)
    weights = np.bincount(kind)
    roots = np.cumsum([0, *(len(tree) for tree in trees[:-1])])
    cells = np.concatenate([column[first] + root for column, root in zip(values, roots, strict=True)]).astype(np.int32)
    paths, path_starts = _paths(trees, roots)
    n, n_columns = len(weights), len(trees)
    rows = np.arange(n)
    room = min(n, n_rows // k)  # parts are disjoint, and of at least k rows
    ring_nodes = np.zeros(room * n_columns, np.int32)
    ring_nodes[:n_columns] = roots
    ring_bounds = np.zeros(room * 3, np.int64)
    ring_bounds[1:3] = n, n_rows
    state = np.array([0, 1, allowance], np.int64)
    depths = np.concatenate([tree.depths for tree in trees])
    leaves = np.concatenate([tree.leaves for tree in trees])
    done = 0
    while done < n:
        done += split_parts(
            cells,
            weights,
            rows,
            paths,
            path_starts,
            depths,
            leaves,
            roots,
            k,
            ring_nodes,
            ring_bounds,
            state,
            _BUDGET,
        )
        report("generalize", n_rows * done // n, n_rows)
    place = np.empty(n, np.int64)
    place[rows] = np.arange(n)
    place = place[kind]
    suppressed = cells[place] == SUPPRESSED
    nodes = []
    for c in range(n_columns):
        column = cells[c * n : c * n + n] - roots[c].astype(np.int32)
        nodes.append(np.maximum(column, 0)[place])
    return Recoding(nodes, suppressed)


def _paths(trees: Sequence[NodeTree], roots: Int64) -> tuple[Int32, Int64]:
    """For every node the path from the root of its tree, with nodes of all trees numbered; and where paths begin."""
    parents = np.concatenate([tree.parents + root for tree, root in zip(trees, roots, strict=True)])
    depths = np.concatenate([tree.depths for tree in trees]).astype(np.int64)
    starts = np.cumsum(depths + 1) - depths - 1
    paths = np.empty(int(depths.sum()) + len(depths), np.int32)
    up = np.arange(len(depths))
    for depth in range(int(depths.max()), -1, -1):
        below = np.flatnonzero(depths >= depth)
        paths[starts[below] + depth] = up[below]
        up[below] = parents[up[below]]
    return paths, starts
