"""The sensitive values that background rules exclude for each row.

Rows with the same set of excluded values are interchangeable, and there are few such sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Int64
from shoal.data.background import Background, NegativeRule
from shoal.data.frozen import freeze
from shoal.data.table import Column, Table


@dataclass(frozen=True, eq=False)
class Exclusions:
    """The set of values that are excluded for each row; each set is stored once.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.background import Condition
        >>> people = Table.from_arrow(pa.table({"sex": ["f", "m", "m"], "illness": ["flu", "flu", "cold"]}))
        >>> rule = NegativeRule((Condition("sex", "m", ("m",)),), "cold")
        >>> found = exclusions(people, Background("illness", (rule,)))
        >>> found.sets.tolist(), found.rows.tolist()
        ([[False, False], [True, False]], [0, 1, 1])
    """

    sets: Bools
    """One row for each set, one column for each sensitive value: whether the set holds it."""
    rows: Int64
    """The set of each row of the table."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def sizes(self) -> Int64:
        """How many values are excluded for each row."""
        sizes: Int64 = self.sets.sum(axis=1)[self.rows]
        return sizes


def exclusions(table: Table, background: Background) -> Exclusions:
    """Apply the rules to a table; a value that does not occur in it is excluded for no row.

    Args:
        table: has the columns of the rules.
        background: the rules.

    Raises:
        InputError: a rule names a column that the table does not have.
    """
    value = {text: code for code, text in enumerate(table.column(background.sensitive).texts)}
    by_columns: dict[tuple[str, ...], list[NegativeRule]] = {}
    for rule in background.rules:
        if rule.excluded in value:
            by_columns.setdefault(tuple(sorted(part.column for part in rule.conditions)), []).append(rule)
    sets = np.zeros((1, len(value)), bool)
    rows = np.zeros(len(table), np.int64)
    for names, rules in by_columns.items():
        columns = [table.column(name) for name in names]
        combination = columns[0].codes if len(columns) == 1 else table.group_numbers(names)
        # One row of each combination of values represents all of them.
        representative = np.zeros(int(combination.max(initial=0)) + 1, np.int64)
        representative[combination] = np.arange(len(combination))
        excluded = np.zeros((len(representative), len(value)), bool)
        for rule in rules:
            excluded[_met(rule, columns, representative), value[rule.excluded]] = True
        more, place = np.unique(excluded, axis=0, return_inverse=True)
        sets, rows = _together(sets, rows, more, place.reshape(-1)[combination])
    return Exclusions(sets, rows)


def _met(rule: NegativeRule, columns: list[Column], rows: Int64) -> Bools:
    """Which of the given rows meet all conditions."""
    met = np.ones(len(rows), bool)
    for condition in rule.conditions:
        column = next(column for column in columns if column.name == condition.column)
        covered = set(condition.values)
        met &= np.array([text in covered for text in column.texts], bool)[column.codes[rows]]
    return met


def _together(sets: Bools, rows: Int64, more: Bools, more_rows: Int64) -> tuple[Bools, Int64]:
    """The union of two sets for each row, with new numbers."""
    pairs, rows = np.unique(rows * len(more) + more_rows, return_inverse=True)
    unions, place = np.unique(sets[pairs // len(more)] | more[pairs % len(more)], axis=0, return_inverse=True)
    return unions, place.reshape(-1)[rows].astype(np.int64)
