"""Conjunctions of conditions on different columns: their growth, and the sensitive values of their rows.

T. Li, N. Li: Injector, 2008, section IV.C: frequent conjunctions are found one size after the other, as itemsets are in
R. Agrawal, R. Srikant: Fast Algorithms for Mining Association Rules, VLDB 1994. No conjunction has two conditions on
one column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.table import Column, Table
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.memory import available_memory
from shoal.mining.conditions import Conditions
from shoal.mining.counting import count_itemsets
from shoal.quoting import listed

# Sets that are counted in one call, and degrees that are held at a time.
_SETS = 1 << 20
_CELLS = 1 << 22


class Counter(Protocol):
    """Counts conjunctions, given as rows of ascending numbers of conditions."""

    def frequent(self, sets: Int32, least: float) -> tuple[Int32, npt.NDArray[Any]]:
        """The sets that at least ``least`` rows meet, and how many of these have each sensitive value."""
        ...


@dataclass(frozen=True, eq=False)
class Crisp:
    """Crisp membership: each row is a record of the conditions that it meets and its sensitive value."""

    records: Transactions
    n_conditions: int
    n_values: int

    @classmethod
    def of(cls, conditions: Conditions, sensitive: Column) -> Crisp:
        """The records of a table's rows."""
        met = [_met_by_values(conditions, place) for place in range(len(conditions.columns))]
        # One line for each level of a column: conditions come from the leaves up, so the numbers of a row ascend.
        lines = [level[column.codes] for column, part in zip(conditions.columns, met, strict=True) for level in part]
        items = np.column_stack([*lines, sensitive.codes + np.int32(len(conditions))])
        offsets = np.append(0, np.cumsum(np.count_nonzero(items >= 0, axis=1)))
        words = pa.array(range(len(conditions) + len(sensitive.values))).cast(pa.string())
        records = Transactions(offsets, items[items >= 0].astype(np.int32), words)
        return cls(records, len(conditions), len(sensitive.values))

    def frequent(self, sets: Int32, least: float) -> tuple[Int32, Int64]:
        """The sets that at least ``least`` rows meet, and how many of these have each sensitive value."""
        sets = sets[self._counts(sets) >= least]
        by_value = np.empty((len(sets), self.n_values), np.int64)
        step = max(1, _SETS // self.n_values)
        values = np.arange(self.n_values, dtype=np.int32) + np.int32(self.n_conditions)
        for first in range(0, len(sets), step):
            some = sets[first : first + step]
            whole = np.column_stack([np.repeat(some, self.n_values, axis=0), np.tile(values, len(some))])
            by_value[first : first + step] = self._counts(whole).reshape(len(some), -1)
        return sets, by_value

    def _counts(self, sets: Int32) -> Int64:
        number, size = sets.shape
        return count_itemsets(self.records, (np.arange(number + 1) * size, sets.ravel()))


def _met_by_values(conditions: Conditions, place: int) -> list[Int32]:
    """For each level of a column the condition that each value meets, or -1."""
    numbers = np.flatnonzero(conditions.column == place)
    levels: list[Int32] = []
    for number in numbers.tolist():
        codes = conditions.codes_of(number)
        # Conditions from the leaves up: the first level at which none of the values meets another one yet.
        free = next((level for level in levels if np.all(level[codes] < 0)), None)
        if free is None:
            free = np.full(len(conditions.columns[place].values), -1, np.int32)
            levels.append(free)
        free[codes] = number
    return levels


@dataclass(frozen=True, eq=False)
class Degrees:
    """Fuzzy membership: rows meet a condition to a degree, and a conjunction to the product or minimum of degrees."""

    table: Table
    conditions: Conditions
    sensitive: Column
    degrees: list[Float64]
    """For each column, the degree to which each value (across) meets each condition (down)."""
    joined: Literal["product", "minimum"]

    def frequent(self, sets: Int32, least: float) -> tuple[Int32, Float64]:
        """The sets with at least this sum of degrees over rows, and the sums for each sensitive value."""
        places = self.conditions.column[sets]
        first = np.searchsorted(self.conditions.column, np.arange(len(self.conditions.columns)))
        by_value = np.empty((len(sets), len(self.sensitive.values)))
        which, number = np.unique(places, axis=0, return_inverse=True)
        for group, columns in enumerate(which.tolist()):
            codes, weights = self._combinations(columns)
            mine = np.flatnonzero(number.ravel() == group)
            step = max(1, _CELLS // len(weights))
            for start in range(0, len(mine), step):
                some = mine[start : start + step]
                parts = [
                    self.degrees[place][np.ix_(sets[some, slot] - first[place], codes[slot])]
                    for slot, place in enumerate(columns)
                ]
                by_value[some] = (np.multiply if self.joined == "product" else np.minimum).reduce(parts) @ weights
        keep = by_value.sum(axis=1) >= least
        return sets[keep], by_value[keep]

    def _combinations(self, columns: list[int]) -> tuple[list[Int32], Float64]:
        """The combinations of values of some columns, and for each how many rows have each sensitive value."""
        held = [self.conditions.columns[place] for place in columns]
        groups = self.table.group_numbers([column.name for column in held])
        first = np.unique(groups, return_index=True)[1]
        n_values = len(self.sensitive.values)
        if len(first) * n_values * 8 > available_memory() // 4:
            raise Infeasible(
                f"the columns {listed(column.name for column in held)} have {len(first):,} combinations of "
                "values, too many for degrees of membership: round values, name fewer quasi columns, or use crisp "
                "membership"
            )
        cells = np.bincount(groups * n_values + self.sensitive.codes, minlength=len(first) * n_values)
        return [column.codes[first] for column in held], cells.reshape(-1, n_values).astype(np.float64)


def grown(sets: Int32, column: Int32) -> tuple[int, Iterator[Int32]]:
    """All candidates with one more condition: their number, and batches of them in order.

    Args:
        sets: The frequent ones of one size, in lexicographic order.
        column: The column of each condition.
    """
    # Two sets that differ only in their last conditions, on different columns, make one candidate.
    fork = np.any(sets[1:, :-1] != sets[:-1, :-1], axis=1)
    turn = fork | (column[sets[1:, -1]] != column[sets[:-1, -1]])
    partners = _ends(fork) - _ends(turn)
    upto = np.append(0, np.cumsum(partners))

    def batches() -> Iterator[Int32]:
        first = 0
        while first < len(sets):
            last = max(first + 1, int(np.searchsorted(upto, upto[first] + _SETS, side="right")) - 1)
            mine = np.repeat(np.arange(first, last), partners[first:last])
            other = np.arange(len(mine)) - (upto[mine] - upto[first]) + _ends(turn)[mine]
            if len(mine):
                yield np.column_stack([sets[mine], sets[other, -1]])
            first = last

    return int(upto[-1]), batches()


def _ends(changes: Bools) -> Int64:
    """For each row the number of the next row at which something changes; ``changes`` begins with row 1."""
    bounds = np.append(np.flatnonzero(changes) + 1, len(changes) + 1)
    return bounds[np.searchsorted(bounds, np.arange(len(changes) + 1), side="right")]
