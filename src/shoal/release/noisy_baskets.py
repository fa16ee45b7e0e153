"""A release of baskets with noisy counts: which baskets there are, and how often each, give or take some noise.

R. Chen, N. Mohammed, B. C. M. Fung, B. C. Desai, L. Xiong: Publishing Set-Valued Data via Differential Privacy, PVLDB
2011 (DiffPart). Plain data: nothing here checks a promise, so that the auditor can be handed anything that has the
shape.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pyarrow as pa

from shoal.data.frozen import freeze
from shoal.data.node_tree import NodeTree
from shoal.data.transactions import Int32, Int64
from shoal.promises import UnboundedDifferentialPrivacy

if TYPE_CHECKING:
    from shoal.analyse.node_rows.supports import NoisyCount
    from shoal.audit.verdict import Verdict
    from shoal.data.transactions import Transactions


@dataclass(frozen=True, eq=False)
class NoisyBaskets:
    """Different baskets as flat arrays: basket ``i`` holds the nodes ``items[offsets[i]:offsets[i + 1]]``, ascending.

    These are bottom nodes of the tree. Baskets stand in the order of their contents, item by item, a shorter one before
    a longer one that begins with it; none is empty, and none is there twice. Some of them nobody has.
    """

    method: ClassVar[str] = "diffpart"
    promise: UnboundedDifferentialPrivacy
    tree: NodeTree
    """The whole hierarchy of items, which was not made from the data."""
    offsets: Int64
    items: Int32
    row_counts: Int64
    """How often each basket is said to occur; at least once."""
    reproducible: bool = False
    """Whether a seed stood in for chance: whoever has it can undo the noise, so nobody may publish this."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"NoisyBaskets({self.n_rows:,} different baskets, {self.n_records:,} in all, {self.n_items:,} items)"

    @property
    def promises(self) -> tuple[UnboundedDifferentialPrivacy]:
        """Everything that is promised, in the order of the manifest."""
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
        """What the manifest says about size."""
        return {"rows": self.n_rows, "records": self.n_records, "items": self.n_items, "ones": len(self.items)}

    def write(self, folder: str | os.PathLike[str], *, force: bool = False, even_if_empty: bool = False) -> Verdict:
        """Write to a new folder, which appears only after what was written has been read back and verified.

        What keeps its promise and is worth nothing is refused (:class:`shoal.EmptyRelease`), unless it is to appear
        even if it is empty.
        """
        from shoal import pipeline  # a door: the release itself knows nothing of how it is written or audited

        return pipeline.write(self, folder, force=force, even_if_empty=even_if_empty)

    def support(self, items: Iterable[str]) -> NoisyCount:
        """How many records hold all of the items, by the sum of noisy counts."""
        from shoal.analyse.node_rows.supports import noisy_count  # a door, as above

        return noisy_count(self, items)

    def baskets(self) -> Transactions:
        """Every basket as often as its count says: data that any analysis takes. Nothing is drawn."""
        from shoal.analyse.node_rows.row_baskets import row_baskets  # a door, as above

        return row_baskets(self)

    def to_arrow(self) -> dict[str, pa.Table]:
        """The tables of the release folder: ``rows`` and ``hierarchy``."""
        from shoal.io.release_folder import arrow_tables  # a door, as above

        return arrow_tables(self)
