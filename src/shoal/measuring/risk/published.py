"""What is left of the risk of a table in a release of it: the chance to pick a row, and to name a sensitive value.

Both are what somebody has who knows all quasi-identifiers of a person, that the person is in the table, and nothing
else: K. El Emam, F. Dankar, JAMIA 15, 2008 (prosecutor), and the homogeneity of A. Machanavajjhala et al., ICDE 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Int64
from shoal.data.table import Table
from shoal.measuring.risk.tables import Adversary, adversary_of
from shoal.release import TableRelease
from shoal.release.generalized import Generalized
from shoal.shapes import SHAPES


@dataclass(frozen=True)
class ValueChance:
    """The chance to name the sensitive value of a row right, by the most frequent one of its group."""

    highest: float
    average: float
    """Over all rows."""


def row_chances(release: Generalized, k: int) -> Adversary:
    """The chance to pick a person's row among those of its group; nothing of a suppressed row is published.

    Example:
        >>> import pyarrow as pa, shoal
        >>> table = shoal.read_table(pa.table({"age": [30, 31, 30, 31]}), quasi="age")
        >>> row_chances(shoal.k_anonymity(table, 2), 2).highest
        0.5
    """
    sizes = release.group_sizes
    return adversary_of(sizes, sizes, k)


def value_chances(table: Table, quasi: list[str], sensitive: str) -> ValueChance:
    """Of a table as it is: a group are the rows that agree on all quasi-identifiers."""
    column = table.column(sensitive)
    groups = table.group_numbers(quasi) if quasi else np.zeros(len(table), np.int64)
    return _chances(groups, np.asarray(column.codes, np.int64), np.ones(len(table), np.int64))


def published_value_chances(release: TableRelease, sensitive: str) -> ValueChance:
    """Of a release: a group is one of the release. A hidden cell is taken for a value of its own."""
    return _chances(*SHAPES[release.shape].load("group_values")(release, sensitive))


def _chances(groups: Int64, values: Int64, counts: Int64) -> ValueChance:
    """The most frequent value of each group, weighed by the rows of the group."""
    width = int(values.max(initial=0)) + 1
    keys, place = np.unique(groups * width + values, return_inverse=True)
    totals = np.bincount(place, weights=counts)
    of_group = keys // width
    rows = np.bincount(of_group, weights=totals)
    most = np.zeros(len(rows))
    np.maximum.at(most, of_group, totals)
    there = rows > 0
    return ValueChance(float((most[there] / rows[there]).max()), float(most.sum() / rows.sum()))
