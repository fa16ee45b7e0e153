"""Answers to queries: counts of records or rows, with bounds where a release leaves them open."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Float64, Int64
from shoal.data.frozen import freeze

if TYPE_CHECKING:
    from shoal.analyse.node_rows.supports import NoisyCount
    from shoal.analyse.randomized.estimates import Estimate, Estimates
    from shoal.analyse.tables.aggregates import Aggregate


@dataclass(frozen=True)
class Support:
    """How many records hold some items, or rows meet some conditions, with bounds where a release leaves it open.

    Example:
        >>> print(Support(3, 9, 4.5, 1.2, "every value is as likely"))
        between 3 and 9 for certain; about 4.5 +- 1.2 if every value is as likely
    """

    least: int
    """Every possible original has at least so many."""
    most: int
    """No possible original has more."""
    expected: float
    """So many are there on average, if the model is true; nan where a generalized release does not determine it."""
    deviation: float
    """The standard deviation of their number, if the model is true; nan likewise."""
    model: str = field(default="", compare=False)
    """The assumption of mean and deviation that the release does not determine: what follows an "if"."""
    left_out: int = field(default=0, compare=False)
    """Occurrences of items that publishing left out of records: the original may differ by so many."""

    def as_dict(self) -> dict[str, float | None]:
        """Bounds, mean and deviation, with None for what is not known: JSON has no nan. The model is said once for all.

        Example:
            >>> Support(3, 9, math.nan, math.nan).as_dict()
            {'least': 3, 'most': 9, 'expected': None, 'deviation': None}
        """
        means = {"expected": self.expected, "deviation": self.deviation}
        known = {name: None if math.isnan(value) else value for name, value in means.items()}
        return {"least": self.least, "most": self.most, **known}

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


@dataclass(frozen=True, eq=False)
class Answers:
    """What a release answers to queries, in the order in which they were asked."""

    asked: tuple[tuple[str, ...], ...] | tuple[str, ...]
    """The queries: the items of each, or its conditions as a text."""
    found: Supports | Estimates | tuple[NoisyCount, ...]
    """The answers, of the kind that the release allows."""
    said: dict[str, Any]
    """What holds for all answers: how many records or rows there are, and what the means take for granted."""
    listed: str
    """What the answers are called among plain values: supports, estimates or counts."""
    rows: tuple[dict[str, Any], ...]
    """Each query and its answer as plain values."""
    aggregates: tuple[Aggregate, ...] = ()
    """The minimum, the maximum and the average of a column, for each query, where they were asked for."""

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, at: int) -> Support | Estimate | NoisyCount:
        return self.found[at]

    def __iter__(self) -> Iterator[Support | Estimate | NoisyCount]:
        return (self.found[at] for at in range(len(self)))

    def __repr__(self) -> str:
        return f"Answers({len(self):,} {self.listed})"

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, ready for JSON."""
        return {**self.said, self.listed: [*self.rows]}
