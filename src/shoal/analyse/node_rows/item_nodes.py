"""Which items the nodes of a release of generalized baskets stand for, if a hierarchy says it.

A release says of each node how many items are below it, and names them only if its hierarchy is whole: else the
hierarchy that it was made with must be at hand, and it must be that one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.utf8 import searched
from shoal.errors import InputError
from shoal.quoting import shown
from shoal.release.generalized_baskets import GeneralizedBaskets

_NAMED = 3


@dataclass(frozen=True, eq=False)
class ItemNodes:
    """The items of a hierarchy in the order of its walk, in which what is below a node stands together."""

    names: pa.Array
    first: Int64
    end: Int64
    """Node ``i`` of the release stands for the items ``names[first[i]:end[i]]``."""
    held: Int32
    """The nodes that stand in a row, ascending."""

    def __post_init__(self) -> None:
        freeze(self)

    def nodes_of(self, items: Iterable[str]) -> Int32:
        """The node that stands in rows for each item; -1 where there is none, or no such item."""
        places = pc.fill_null(pc.index_in(searched(items), self.names), -1).to_numpy()
        if not len(self.held):
            return np.full(len(places), -1, np.int32)
        # No held node is below another one, so that their items follow each other as the nodes do.
        at = np.maximum(np.searchsorted(self.first[self.held], places, side="right") - 1, 0)
        node = self.held[at]
        found: Int32 = np.where((places >= self.first[node]) & (places < self.end[node]), node, -1).astype(np.int32)
        return found


def item_nodes(release: GeneralizedBaskets, hierarchy: Hierarchy | None = None) -> ItemNodes:
    """The items below each node, from the hierarchy if one is given, else from the release's own if it is whole.

    Raises:
        InputError: the release does not tell and no hierarchy is given, or this is not the one that it was made with.
    """
    tree = release.tree if hierarchy is None else NodeTree.from_hierarchy(hierarchy)
    is_item = tree.is_bottom & (tree.leaves == 1)
    is_item[0] = False  # the root is no item, even of a single one
    upto = np.concatenate([[0], np.cumsum(is_item)])
    places = np.arange(len(tree)) if hierarchy is None else _places(release.tree, tree)
    first, end = upto[places], upto[tree.ends[places]]
    # Of its own tree a release need tell only what rows hold: items that no row has are cut off.
    asked = release.is_held if hierarchy is None else np.ones(len(places), bool)
    unknown = np.flatnonzero(asked & (end - first != release.tree.leaves))
    if len(unknown):
        node = int(unknown[0])
        if hierarchy is None:
            raise InputError(
                f"this release does not tell what {shown(release.tree.labels[node])} stands for: its hierarchy is "
                "cut to the published nodes. Give the one that it was made with (--hierarchy FILE)"
            )
        raise InputError(
            f"{shown(release.tree.labels[node])} stands for {release.tree.leaves[node]:,} items in the release and for "
            f"{end[node] - first[node]:,} in this hierarchy: give the one that the release was made with"
        )
    names = pa.array([label for label, item in zip(tree.labels, is_item.tolist(), strict=True) if item], pa.string())
    return ItemNodes(names, first, end, np.flatnonzero(release.is_held).astype(np.int32))


def _places(cut: NodeTree, whole: NodeTree) -> Int64:
    """Where the nodes of a tree stand in the one that it was cut from."""
    known = {label: place for place, label in enumerate(whole.labels)}
    strange = [label for label in cut.labels if label not in known]
    if strange:
        listed = ", ".join(map(shown, strange[:_NAMED])) + (", ..." if len(strange) > _NAMED else "")
        raise InputError(
            f"in the release, but not in this hierarchy ({len(strange):,}): {listed}; give the one that the release "
            "was made with"
        )
    return np.array([known[label] for label in cut.labels], np.int64)
