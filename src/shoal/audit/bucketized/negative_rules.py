"""The negative rules of a table, counted from their definition.

T. Li, N. Li: Injector, 2008, section IV. A rule X => not Y holds if enough rows that meet X do not have Y (confidence),
and so many rows meet X that Y would be expected among them (expectation). The auditor does not call the miner: it
counts itself, column by column, over the distinct rows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.audit.parts import steps
from shoal.audit.trees import leaves_of
from shoal.audit.values import column_texts, numbers_of_rows, rows_of_values
from shoal.data.arrays import Bools, Float64, Int64
from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Column, Table, names_in
from shoal.errors import InputError
from shoal.limits import require_share, require_whole
from shoal.promises import MEMBERSHIPS
from shoal.quoting import shown

if TYPE_CHECKING:
    from scipy.sparse import csr_array


NEGLIGIBLE = 1e-9
"""The tolerance for rounding of degrees of membership, and of shares of their sums."""
ROUNDING = 1e-12
"""The tolerance of a sum of degrees."""


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
    crisp: Collection[str] = (),
) -> Background:
    """Find all negative rules of a table.

    Args:
        table: The data.
        quasi: The columns that conditions may name.
        sensitive: The column whose values are excluded.
        min_expectation: The least chance that a value occurs at least once among the rows that meet the conditions, if
            the values were distributed randomly over all rows.
        min_confidence: The least share of the rows that meet the conditions and do not have the value.
        max_attributes: The largest number of columns in a rule.
        hierarchies: Trees whose nodes are conditions, too, by column.
        membership: ``crisp``, or how degrees of several numeric columns are combined: ``product`` or ``minimum``.
        crisp: With degrees, numeric columns whose values are used exactly.

    Returns:
        The rules; conditions of a column that the same values meet count as one.

    Raises:
        InputError: A column is unknown, a number is out of range, or a value has no place in its hierarchy.
    """
    require_share("min_expectation", min_expectation, one=False)
    require_share("min_confidence", min_confidence)
    require_whole("max_attributes", max_attributes, least=1)
    if membership not in MEMBERSHIPS:
        raise InputError(f"membership is {shown(membership)}: it must be one of {', '.join(MEMBERSHIPS)}")
    names = names_in(quasi)
    columns = [table.column(name) for name in names]
    values = table.column(sensitive)
    trees = hierarchies or {}
    fuzzy = [] if membership == "crisp" else [name for name in names if name not in crisp]
    bar = _Bar(_needed(rows_of_values(values), len(table), min_expectation), min_confidence, membership == "crisp")
    meant = [_conditions(c, trees.get(c.name), bar.least, fuzzy=c.name in fuzzy) for c in columns]
    group = numbers_of_rows([*columns, values])
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
    texts = column_texts(values)
    rows = np.arange(len(first))
    found = search.from_column(0, rows, np.ones(len(first)), weights.astype(np.float64), ())
    return Background(sensitive, tuple(NegativeRule(chosen, texts[excluded]) for chosen, excluded in found))


@dataclass(frozen=True, eq=False)
class _Conditions:
    """The conditions on one column, and the degree to which each of its values meets each."""

    named: tuple[Condition, ...]
    degrees: csr_array
    """One row per condition, one column per value."""

    def of(self, which: int) -> Float64:
        """The degree to which each value meets one condition."""
        start, end = self.degrees.indptr[which : which + 2]
        degree = np.zeros(self.degrees.shape[1])
        degree[self.degrees.indices[start:end]] = self.degrees.data[start:end]
        return degree


@dataclass(frozen=True, eq=False)
class _Bar:
    """The thresholds for a rule."""

    needed: Float64
    """For each sensitive value how many rows must meet the conditions; infinite for one that all rows have."""
    confidence: float
    crisp: bool

    @property
    def least(self) -> float:
        """The least number of rows that must meet the conditions of any rule."""
        return float(self.needed.min(initial=np.inf)) * (1 - ROUNDING)

    def passed(self, met: Float64, with_value: Float64) -> Bools:
        """Which sensitive values are excluded, from the sums over rows that meet each condition."""
        enough = met[:, None] >= self.needed * (1 if self.crisp else 1 - ROUNDING)
        if self.crisp:
            allowed = 1 - Fraction(repr(float(self.confidence)))
            # Exactly as written: .9 of 10 rows is 9, despite floating-point errors in 1 - .9.
            most = np.array([math.floor(allowed * int(count)) for count in met], np.float64)
        else:
            most = (1 - self.confidence + NEGLIGIBLE) * met
        return np.asarray(enough & (with_value <= most[:, None]) & (met[:, None] > 0))


@dataclass(frozen=True, eq=False)
class _Search:
    """The search over distinct rows, one column after the other."""

    codes: list[Int64]
    sensitive: Int64
    meant: list[_Conditions]
    n_values: int
    bar: _Bar
    minimum: bool
    most: int

    def from_column(
        self, column: int, rows: Int64, degrees: Float64, weights: Float64, chosen: tuple[Condition, ...]
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

    def _sums(self, number: int, rows: Int64, degrees: Float64, weights: Float64) -> tuple[Float64, Float64]:
        """For each condition of a column the total degree of all rows, and of those with each sensitive value."""
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


def _needed(totals: Int64, rows: int, min_expectation: float) -> Float64:
    """The least number of rows among which each value is expected: (1 - P)^C at most 1 - min_expectation."""
    missed = 1 - Fraction(repr(float(min_expectation)))
    needed = np.full(len(totals), np.inf)
    for value, total in enumerate(totals.tolist()):
        if not 0 < total < rows:
            continue  # a value that all rows have is never excluded, and one that no row has is never expected
        count = math.log(float(missed)) / math.log1p(-total / rows)
        whole = round(count)
        # Equality is decided exactly if the numbers are small enough for it to occur.
        if abs(count - whole) < 1e-6 * max(whole, 1) and 1 <= whole <= 10_000:
            reached = Fraction(rows - total, rows) ** whole <= missed
            count = whole if reached else np.nextafter(float(whole), np.inf)
        needed[value] = count
    return needed


def _conditions(column: Column, tree: Hierarchy | None, least: float, *, fuzzy: bool) -> _Conditions:
    """Values and nodes that enough rows, but not all values, belong to; each set of values once, by its lowest name."""
    from scipy.sparse import csr_array

    texts = column_texts(column)
    which, code, labels = _covered(column, tree, texts)
    degree = np.ones(len(code))
    some = np.bincount(which) < len(texts)
    if fuzzy and column.is_number:
        which, code, degree = _trapezoids(_numbers(column), which, code)
    keep = some & (np.bincount(which, degree * rows_of_values(column)[code], minlength=len(some)) >= least)
    number = np.cumsum(keep) - 1
    inside = keep[which]
    which, code, degree = number[which[inside]], code[inside], degree[inside]
    ends = np.cumsum(np.bincount(which, minlength=int(keep.sum())))
    members = np.split(code, ends[:-1]) if len(ends) else []
    named = [
        Condition(column.name, labels[label], tuple(texts[place] for place in part.tolist()))
        for label, part in zip(np.flatnonzero(keep).tolist(), members, strict=True)
    ]
    starts = np.concatenate([[0], ends])
    return _Conditions(tuple(named), csr_array((degree, code, starts), shape=(len(named), len(texts))))


def _covered(column: Column, tree: Hierarchy | None, texts: list[str]) -> tuple[Int64, Int64, list[str]]:
    """Every value and node with the values below it, as pairs of a number and a value's code, and its name."""
    every = np.arange(len(texts))
    which, code, labels = [every], [every], list(texts)
    below = np.ones(len(texts), np.int64)
    places = None
    if tree is not None:
        leaves = {leaf: place for place, leaf in enumerate(tree.labels[0])}
        found = leaves_of(texts, tree, numbers=column.is_number)
        places = np.array([leaves[leaf] for leaf in found], np.int32)
    for level in range(1, 0 if tree is None else tree.height + 1):
        assert tree is not None
        nodes, inverse, sizes = np.unique(tree.level_codes(level)[places], return_inverse=True, return_counts=True)
        inverse = inverse.reshape(-1)
        # A node no larger than the one below it covers the same values, and takes the name of that one.
        new = sizes[inverse] > below
        fresh = np.zeros(len(nodes), bool)
        fresh[inverse[new]] = True
        numbers = np.cumsum(fresh) - 1 + len(labels)
        which.append(numbers[inverse[new]])
        code.append(np.flatnonzero(new))
        labels += [tree.labels[level][node] for node in nodes[fresh].tolist()]
        below = sizes[inverse]
    flat, codes = np.concatenate(which), np.concatenate(code)
    order = np.lexsort((codes, flat))
    return flat[order], codes[order], labels


