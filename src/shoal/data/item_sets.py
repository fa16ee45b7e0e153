"""Sets of items as two flat arrays and the names of the items: records, rows, or itemsets found in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze


class ItemRows(Protocol):
    """Row ``i`` holds the items ``vocabulary[items[offsets[i]:offsets[i + 1]]]``; some rows may be empty."""

    @property
    def offsets(self) -> Int64:
        """Where each row starts, and where the last one ends."""

    @property
    def items(self) -> Int32:
        """The codes of items, row after row."""

    @property
    def vocabulary(self) -> pa.Array:
        """The items of the codes."""


@dataclass(frozen=True, eq=False)
class ItemSets:
    """Itemsets: set ``i`` holds the items ``vocabulary[items[offsets[i]:offsets[i + 1]]]``.

    Example:
        >>> sets = ItemSets(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), pa.array(["milk", "tea"]))
        >>> len(sets), sets.sizes.tolist(), sets.names().to_pylist()
        (2, [2, 1], [['milk', 'tea'], ['tea']])
    """

    offsets: Int64
    """Where each set starts in ``items``; one more entry than there are sets."""
    items: Int32
    """Item codes, set after set, ascending in each."""
    vocabulary: pa.Array
    """The items' names."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Int64:
        """How many items each set has."""
        return np.diff(self.offsets)

    def names(self) -> pa.Array:
        """The items of each set by name, as an Arrow array of lists."""
        return pa.LargeListArray.from_arrays(pa.array(self.offsets), self.vocabulary.take(pa.array(self.items)))

    def sets(self) -> Iterator[frozenset[str]]:
        """Each set by the names of its items."""
        words = self.vocabulary.to_pylist()
        for start, end in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield frozenset(words[code] for code in self.items[start:end].tolist())

    @property
    def bounds(self) -> tuple[Int64, Int64] | None:
        """The certain bounds of each count, if counts are means; otherwise None."""
        return None

    def to_arrow(self) -> pa.Table:
        """A table of the sets: items, size."""
        return pa.table({"items": self.names(), "size": pa.array(self.sizes)})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table to any Arrow consumer."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)
