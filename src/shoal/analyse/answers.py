"""How many there are, as far as a release tells: what queries are answered with, of baskets and of tables."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Float64, Int64
from shoal.data.frozen import freeze


@dataclass(frozen=True)
class Support:
    """How many records hold some items, or rows meet some conditions, as far as a release tells.

    Example:
        >>> print(Support(3, 9, 4.5, 1.2, "every value is as likely"))
        between 3 and 9 for certain; about 4.5 +- 1.2 if every value is as likely
    """

    least: int
    """Every possible original has at least so many."""
    most: int
    """No possible original has more."""
    expected: float
    """So many are there on average, if the model is true; nan where a generalized release does not tell."""
    deviation: float
    """The standard deviation of their number, if the model is true; nan likewise."""
    model: str = field(default="", compare=False)
    """What the mean and the deviation take for granted and the release does not tell, as what follows an "if"."""
    left_out: int = field(default=0, compare=False)
    """Occurrences of items that publishing left out of records: the original may differ by so many."""

    def __str__(self) -> str:
        sure = f"{self.least:,}" if self.least == self.most else f"between {self.least:,} and {self.most:,}"
        but = f", but for {self.left_out:,} occurrences that publishing left out" if self.left_out else ""
        certain = f"{sure} for certain{but}"
        if self.least == self.most:
            return certain
        if math.isnan(self.expected):
            return f"{certain}; no known expectation"
        condition = f" if {self.model}" if self.model else ""
        return f"{certain}; about {self.expected:,.1f} +- {self.deviation:,.1f}{condition}"


@dataclass(frozen=True, eq=False)
class Supports:
    """The same for many itemsets or queries, as arrays in the order in which they were asked."""

    least: Int64
    most: Int64
    expected: Float64
    deviation: Float64
    model: str = ""
    left_out: int = 0

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.least)

    def __getitem__(self, at: int) -> Support:
        return Support(
            int(self.least[at]),
            int(self.most[at]),
            float(self.expected[at]),
            float(self.deviation[at]),
            self.model,
            self.left_out,
        )

    def __repr__(self) -> str:
        return f"Supports({len(self):,} answers)"

    @classmethod
    def concatenate(cls, parts: list[Supports]) -> Supports:
        """One after the other; all have the model of the first."""
        return replace(
            parts[0],
            least=np.concatenate([part.least for part in parts]),
            most=np.concatenate([part.most for part in parts]),
            expected=np.concatenate([part.expected for part in parts]),
            deviation=np.concatenate([part.deviation for part in parts]),
        )

    def take(self, at: Int64) -> Supports:
        """Those at the given places."""
        return replace(
            self, least=self.least[at], most=self.most[at], expected=self.expected[at], deviation=self.deviation[at]
        )

    def to_arrow(self) -> pa.Table:
        """One row for each answer."""
        return pa.table(
            {"least": self.least, "most": self.most, "expected": self.expected, "deviation": self.deviation}
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)
