"""The negative rules of a table, counted from their definition.

T. Li, N. Li: Injector, 2008, section IV. A rule X => not Y holds if enough rows that meet X do not have Y (confidence),
and so many rows meet X that Y would be expected among them (expectation). The auditor does not ask the miner: it
counts itself, column after column, over the distinct rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Column, Table, names_in
from shoal.errors import InputError
from shoal.limits import require_share, require_whole
from shoal.promises import MEMBERSHIPS

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Int64 = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

NEGLIGIBLE = 1e-9
"""Degrees of membership, and shares of sums of them, that come from rounding."""
ROUNDING = 1e-12
"""What a sum of degrees may lack."""


def count_rules(
    table: Table,
    quasi: list[str],
    sensitive: str,
    *,
    min_expectation: float,
    min_confidence: float = 1.0,
    max_attributes: int = 1,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    membership: str = "crisp",
) -> Background:
    """Find all negative rules of a table.

    Args:
        table: The data.
        quasi: The columns that conditions may speak of.
        sensitive: The column whose values are excluded.
        min_expectation: The least chance that a value occurs at least once among the rows that meet the conditions, if
            it were spread over all rows by chance.
        min_confidence: The least share of the rows that meet the conditions and do not have the value.
        max_attributes: How many columns a rule may speak of.
        hierarchies: Trees whose nodes are conditions, too, by column.
        membership: ``crisp``, or how degrees of several numeric columns are combined: ``product`` or ``minimum``.

    Returns:
        The rules; of each column, conditions that the same values meet are one.

    Raises:
        InputError: A column is unknown, a number out of range, or a value without a place in its hierarchy.
    """
    require_share("min_expectation", min_expectation, one=False)
    require_share("min_confidence", min_confidence)
    require_whole("max_attributes", max_attributes, least=1)
    if membership not in MEMBERSHIPS:
        raise InputError(f"membership is {membership!r}: it must be one of {', '.join(MEMBERSHIPS)}")
    names = names_in(quasi)
    columns = [table.column(name) for name in names]
    values = table.column(sensitive)
    trees = hierarchies or {}
    crisp = membership == "crisp"
    bar = _Bar(_needed(values.counts, len(table), min_expectation), min_confidence, crisp)
    meant = [_conditions(column, trees.get(column.name), bar.least, fuzzy=not crisp) for column in columns]
    group = table.group_numbers([*names, sensitive])
    _, first, weights = np.unique(group, return_index=True, return_counts=True)
    search = _Search(
        codes=[column.codes[first].astype(np.int64) for column in columns],
        sensitive=values.codes[first].astype(np.int64),
        meant=meant,
        n_values=len(values.values),
        bar=bar,
        minimum=membership == "minimum",
        most=max_attributes,
    )
    texts = values.texts
    rows = np.arange(len(first))
    found = search.from_column(0, rows, np.ones(len(first)), weights.astype(np.float64), ())
    return Background(sensitive, tuple(NegativeRule(chosen, texts[excluded]) for chosen, excluded in found))


@dataclass(frozen=True, eq=False)
class _Conditions:
    """What may be said of one column, and to which degree each of its values meets it."""

    named: tuple[Condition, ...]
    degrees: csr_array
    """One row a condition, one column a value."""

    def of(self, which: int) -> Floats:
        """The degree to which each value meets one condition."""
        start, end = self.degrees.indptr[which : which + 2]
        degree = np.zeros(self.degrees.shape[1])
        degree[self.degrees.indices[start:end]] = self.degrees.data[start:end]
        return degree


@dataclass(frozen=True, eq=False)
class _Bar:
    """What a rule must reach."""

    needed: Floats
    """For each sensitive value how many rows must meet the conditions; infinite for one that all rows have."""
    confidence: float
    crisp: bool

    @property
    def least(self) -> float:
        """So many rows must meet the conditions of any rule at all."""
        return float(self.needed.min(initial=np.inf)) * (1 - ROUNDING)

    def passed(self, met: Floats, with_value: Floats) -> Bools:
        """Which sensitive values are excluded, for the sums over rows that meet each condition."""
        enough = met[:, None] >= self.needed * (1 if self.crisp else 1 - ROUNDING)
        if self.crisp:
            allowed = 1 - Fraction(repr(float(self.confidence)))
            # Exactly as written: .9 of 10 rows is 9, whatever floating point makes of 1 - .9.
            most = np.array([math.floor(allowed * int(count)) for count in met], np.float64)
        else:
            most = (1 - self.confidence + NEGLIGIBLE) * met
        return np.asarray(enough & (with_value <= most[:, None]) & (met[:, None] > 0))


@dataclass(frozen=True, eq=False)
class _Search:
    """Distinct rows, and one column after the other."""

    codes: list[Int64]
    sensitive: Int64
    meant: list[_Conditions]
    n_values: int
    bar: _Bar
    minimum: bool
    most: int

    def from_column(
        self, column: int, rows: Int64, degrees: Floats, weights: Floats, chosen: tuple[Condition, ...]
    ) -> Iterator[tuple[tuple[Condition, ...], int]]:
        """All rules with these conditions and at least one more, of this column or a later one."""
        for number in range(column, len(self.meant)):
            conditions = self.meant[number]
            met, with_value = self._sums(number, rows, degrees, weights)
            for which, value in np.argwhere(self.bar.passed(met, with_value)).tolist():
                yield (*chosen, conditions.named[which]), value
            if len(chosen) + 1 == self.most:
                continue
            for which in np.flatnonzero(met >= self.bar.least).tolist():
                own = conditions.of(which)[self.codes[number][rows]]
                keep = own > 0
                below = np.minimum(degrees, own) if self.minimum else degrees * own
                yield from self.from_column(
                    number + 1, rows[keep], below[keep], weights[keep], (*chosen, conditions.named[which])
                )

    def _sums(self, number: int, rows: Int64, degrees: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """For each condition of a column the degrees of all rows together, and of those with each sensitive value."""
        conditions = self.meant[number]
        codes, values = self.codes[number][rows], self.sensitive[rows]
        n_codes = conditions.degrees.shape[1]
        if self.minimum and (degrees < 1).any():
            met = np.zeros((len(conditions.named), self.n_values))
            for which in range(len(met)):
                below = np.minimum(degrees, conditions.of(which)[codes]) * weights
                met[which] = np.bincount(values, below, minlength=self.n_values)
            return met.sum(1), met
        by_value = np.bincount(codes * self.n_values + values, degrees * weights, minlength=n_codes * self.n_values)
        with_value = conditions.degrees @ by_value.reshape(n_codes, self.n_values)
        return with_value.sum(1), with_value


def _needed(totals: Int64, rows: int, min_expectation: float) -> Floats:
    """The least number of rows among which each value is expected: (1 - P)^C at most 1 - min_expectation."""
    missed = 1 - Fraction(repr(float(min_expectation)))
    needed = np.full(len(totals), np.inf)
    for value, total in enumerate(totals.tolist()):
        if not 0 < total < rows:
            continue  # a value that all rows have is never excluded, and of one that none has nothing is expected
        count = math.log(float(missed)) / math.log1p(-total / rows)
        whole = round(count)
        # Equality is decided exactly where numbers are small enough for it to come about at all.
        if abs(count - whole) < 1e-6 * max(whole, 1) and 1 <= whole <= 10_000:
            reached = Fraction(rows - total, rows) ** whole <= missed
            count = whole if reached else np.nextafter(float(whole), np.inf)
        needed[value] = count
    return needed


def _conditions(column: Column, tree: Hierarchy | None, least: float, *, fuzzy: bool) -> _Conditions:
    """Values and nodes that enough rows, but not all values, belong to; each set of values once, by its lowest name."""
    from scipy.sparse import csr_array

    texts = column.texts
    counts = column.counts
    numbers = _numbers(column) if fuzzy and column.is_number else None
    covered: dict[tuple[int, ...], str] = {(place,): text for place, text in enumerate(texts)}
    if tree is not None:
        places = tree.places(column)
        for level in range(1, tree.height + 1):
            nodes = tree.level_codes(level)[places]
            order = np.argsort(nodes, kind="stable")
            for part in np.split(order, np.flatnonzero(np.diff(nodes[order])) + 1):
                covered.setdefault(tuple(part.tolist()), tree.labels[level][int(nodes[part[0]])])
    named, members, degrees = [], [], []
    for codes, label in covered.items():
        if len(codes) == len(texts):
            continue
        belong, degree = np.array(codes), np.ones(len(codes))
        if numbers is not None:
            belong, degree = _trapezoid(numbers, belong)
        if degree @ counts[belong] < least:
            continue
        named.append(Condition(column.name, label, tuple(texts[code] for code in belong)))
        members.append(belong)
        degrees.append(degree)
    starts = np.cumsum([0, *map(len, members)])
    indices, data = np.concatenate([*members, np.zeros(0, int)]), np.concatenate([*degrees, np.zeros(0)])
    return _Conditions(tuple(named), csr_array((data, indices, starts), shape=(len(named), len(texts))))


def _numbers(column: Column) -> Floats:
    """The values as numbers, ascending; a missing one is left out, and is the last value."""
    return np.array([float(value) for value in column.values.to_pylist() if value is not None])


def _trapezoid(numbers: Floats, codes: Int64) -> tuple[Int64, Floats]:
    """The values that belong to a condition, and how much: 1 from the least to the largest that it covers, 0 far away.

    A missing value belongs to a condition that covers it, and to no other.
    """
    missing = codes[codes >= len(numbers)]
    own = numbers[codes[codes < len(numbers)]]
    if len(own) == 0 or len(numbers) < 2:
        return codes, np.ones(len(codes))
    low, high = float(own.min()), float(own.max())
    reach = 2 * float(np.diff(numbers).min()) + (high - low) / 4
    start, end = np.searchsorted(numbers, [low - reach, high + reach], side="left")
    near = np.arange(start, min(end + 1, len(numbers)))
    away = np.maximum(np.maximum(low - numbers[near], numbers[near] - high), 0)
    degree = 1 - away / reach
    near, degree = near[degree > NEGLIGIBLE], degree[degree > NEGLIGIBLE]
    return np.concatenate([near, missing]), np.concatenate([degree, np.ones(len(missing))])
