"""The remaining risk of a table in a release: the probability of picking a row, and of guessing a sensitive value.

Both are for an adversary who knows all quasi-identifiers of a person, that the person is in the table, and nothing
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
    """The probability of guessing the sensitive value of a row, as the most frequent one of its group."""

    highest: float
    average: float
    """The mean over all rows."""


def row_chances(release: Generalized, k: int) -> Adversary:
    """The probability of picking a person's row in its group; nothing of a suppressed row is published.

    Example:
        >>> import pyarrow as pa, shoal
        >>> table = shoal.read_table(pa.table({"age": [30, 31, 30, 31]}), quasi="age")
        >>> row_chances(shoal.k_anonymity(table, 2), 2).highest
        0.5
    """
    sizes = release.group_sizes
    return adversary_of(sizes, sizes, k)


def value_chances(table: Table, quasi: list[str], sensitive: str) -> ValueChance:
    """For an original table: a group is all rows that agree on all quasi-identifiers."""
    column = table.column(sensitive)
    groups = table.group_numbers(quasi) if quasi else np.zeros(len(table), np.int64)
    return _chances(groups, np.asarray(column.codes, np.int64), np.ones(len(table), np.int64))


def published_value_chances(release: TableRelease, sensitive: str) -> ValueChance:
    """For a release: groups are those of the release. A hidden cell counts as a value of its own."""
    return _chances(*SHAPES[release.shape].load("group_values")(release, sensitive))


def _chances(groups: Int64, values: Int64, counts: Int64) -> ValueChance:
    """The most frequent value of each group, weighted by the rows of the group."""
    width = int(values.max(initial=0)) + 1
    keys, place = np.unique(groups * width + values, return_inverse=True)
    totals = np.bincount(place, weights=counts)
    of_group = keys // width
    rows = np.bincount(of_group, weights=totals)
    most = np.zeros(len(rows))
    np.maximum.at(most, of_group, totals)
    there = rows > 0
    return ValueChance(float((most[there] / rows[there]).max()), float(most.sum() / rows.sum()))
