"""Whether the trees of a generalized release are valid, and disclose no more than its rows need.

A tree made from the data lists their values: a node that no row holds, and that is above no such node, would be a value
that is published nowhere else. Trees that are disclosed on purpose are whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from shoal.audit.trees import bottom, ends
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, shorten
from shoal.data.arrays import Int64
from shoal.data.node_tree import NodeTree
from shoal.quoting import named
from shoal.release.generalized import Generalized, GeneralizedColumn

TREES, NODES, UNUSED = "trees", "cells", "unused nodes"


def check_trees(release: Generalized) -> Iterator[Check]:
    """Every condition on trees and on the cells that name their nodes."""
    # A tree made from the data is never whole: nodes that few rows are at or below are not disclosed.
    whole = {c.name: release.discloses_hierarchies and c.making is None for c in release.columns}
    wrong = next(
        (f"column {named(c.name)}: {why}" for c in release.columns if (why := wrong_tree(c.tree, whole=whole[c.name]))),
        None,
    )
    number = sum(len(column.tree) for column in release.columns)
    what = (
        "the nodes of every column's tree are in depth-first order under distinct labels, and each represents at least "
        "the values that those below it represent together"
    )
    yield decided(TREES, what, number, wrong)
    what = "every cell is a node of its column's tree"
    cells = sum(len(column) for column in release.columns)
    bad = next((f"column {named(c.name)}: {why}" for c in release.columns if (why := _wrong_cell(c))), None)
    yield decided(NODES, what, cells, bad)
    what = "every node of a tree is held by a row, or above one that is"
    if release.discloses_hierarchies:
        return
    if wrong or bad:
        yield not_checked(UNUSED, what, "the trees or cells of the release are wrong")
    else:
        idle = next(
            (f"column {named(c.name)}: {why}" for c in release.columns if (why := unused(c.tree, c.counts))), None
        )
        yield decided(UNUSED, what, number, idle)


def wrong_tree(tree: NodeTree, *, whole: bool) -> str | None:
    """What is wrong with a tree, if anything; ``whole``: no value may be missing."""
    if not len(tree) or not len(tree) == len(tree.parents) == len(tree.leaves):
        return f"{len(tree):,} labels, {len(tree.parents):,} parents and {len(tree.leaves):,} counts of values"
    if len(set(tree.labels)) < len(tree):
        twice, _ = Counter(tree.labels).most_common(1)[0]
        return f"two nodes have the label {shorten(twice)}"
    return _wrong_walk(tree) or _wrong_leaves(tree, whole=whole)


def _wrong_walk(tree: NodeTree) -> str | None:
    """In depth-first order each node comes below the previous one, or below an ancestor of that."""
    parents = tree.parents.tolist()
    if parents[0] != -1:
        return f"the first node, {shorten(tree.labels[0])}, is not the root"
    above = [0]
    for node, parent in enumerate(parents[1:], start=1):
        while above and above[-1] != parent:
            above.pop()
        if not above:
            return f"{shorten(tree.labels[node])} does not follow its parent in depth-first order"
        above.append(node)
    return None


def _wrong_leaves(tree: NodeTree, *, whole: bool) -> str | None:
    few = np.flatnonzero(tree.leaves < 1)
    if len(few):
        return f"{shorten(tree.labels[few[0]])} represents {int(tree.leaves[few[0]]):,} values"
    inner = ~bottom(tree)
    below, most = np.zeros(len(tree), object), np.zeros(len(tree), np.int64)
    np.add.at(below, tree.parents[1:], tree.leaves[1:].astype(object))  # numbers in a release may be arbitrarily large
    np.maximum.at(most, tree.parents[1:], tree.leaves[1:])
    short = np.flatnonzero((tree.leaves < below) | (whole & inner & (tree.leaves > below)))
    if len(short):
        at = int(short[0])
        return (
            f"{shorten(tree.labels[at])} represents {int(tree.leaves[at]):,} values, and the nodes below it "
            f"{int(below[at]):,}"
        )
    # A node with no more values than one below it hides nothing: it is the same node under another name.
    same = np.flatnonzero(inner & (tree.leaves == most) & (np.arange(len(tree)) > 0))
    if len(same):
        return f"{shorten(tree.labels[same[0]])} represents the same values as the only node below it"
    many = np.flatnonzero(~inner & (tree.leaves > 1)) if whole else same
    if len(many):
        return f"{shorten(tree.labels[many[0]])} represents {int(tree.leaves[many[0]]):,} values that are not disclosed"
    return None


def _wrong_cell(column: GeneralizedColumn) -> str | None:
    nodes = column.nodes
    wrong = np.flatnonzero((nodes < 0) | (nodes >= len(column.tree)))
    if not len(wrong):
        return None
    return f"row {int(wrong[0])} holds the node {int(nodes[wrong[0]])}, of {len(column.tree):,}" + and_more(
        len(wrong) - 1, "rows"
    )


def unused(tree: NodeTree, counts: Int64) -> str | None:
    """A node that no row holds, nor one below it, if there is one; ``counts``: how many rows hold each."""
    # The rows that hold a node at or below each: nodes below follow it.
    before = np.concatenate([[0], np.cumsum(counts)])
    idle = np.flatnonzero(before[ends(tree)] == before[:-1])
    idle = idle[idle > 0]
    if not len(idle):
        return None
    return f"{shorten(tree.labels[idle[0]])} is published, but no row holds it or a node below it" + and_more(
        len(idle) - 1, "nodes"
    )
