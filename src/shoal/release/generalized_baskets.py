"""A release of generalized baskets: records whose items are nodes of a hierarchy, one node per item everywhere.

M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving Anonymization of Set-valued Data, VLDB 2008. Plain data:
nothing here checks a promise, so the auditor can read anything of this shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.transactions import Transactions


@dataclass(frozen=True, eq=False)
class GeneralizedBaskets(BasketRelease):
    """Rows as flat arrays: row ``i`` holds the nodes ``nodes[offsets[i]:offsets[i + 1]]`` of the tree, ascending.

    Rows are sorted by content, node by node, a prefix before a longer row. No row is empty, and no row holds a node and
    one below it.
    """

    shape: ClassVar[str] = "generalized_baskets"

    method: ClassVar[str] = "km-generalization"
    promise: KmGeneralized
    tree: NodeTree
    """The hierarchy: the nodes that rows hold and those above, or all of it."""
    offsets: Int64
    nodes: Int32
    discloses_hierarchy: bool = False
    """Whether the tree is whole, rather than cut to what the rows hold."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"GeneralizedBaskets({self.n_rows:,} rows of {int(self.is_held.sum()):,} generalized items)"

    @property
    def promises(self) -> tuple[KmGeneralized]:
        """All promises, in the order of the manifest."""
        return (self.promise,)

    @property
    def n_rows(self) -> int:
        """The number of rows, equal to the number of records."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int64:
        """The number of nodes of each row."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> Int64:
        """How many rows hold each node of the tree."""
        return np.bincount(self.nodes, minlength=len(self.tree)).astype(np.int64)

    @property
    def is_held(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether a row holds each node of the tree."""
        held = np.zeros(len(self.tree), bool)
        held[self.nodes] = True
        return held

    @property
    def counts(self) -> dict[str, int]:
        """The sizes that the manifest states."""
        return {"rows": self.n_rows, "published_items": int(self.is_held.sum()), "ones": len(self.nodes)}

    def support(self, items: Iterable[str]) -> Support:
        """How many records hold all of the items: published ones, groups, or (in a whole hierarchy) items below them.

        Nodes in rows are counted exactly. An item below a node may be in all of its rows or in none, and is expected in
        equal shares.
        """
        return loaded("shoal.analyse.node_rows.supports:node_support")(self, items)

    def baskets(self) -> Transactions:
        """The rows as data for any analysis; generalized items are treated like other items."""
        return loaded("shoal.analyse.node_rows.row_baskets:published_baskets")(self)

    def reconstruct(
        self,
        n: int = 1,
        *,
        hierarchy: Hierarchy | None = None,
        seed: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Iterator[Transactions]:
        """Possible originals, in which each node is one of the items below it, drawn at random.

        ``hierarchy`` is the one the release was made with; it is not needed if the release has all of it.
        """
        return loaded("shoal.analyse.node_rows.row_baskets:filled_baskets")(
            self, n, hierarchy=hierarchy, seed=seed, progress=progress
        )
