"""A randomized release: rows of items, with random flips, fake transactions, or both.

A. Mohaisen et al.: Privacy Preserving Association Rule Mining Revisited, IEICE Trans. E93-D, 2010. Plain data: nothing
here checks a promise, so the auditor can read anything of this shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze
from shoal.loading import loaded
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.release.base import BasketRelease

if TYPE_CHECKING:
    from shoal.analyse.randomized.estimates import Estimate

# Items counted together.
_BATCH = 1 << 20
RandomizedMethod = Literal["mask", "fakes", "hybrid"]


@dataclass(frozen=True, eq=False)
class Randomized(BasketRelease):
    """Rows as flat arrays: row ``i`` holds the items ``vocabulary[items[offsets[i]:offsets[i + 1]]]``, ascending.

    Rows are sorted by content, item by item, a prefix before a longer row. A row may be empty, and an item of the
    vocabulary may be in no row.
    """

    shape: ClassVar[str] = "randomized"

    promise: Randomization
    vocabulary: pa.Array
    """The list of items, sorted: as numbers if all of them are whole numbers, else as text."""
    offsets: Int64
    items: Int32
    n_records: int
    """How many rows are real; which ones is not stored."""
    privacy: DifferentialPrivacy | None = None
    """What flips promise about whole records, if these were cut to a length."""
    reproducible: bool = False
    """Whether a seed was used: anyone who has it can undo everything, so this release must not be published."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"Randomized({self.n_rows:,} rows of {self.n_items:,} items, {self.n_fakes:,} of them fake)"

    @property
    def method(self) -> RandomizedMethod:
        """The method used."""
        if self.promise.keep_prob == 1:
            return "fakes"
        return "hybrid" if self.promise.fakes else "mask"

    @property
    def promises(self) -> tuple[Randomization | DifferentialPrivacy, ...]:
        """All promises, in the order of the manifest."""
        return (self.promise,) if self.privacy is None else (self.promise, self.privacy)

    @property
    def n_rows(self) -> int:
        """The number of rows, real and fake."""
        return len(self.offsets) - 1

    @property
    def n_fakes(self) -> int:
        """The number of fake transactions."""
        return self.n_rows - self.n_records

    @property
    def n_items(self) -> int:
        """How many items the list has."""
        return len(self.vocabulary)

    @property
    def lengths(self) -> Int64:
        """The number of items of each row."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> Int64:
        """How many rows hold each item, as published."""
        counts = np.zeros(self.n_items, np.int64)
        for first in range(0, len(self.items), _BATCH):  # NumPy counts a copy that is twice as large
            counts += np.bincount(self.items[first : first + _BATCH], minlength=self.n_items)
        return counts

    @property
    def counts(self) -> dict[str, int]:
        """The sizes that the manifest states."""
        return {"rows": self.n_rows, "records": self.n_records, "items": self.n_items, "ones": len(self.items)}

    def support(self, items: Iterable[str]) -> Estimate:
        """The share of the original's records that hold all of the items, as far as the release shows.

        See :func:`shoal.estimated_supports` for many at once.
        """
        return loaded("shoal.analyse.randomized.supports:estimated_support")(self, items)
