"""How many there are, as far as a release tells: what queries are answered with, of baskets and of tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.frozen import freeze

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Support:
    """How many records hold some items, or rows meet some conditions, as far as a release tells.

    Example:
        >>> print(Support(3, 4.5, 1.2, 9))
        4.5 expected (standard deviation 1.2), 3 to 9 possible
    """

    least: int
    """Every possible original has at least so many."""
    expected: float
    """So many are there on average, over random reconstructions; nan where a generalized release does not tell."""
    deviation: float
    """The standard deviation over random reconstructions; nan likewise."""
    most: int
    """No possible original has more."""

    def __str__(self) -> str:
        mean = (
            "no known expectation"
            if math.isnan(self.expected)
            else f"{self.expected:,.1f} expected (standard deviation {self.deviation:,.1f})"
        )
        return f"{mean}, {self.least:,} to {self.most:,} possible"


@dataclass(frozen=True, eq=False)
class Supports:
    """The same for many itemsets or queries, as arrays in the order in which they were asked."""

    least: Int64
    expected: Float64
    deviation: Float64
    most: Int64

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.least)

    def __getitem__(self, at: int) -> Support:
        return Support(int(self.least[at]), float(self.expected[at]), float(self.deviation[at]), int(self.most[at]))

    def __repr__(self) -> str:
        return f"Supports({len(self):,} answers)"

    @classmethod
    def concatenate(cls, parts: list[Supports]) -> Supports:
        """One after the other."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))

    def take(self, at: Int64) -> Supports:
        """Those at the given places."""
        return Supports(self.least[at], self.expected[at], self.deviation[at], self.most[at])

    def to_arrow(self) -> pa.Table:
        """One row for each answer."""
        return pa.table(
            {"least": self.least, "expected": self.expected, "deviation": self.deviation, "most": self.most}
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)
