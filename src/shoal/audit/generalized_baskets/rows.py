"""The structure of a release of generalized baskets: a tree, rows of its nodes, and one node for each item."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.audit.node_trees import UNUSED, unused, wrong_tree
from shoal.audit.row_order import rows_not_ascending, rows_out_of_order
from shoal.audit.trees import ends
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import LISTED, and_more, shorten
from shoal.release.generalized_baskets import GeneralizedBaskets

TREE, ROWS, ORDER, GLOBAL = "hierarchy", "rows", "order", "one node an item"
SHAPE = (TREE, ROWS)
"""If one of these checks fails, all others are meaningless."""


def check_rows(release: GeneralizedBaskets) -> Iterator[Check]:
    """Every condition on the tree, on rows, and on their order."""
    whole = release.discloses_hierarchy
    wrong = wrong_tree(release.tree, whole=whole)
    what = (
        "the nodes of the hierarchy are in depth-first order under distinct labels, and each represents at least the "
        "items that those below it represent together"
    )
    yield decided(TREE, what, len(release.tree), wrong)
    bad = _wrong_rows(release)
    what = "rows hold nodes of the hierarchy, in ascending order, none of them twice, and no row is empty"
    yield decided(ROWS, what, release.n_rows, bad)
    in_order = "rows are sorted by content, so their order says nothing about where they come from"
    one_node = "no published node is below another one: an item is the same node in all rows"
    extent = "every node of the hierarchy is held by a row, or above one that is"
    later = [(ORDER, in_order), (GLOBAL, one_node)] + [(UNUSED, extent)] * (not whole)
    if wrong or bad:
        yield from (
            not_checked(name, what, "the hierarchy or the rows of the release are wrong") for name, what in later
        )
        return
    yield decided(ORDER, in_order, release.n_rows, _out_of_order(release))
    yield decided(GLOBAL, one_node, int(release.is_held.sum()), _nested(release))
    if not whole:
        yield decided(UNUSED, extent, len(release.tree), unused(release.tree, release.supports))


def _wrong_rows(release: GeneralizedBaskets) -> str | None:
    offsets, nodes = release.offsets, release.nodes
    strange = np.flatnonzero((nodes < 0) | (nodes >= len(release.tree)))
    if len(strange):
        row = int(np.searchsorted(offsets, strange[0], side="right")) - 1
        return f"row {row} holds the node {int(nodes[strange[0]])}, of {len(release.tree):,}"
    if not release.n_rows:
        return "there are none"
    empty = np.flatnonzero(np.diff(offsets) == 0)
    if len(empty):
        return f"row {int(empty[0])} is empty" + and_more(len(empty) - 1, "rows")
    wrong = rows_not_ascending(offsets, nodes)
    if len(wrong):
        return f"row {int(wrong[0])} is {row_shown(release, int(wrong[0]))}" + and_more(len(wrong) - 1, "rows")
    return None


def _out_of_order(release: GeneralizedBaskets) -> str | None:
    wrong = rows_out_of_order(release.offsets, release.nodes)
    if not len(wrong):
        return None
    row = int(wrong[0])
    pair = f"row {row + 1}, {row_shown(release, row + 1)}, comes after row {row}, {row_shown(release, row)}"
    return pair + and_more(len(wrong) - 1, "such pairs")


def _nested(release: GeneralizedBaskets) -> str | None:
    held, tree = release.is_held, release.tree
    before = np.concatenate([[0], np.cumsum(held)])
    above = np.flatnonzero(held & (before[ends(tree)] - before[:-1] > 1))
    if not len(above):
        return None
    node = int(above[0])
    below = node + 1 + int(np.argmax(held[node + 1 :]))
    return f"rows hold {name_of(release, node)}, and rows hold {name_of(release, below)}, which is below it" + and_more(
        len(above) - 1, "nodes with others below"
    )


def name_of(release: GeneralizedBaskets, node: int) -> str:
    """A node by its label."""
    return shorten(release.tree.labels[node])


def nodes_shown(release: GeneralizedBaskets, nodes: list[int]) -> str:
    """``{alcohol, milk}``; long sets are cut."""
    names = [name_of(release, node) for node in nodes[:LISTED]]
    return "{" + ", ".join(names + [f"... {len(nodes) - LISTED:,} more"] * (len(nodes) > LISTED)) + "}"


def row_shown(release: GeneralizedBaskets, row: int) -> str:
    """A row by its labels."""
    return nodes_shown(release, release.nodes[release.offsets[row] : release.offsets[row + 1]].tolist())
