"""Conditions of rules: a column has a value, or one of the values below a node of its hierarchy.

T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization, 2008, section IV.A: the extended domain of a
column. Nodes of a column that cover the same values of the data are one condition, named after the lowest; a node that
covers all values is not a condition, because it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.background import Condition
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Column


@dataclass(frozen=True, eq=False)
class Conditions:
    """Conditions on several columns, numbered column by column, and within a column from the leaves up.

    The values ``codes[offsets[i]:offsets[i + 1]]`` of the column ``columns[column[i]]`` meet condition ``i``.
    """

    columns: tuple[Column, ...]
    column: Int32
    """The column of each condition, as an index into ``columns``."""
    labels: tuple[str, ...]
    """The value, or the node above the values."""
    offsets: Int64
    codes: Int32
    """Codes into the column's values, ascending."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def sizes(self) -> Int64:
        """How many values meet each condition."""
        return np.diff(self.offsets)

    def codes_of(self, number: int) -> Int32:
        """The values that meet one condition."""
        codes: Int32 = self.codes[self.offsets[number] : self.offsets[number + 1]]
        return codes

    def only(self, keep: Bools) -> Conditions:
        """The conditions whose flag is true, numbered anew."""
        offsets = np.append(0, np.cumsum(self.sizes[keep]))
        labels = tuple(label for label, kept in zip(self.labels, keep.tolist(), strict=True) if kept)
        return Conditions(self.columns, self.column[keep], labels, offsets, self.codes[np.repeat(keep, self.sizes)])

    def counts(self) -> Int64:
        """How many rows meet each condition."""
        cells = np.concatenate([column.counts for column in self.columns])[self._cells()]
        return np.diff(np.append(0, np.cumsum(cells))[self.offsets])

    def named(self) -> list[Condition]:
        """Each condition with its values as texts."""
        texts = [column.texts for column in self.columns]
        named = []
        for number, (place, label) in enumerate(zip(self.column.tolist(), self.labels, strict=True)):
            values = tuple(texts[place][code] for code in self.codes_of(number).tolist())
            named.append(Condition(self.columns[place].name, label, values))
        return named

    def to_arrow(self) -> pa.StructArray:
        """Each condition as a column, a label, and the list of its values as texts."""
        texts = pa.array([text for column in self.columns for text in column.texts], pa.string())
        cells = texts.take(pa.array(self._cells()))
        names = pa.array([column.name for column in self.columns], pa.string()).take(pa.array(self.column))
        values = pa.LargeListArray.from_arrays(pa.array(self.offsets), cells)
        return pa.StructArray.from_arrays(
            [names, pa.array(self.labels, pa.string()), values], ["column", "label", "values"]
        )

    def _cells(self) -> Int64:
        """The codes, as indices into the concatenated values of all columns."""
        starts = np.append(0, np.cumsum([len(column.values) for column in self.columns]))
        cells: Int64 = self.codes + np.repeat(starts[self.column], self.sizes)
        return cells


def conditions_on(columns: Sequence[Column], hierarchies: Mapping[str, Hierarchy]) -> Conditions:
    """All conditions on these columns, with the nodes of the hierarchies of some of them.

    Raises:
        InputError: A hierarchy lacks values of its column; lists all of them.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.table import Table
        >>> work = Table.from_arrow(pa.table({"work": ["Local", "State", "Own"]})).column("work")
        >>> tree = Hierarchy.from_rows([("State", "Gov", "*"), ("Local", "Gov", "*"), ("Own", "Self", "*")])
        >>> [str(condition) for condition in conditions_on([work], {"work": tree}).named()]
        ['work = Local', 'work = Own', 'work = State', 'work = Gov']
    """
    labels: list[str] = []
    place, sizes, codes = [np.empty(0, np.int32)], [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for number, column in enumerate(columns):
        before = np.zeros(len(column.values), np.int64)
        for names, nodes in _levels(column, hierarchies.get(column.name)):
            below = np.bincount(nodes, minlength=len(names))
            # A node with as many values as the one below it has the same ones.
            fresh = (below[nodes] > before) & (below[nodes] < len(nodes))
            before = below[nodes]
            members = np.flatnonzero(fresh)
            members = members[np.argsort(_first_member(nodes)[members], kind="stable")]
            starts = np.flatnonzero(np.diff(nodes[members], prepend=-1))
            labels += [names[node] for node in nodes[members[starts]].tolist()]
            place.append(np.full(len(starts), number, np.int32))
            sizes.append(np.diff(starts, append=len(members)))
            codes.append(members.astype(np.int32))
    offsets = np.append(0, np.cumsum(np.concatenate(sizes)))
    return Conditions(tuple(columns), np.concatenate(place), tuple(labels), offsets, np.concatenate(codes))


def _levels(column: Column, hierarchy: Hierarchy | None) -> list[tuple[Sequence[str], Int64]]:
    """For each level from the values up: its labels, and the node of each value."""
    levels: list[tuple[Sequence[str], Int64]] = [(column.texts, np.arange(len(column.values)))]
    if hierarchy is not None:
        leaves = hierarchy.places(column)
        for level in range(1, hierarchy.height + 1):
            levels.append((hierarchy.labels[level], hierarchy.generalize(leaves, level).astype(np.int64)))
    return levels


def _first_member(nodes: Int64) -> Int64:
    """For each value the first value below the same node: an order of nodes that depends only on the data."""
    _, first, inverse = np.unique(nodes, return_index=True, return_inverse=True)
    return first[inverse].astype(np.int64)
