"""The places of the values of an original in the trees of a generalized release of it.

A published tree lists the nodes that rows hold and the nodes above them. Any other value is below the lowest published
node above it: for a tree made from the data its labels show which one that is; otherwise the given hierarchy does. If
neither does, a value that is not in the tree may be below any node that represents several values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.audit import trees
from shoal.audit.generalized.filling import is_value
from shoal.audit.generalized.made_trees import lowest_above
from shoal.audit.generalized.prefix_tree import Upwards, upwards
from shoal.audit.not_tried import LeftOut
from shoal.audit.values import column_texts
from shoal.audit.wording import shorten
from shoal.data.arrays import Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Column, Table
from shoal.quoting import called
from shoal.release.generalized import Generalized, GeneralizedColumn

NAME = "generalized cells of the original"


@dataclass(frozen=True, eq=False)
class Places:
    """The rows of an original in one column of a release."""

    lowest: Int64
    """For each row the lowest published node at or above its value; the number of nodes if that is unknown."""
    ways: Upwards
    """What a cell of each such row may hold."""
    whole: NodeTree
    """The published tree with the values of the original added."""
    values: Int64
    """For each row its value there."""
    published: Int64
    """For each published node its place there."""
    wrong: str | None = None
    """A contradiction to the given hierarchy."""
    compared: bool = False
    """Whether a hierarchy was given."""
    left_out: LeftOut | None = None


def place_columns(release: Generalized, original: Table, hierarchies: Mapping[str, Hierarchy]) -> list[Places]:
    """Find the places of all columns of a release.

    Raises:
        InputError: A value has no place in its given hierarchy.
    """
    return [_place(column, original.column(column.name), hierarchies.get(column.name)) for column in release.columns]


def _place(column: GeneralizedColumn, original: Column, hierarchy: Hierarchy | None) -> Places:
    tree = column.tree
    texts = column_texts(original)
    known = {label: node for node, label in enumerate(tree.labels)}
    visible = is_value(tree)
    wrong: str | None = None
    given = hierarchy is not None and hierarchy.making in (None, "completed")
    places = np.array([known.get(text, len(tree)) for text in texts], np.int64)
    places[~np.append(visible, False)[places]] = len(tree)  # a value may be called as a node above others is
    whole = None if hierarchy is None else trees.tree_of(hierarchy)
    differs = None if whole is None else _no_part(tree, whole, fewer=column.making == "completed")
    if given:
        wrong = differs
    if hierarchy is not None and whole is not None and differs is None:
        among = {label: node for node, label in enumerate(whole.labels)}
        found = trees.leaves_of(texts, hierarchy, numbers=original.is_number)
        values = np.array([among[leaf] for leaf in found], np.int64)
        places = _lowest(tree, whole)[values]
        published = np.array([among[label] for label in tree.labels], np.int64)
    else:
        new = np.flatnonzero(places == len(tree))
        if column.making is not None and wrong is None:
            places[new] = lowest_above(column, original)[new]
        whole, values, published = _with_values(tree, places, new, texts)
    left_out = None
    if wrong is None and (places == len(tree)).any() and np.count_nonzero(~visible) > 1:
        value = shorten(texts[int(np.flatnonzero(places == len(tree))[0])])
        left_out = LeftOut(
            NAME,
            f"{called(column.name)}: only the hierarchy shows whether generalized cells are above values like {value}, "
            f"which the release does not show (--hierarchy {called(column.name)}=FILE)",
        )
    ways = _with_unknown(tree, np.flatnonzero(~visible))
    rows = original.codes
    return Places(places[rows], ways, whole, values[rows], published, wrong, given, left_out)


def _with_values(tree: NodeTree, places: Int64, new: Int64, texts: list[str]) -> tuple[NodeTree, Int64, Int64]:
    """A tree with the values that are not in it, the places of all values, and the places of the nodes.

    Each is the last below its place; below the root if that is not known.
    """
    below = np.where(places[new] < len(tree), places[new], 0)
    # In depth-first order a value comes after all descendants of its parent, and deeper ones come first.
    order = np.lexsort((-trees.depths(tree)[below], trees.ends(tree)[below]))
    before = trees.ends(tree)[below[order]]
    nodes = np.arange(len(tree)) + np.searchsorted(before, np.arange(len(tree)), side="right")
    at = before + np.arange(len(order))
    size = len(tree) + len(new)
    labels: list[str] = [""] * size
    for node, place in enumerate(nodes.tolist()):
        labels[place] = tree.labels[node]
    parents, leaves = np.full(size, -1, np.int32), np.ones(size, np.int64)
    parents[nodes[1:]], leaves[nodes] = nodes[tree.parents[1:]], tree.leaves
    values = np.zeros(len(places), np.int64)
    for place, value in zip(at.tolist(), new[order].tolist(), strict=True):
        labels[place] = texts[value]
    parents[at], values[new[order]] = nodes[below[order]], at
    listed = np.ones(len(places), bool)
    listed[new] = False
    values[listed] = nodes[places[listed]]
    return NodeTree(tuple(labels), parents, leaves), values, nodes


def _with_unknown(tree: NodeTree, general: Int64) -> Upwards:
    ways = upwards(tree)
    return Upwards(np.append(ways.offsets, len(ways.nodes) + len(general)), np.concatenate([ways.nodes, general]))


def _no_part(tree: NodeTree, whole: NodeTree, *, fewer: bool) -> str | None:
    """Why a tree is not a part of another one from its root on; None if it is.

    ``fewer``: values below its root may be missing with suppressed rows.
    """
    known = {label: node for node, label in enumerate(whole.labels)}
    for node, label in enumerate(tree.labels):
        there = known.get(label)
        if there is None:
            return f"the hierarchy has no node {shorten(label)}"
        gone = int(whole.leaves[there]) - int(tree.leaves[node])
        if gone < 0 or (gone > 0 and not (fewer and node == 0)):
            return (
                f"{shorten(label)} represents {int(tree.leaves[node]):,} values in the release, and "
                f"{int(whole.leaves[there]):,} in the hierarchy"
            )
        above = None if node == 0 else tree.labels[tree.parents[node]]
        true = None if there == 0 else whole.labels[whole.parents[there]]
        if above != true:
            return (
                f"{shorten(label)} is below {shorten(above)} in the release, and below {shorten(true)} in the hierarchy"
            )
    return None


def _lowest(tree: NodeTree, whole: NodeTree) -> Int64:
    """For each node of a tree the lowest one at or above it that is in a part of the tree."""
    known = {label: node for node, label in enumerate(tree.labels)}
    lowest = np.array([known.get(label, -1) for label in whole.labels], np.int64)
    for node, parent in enumerate(whole.parents.tolist()):
        if lowest[node] < 0:
            lowest[node] = lowest[parent]
    return lowest