def _numbers(column: Column) -> Float64:
    """The values as numbers, ascending; a missing one is left out, and is the last value."""
    return np.array([float(value) for value in column.values.to_pylist() if value is not None])


def _trapezoids(numbers: Float64, which: Int64, code: Int64) -> tuple[Int64, Int64, Float64]:
    """The values that belong to each condition, and to which degree: 1 between the least and largest that it covers.

    Farther away it decreases to 0. A missing value belongs to the conditions that cover it, and to no other.
    """
    if len(numbers) < 2:
        return which, code, np.ones(len(code))
    missing = code >= len(numbers)
    conditions, first = np.unique(which[~missing], return_index=True)
    last = np.append(first[1:], np.count_nonzero(~missing)) - 1
    low, high = numbers[code[~missing][first]], numbers[code[~missing][last]]
    reach = 2 * float(np.diff(numbers).min()) + (high - low) / 4
    start = np.searchsorted(numbers, low - reach, side="left")
    lengths = np.searchsorted(numbers, high + reach, side="right") - start
    near = np.repeat(start, lengths) + steps(lengths)
    away = np.maximum(np.maximum(np.repeat(low, lengths) - numbers[near], numbers[near] - np.repeat(high, lengths)), 0)
    degree = 1 - away / np.repeat(reach, lengths)
    inside = degree > NEGLIGIBLE
    flat = np.concatenate([np.repeat(conditions, lengths)[inside], which[missing]])
    codes = np.concatenate([near[inside], code[missing]])
    degrees = np.concatenate([degree[inside], np.ones(int(missing.sum()))])
    order = np.lexsort((codes, flat))
    return flat[order], codes[order], degrees[order]
