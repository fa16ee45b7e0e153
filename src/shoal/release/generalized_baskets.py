"""A release of generalized baskets: records whose items are nodes of a hierarchy, the same node for an item everywhere.

M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving Anonymization of Set-valued Data, VLDB 2008. Plain data:
nothing here checks a promise, so that the auditor can be handed anything that has the shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.node_tree import NodeTree
from shoal.loading import loaded
from shoal.promises import KmGeneralized
from shoal.release.base import BasketRelease

if TYPE_CHECKING:
    from shoal.analyse.answers import Support
    from shoal.data.transactions import Transactions


@dataclass(frozen=True, eq=False)
class GeneralizedBaskets(BasketRelease):
    """Rows as flat arrays: row ``i`` holds the nodes ``nodes[offsets[i]:offsets[i + 1]]`` of the tree, ascending.

    Rows are in the order of their contents, node by node, a shorter one before a longer one that begins with it. No
    row is empty, and no row holds a node and one below it.
    """

    shape: ClassVar[str] = "generalized_baskets"

    method: ClassVar[str] = "km-generalization"
    promise: KmGeneralized
    tree: NodeTree
    """The hierarchy: what rows hold and what is above it, or all of it."""
    offsets: Int64
    nodes: Int32
    discloses_hierarchy: bool = False
    """Whether the tree is whole, rather than cut at what the rows hold."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"GeneralizedBaskets({self.n_rows:,} rows of {int(self.is_held.sum()):,} generalized items)"

    @property
    def promises(self) -> tuple[KmGeneralized]:
        """Everything that is promised, in the order of the manifest."""
        return (self.promise,)

    @property
    def n_rows(self) -> int:
        """The number of rows: that of the records."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int64:
        """The number of nodes of each row."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> Int64:
        """In how many rows each node of the tree stands."""
        return np.bincount(self.nodes, minlength=len(self.tree)).astype(np.int64)

    @property
    def is_held(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether a row holds each node of the tree."""
        held = np.zeros(len(self.tree), bool)
        held[self.nodes] = True
        return held

    @property
    def counts(self) -> dict[str, int]:
        """What the manifest says about size."""
        return {"rows": self.n_rows, "published_items": int(self.is_held.sum()), "ones": len(self.nodes)}

    def support(self, items: Iterable[str]) -> Support:
        """How many records hold all of the items: published ones, groups, or (in a whole hierarchy) items below them.

        What rows hold is counted exactly. An item below it may be in all of these rows or in none, and is expected in
        equal shares.
        """
        return loaded("shoal.analyse.node_rows.supports:node_support")(self, items)

    def baskets(self) -> Transactions:
        """The rows as data that any analysis takes, in which generalized items are items like others."""
        return loaded("shoal.analyse.node_rows.row_baskets:published_baskets")(self)
