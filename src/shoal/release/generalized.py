"""A generalized release: rows whose values are nodes of hierarchies, in groups that agree on all quasi-identifiers.

L. Sweeney: k-anonymity, 2002; the paper on hidden Q-S associations for sensitive cells that are also generalized. Plain
data: nothing here checks a promise, so the auditor can read anything of this shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Making
from shoal.data.node_tree import NodeTree
from shoal.data.table import Role, unknown_columns
from shoal.errors import InputError
from shoal.loading import loaded
from shoal.promises import HiddenAssociations, KAnonymity
from shoal.release.base import TableRelease

if TYPE_CHECKING:
    from shoal.analyse.answers import Support

GeneralizedMethod = Literal["bottom-up", "mondrian"]


@dataclass(frozen=True, eq=False)
class GeneralizedColumn:
    """One column: row ``i`` holds the node ``nodes[i]`` of the tree."""

    name: str
    role: Role
    """Quasi or sensitive."""
    tree: NodeTree
    nodes: Int32
    making: Making | None = None
    """How the tree was made from the data; None: the steward gave it."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"GeneralizedColumn({self.name!r}, {self.role.value}, {len(self):,} rows, {len(self.tree):,} nodes)"

    @property
    def counts(self) -> Int64:
        """How many rows hold each node of the tree."""
        return np.bincount(self.nodes, minlength=len(self.tree)).astype(np.int64)

    @property
    def is_general(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether each row holds a node that may represent several values; the root always may."""
        general = self.tree.leaves > 1
        general[0] = True
        flags: np.ndarray[tuple[int], np.dtype[np.bool_]] = general[self.nodes]
        return flags


@dataclass(frozen=True)
class Residual:
    """What an adversary who fills hidden cells would gain, as far as the publisher, who knows the values, can tell."""

    hidden_cells: int
    """Sensitive cells that are hidden."""
    filled_right: int
    """The hidden cells whose value is the most frequent one shown below them in their group."""
    associations: int
    """Associations that the groups had before anything was hidden."""
    associations_back: int
    """Those of them that return after filling."""
    hidden_cells_plain: int | None = None
    """If filling is resisted: the cells that hiding without that (``greedy``) would have hidden."""


@dataclass(frozen=True, eq=False)
class Generalized(TableRelease):
    """Rows in groups, as flat arrays: the rows of group ``g`` are ``group_offsets[g]:group_offsets[g + 1]``.

    Groups are sorted by their quasi-identifiers' nodes, the rows of a group by their sensitive ones. Suppressed rows
    are not included: only their number is published.
    """

    shape: ClassVar[str] = "generalized"

    method: GeneralizedMethod
    promise: KAnonymity
    columns: tuple[GeneralizedColumn, ...]
    """The quasi-identifiers, then the sensitive columns."""
    group_offsets: Int64
    suppressed: int = 0
    """How many rows are published without any value."""
    hidden: HiddenAssociations | None = None
    """The promise about associations inside groups, if any."""
    discloses_hierarchies: bool = False
    """Whether given trees are whole, rather than cut to what the rows hold; other trees then also list the nodes that
    at least k rows are at or below."""
    residual: Residual | None = None
    """Known to the publisher only, and never written."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"Generalized({self.n_rows:,} rows in {self.n_groups:,} groups, {self.suppressed:,} suppressed)"

    @property
    def promises(self) -> tuple[KAnonymity | HiddenAssociations, ...]:
        """All promises, in the order of the manifest."""
        return (self.promise,) if self.hidden is None else (self.promise, self.hidden)

    @property
    def quasi(self) -> tuple[GeneralizedColumn, ...]:
        """The quasi-identifiers."""
        return tuple(column for column in self.columns if column.role is Role.QUASI)

    @property
    def sensitive(self) -> tuple[GeneralizedColumn, ...]:
        """The sensitive columns."""
        return tuple(column for column in self.columns if column.role is Role.SENSITIVE)

    def column(self, name: str) -> GeneralizedColumn:
        """The column of this name; an unknown one is an InputError that lists the columns."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(unknown_columns([name], [column.name for column in self.columns]))

    @property
    def n_rows(self) -> int:
        """The number of rows that are published with values."""
        return len(self.columns[0])

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.group_offsets) - 1

    @property
    def group_sizes(self) -> Int64:
        """How many rows each group has."""
        return np.diff(self.group_offsets)

    @property
    def row_groups(self) -> Int64:
        """The group of each row."""
        return np.repeat(np.arange(self.n_groups), self.group_sizes)

    @property
    def counts(self) -> dict[str, int]:
        """The sizes that the manifest states."""
        return {
            "rows": self.n_rows,
            "suppressed_rows": self.suppressed,
            "groups": self.n_groups,
            "hidden_cells": sum(int(np.count_nonzero(column.is_general)) for column in self.sensitive),
        }

    def count(self, query: str) -> Support:
        """How many rows meet a query such as ``age in 30..40 and income = >50K``, as far as the release shows.

        See :func:`shoal.count_rows` for many at once.
        """
        return loaded("shoal.analyse.tables.counts:count")(self, query)
