"""A release of baskets with noisy counts: the baskets, and how often each occurs, plus or minus noise.

R. Chen, N. Mohammed, B. C. M. Fung, B. C. Desai, L. Xiong: Publishing Set-Valued Data via Differential Privacy, PVLDB
2011 (DiffPart). Plain data: nothing here checks a promise, so the auditor can read anything of this shape.
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
from shoal.promises import UnboundedDifferentialPrivacy
from shoal.release.base import BasketRelease

if TYPE_CHECKING:
    from shoal.analyse.node_rows.supports import NoisyCount
    from shoal.data.transactions import Transactions


@dataclass(frozen=True, eq=False)
class NoisyBaskets(BasketRelease):
    """Different baskets as flat arrays: basket ``i`` holds the nodes ``items[offsets[i]:offsets[i + 1]]``, ascending.

    These are bottom nodes of the tree. Baskets are sorted by content, item by item, a prefix before a longer basket; no
    basket is empty, and no basket occurs twice. Some of them may be in no record.
    """

    shape: ClassVar[str] = "noisy_baskets"

    method: ClassVar[str] = "diffpart"
    promise: UnboundedDifferentialPrivacy
    tree: NodeTree
    """The whole hierarchy of items, which was not made from the data."""
    offsets: Int64
    items: Int32
    row_counts: Int64
    """The noisy count of each basket; at least one."""
    reproducible: bool = False
    """Whether a seed was used: anyone with it can undo the noise, so this release must not be published."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"NoisyBaskets({self.n_rows:,} different baskets, {self.n_records:,} in all, {self.n_items:,} items)"

    @property
    def promises(self) -> tuple[UnboundedDifferentialPrivacy]:
        """All promises, in the order of the manifest."""
        return (self.promise,)

    @property
    def n_rows(self) -> int:
        """The number of different baskets."""
        return len(self.offsets) - 1

    @property
    def n_records(self) -> int:
        """How many baskets there are by their noisy counts; the original may have had more or fewer records."""
        return int(self.row_counts.sum())

    @property
    def n_items(self) -> int:
        """How many items the hierarchy has."""
        return int(np.count_nonzero(self.tree.is_bottom))

    @property
    def lengths(self) -> Int64:
        """The number of items of each basket."""
        return np.diff(self.offsets)

    @property
    def counts(self) -> dict[str, int]:
        """The sizes that the manifest states."""
        return {"rows": self.n_rows, "records": self.n_records, "items": self.n_items, "ones": len(self.items)}

    def support(self, items: Iterable[str]) -> NoisyCount:
        """How many records hold all of the items, by the sum of noisy counts."""
        return loaded("shoal.analyse.node_rows.supports:noisy_count")(self, items)

    def baskets(self) -> Transactions:
        """Every basket as often as its noisy count: data for any analysis. Nothing is drawn."""
        return loaded("shoal.analyse.node_rows.row_baskets:repeated_baskets")(self)
