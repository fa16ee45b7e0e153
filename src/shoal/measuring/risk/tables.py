"""The risk of re-identification in a table: groups of people who look alike, and the chance to pick the right one.

K. El Emam, F. Dankar: Protecting Privacy Using k-Anonymity, JAMIA 15, 2008, and F. Dankar, K. El Emam: A method for
evaluating marketer re-identification risk, EDBT/ICDT Workshops 2010: prosecutor, journalist and marketer risk.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Int64
from shoal.data.table import Column, Role, Table, names_in
from shoal.errors import InputError
from shoal.limits import require_whole
from shoal.measuring.risk.share import percent


@dataclass(frozen=True)
class Adversary:
    """The probability of picking the right person in a group, over all rows; each from 0 to 1, lower is better."""

    highest: float
    """The probability for the rows of the smallest group."""
    average: float
    """The mean over all rows, which is the share of rows that are right if every row is guessed."""
    above: float
    """The share of the rows for which it is more than 1 / k."""


@dataclass(frozen=True)
class TableRisk:
    """The risk of re-identification in a table; printed, it is a paragraph.

    Example:
        >>> import pyarrow as pa, shoal
        >>> people = shoal.Table.from_arrow(pa.table({"age": [30, 30, 30, 41], "job": ["a", "b", "a", "a"]}))
        >>> found = shoal.risk(people, k=3, quasi=["age"])
        >>> found.k_reached, found.unique_rows, found.prosecutor.average
        (1, 1, 0.5)
    """

    rows: int
    quasi: tuple[str, ...]
    k: int
    groups: int
    """Groups of rows that agree on all quasi-identifiers."""
    k_reached: int
    """The number of rows of the smallest group."""
    unique_rows: int
    """Rows that are unique in their quasi-identifiers."""
    small_groups: int
    """Groups of fewer than k rows."""
    rows_in_small_groups: int
    prosecutor: Adversary
    """For an adversary who knows that the person is in the table: one divided by the rows of the group."""
    journalist: Adversary
    """For an adversary who does not: one divided by the people of the group in the population."""
    marketer: float
    """The share of the rows that are right if each is linked at random to a person of its group in the population."""
    population: int | None
    """The number of people in the population; None: none was given, and the table is assumed to be all of it."""

    def as_dict(self) -> dict[str, Any]:
        """The risk as plain values, ready for JSON."""
        adversaries = {"prosecutor": vars(self.prosecutor), "journalist": vars(self.journalist)}
        return {"words": str(self), **vars(self), "quasi": list(self.quasi), **adversaries}

    def __str__(self) -> str:
        """The risk as a paragraph."""
        known = ", ".join(self.quasi)
        text = (
            f"Anyone who knows {known} of a person, and that the person is among these {self.rows:,}, finds a single "
            f"row for {percent(self.unique_rows / self.rows)} of them, and fewer than {self.k} rows for "
            f"{percent(self.rows_in_small_groups / self.rows)}. Guessing one row of the right group for everyone "
            f"would be right for {percent(self.prosecutor.average)}."
        )
        if self.population is None:
            return text + " No population was given, so the table is assumed to be all of it."
        return text + (
            f" For anyone who does not know who is in the table, the {self.population:,} people of the population "
            f"remain possible; guessing would be right for {percent(self.marketer)}."
        )


def table_risk(
    table: Table, k: int, *, quasi: str | Iterable[str] | None = None, population: Table | None = None
) -> TableRisk:
    """Measure the risk of re-identification in a table.

    Args:
        table: the people.
        k: how many rows should look alike.
        quasi: the columns that others may know; by default those with that role.
        population: the people from whom the table was sampled, with the same columns; by default the table itself.

    Raises:
        InputError: a number is out of range, a column does not exist, or the table is not part of the population.
    """
    require_whole("k", k, least=2)
    names = table.names_of(Role.QUASI) if quasi is None else list(dict.fromkeys(names_in(quasi)))
    if not len(table):
        raise InputError("the table has no rows")
    sizes = table.group_sizes(names)
    in_population = sizes
    if population is not None:
        sizes, in_population = _sizes_in_both(table, population, names)
    small = sizes < k
    journalist = adversary_of(sizes, in_population, k)
    return TableRisk(
        rows=len(table),
        quasi=tuple(names),
        k=k,
        groups=len(sizes),
        k_reached=int(sizes.min()),
        unique_rows=int(np.count_nonzero(sizes == 1)),
        small_groups=int(np.count_nonzero(small)),
        rows_in_small_groups=int(sizes[small].sum()),
        prosecutor=adversary_of(sizes, sizes, k),
        journalist=journalist,
        marketer=journalist.average,
        population=None if population is None else len(population),
    )


def adversary_of(sizes: Int64, candidates: Int64, k: int) -> Adversary:
    """The probabilities of picking the right person, given the size of each group and its rows in the table."""
    n = int(sizes.sum())
    return Adversary(
        highest=1 / int(candidates.min()),
        average=float((sizes / candidates).sum()) / n,
        above=int(sizes[candidates < k].sum()) / n,
    )


def _sizes_in_both(table: Table, population: Table, names: list[str]) -> tuple[Int64, Int64]:
    """The sizes of the table's groups in the table and in the population."""
    n = len(table)
    both = Table(tuple(_together(table.column(name), population.column(name)) for name in names))
    numbers = both.group_numbers(names)
    n_groups = int(numbers.max()) + 1
    sizes = np.bincount(numbers[:n], minlength=n_groups).astype(np.int64)
    candidates = np.bincount(numbers[n:], minlength=n_groups).astype(np.int64)
    missing = np.flatnonzero(sizes > candidates)
    if len(missing):
        row = int(np.flatnonzero(numbers[:n] == missing[0])[0])
        values = ", ".join(f"{name} = {table.column(name).texts[table.column(name).codes[row]]}" for name in names)
        raise InputError(
            f"the table is not part of the population: {int(sizes[missing[0]]):,} of its rows have {values}, but only "
            f"{int(candidates[missing[0]]):,} of the population's have; give a population that includes the table"
        )
    there = sizes > 0
    return sizes[there], candidates[there]


def _together(one: Column, two: Column) -> Column:
    """The rows of one column, then those of another, with codes for both; values are compared as texts."""
    texts = pa.array(list(dict.fromkeys([*one.texts, *two.texts])), pa.string())
    codes = [
        pc.index_in(pa.array(column.texts, pa.string()), texts).to_numpy(zero_copy_only=False)[column.codes]
        for column in (one, two)
    ]
    return Column(one.name, one.role, np.concatenate(codes).astype(np.int32), texts)
