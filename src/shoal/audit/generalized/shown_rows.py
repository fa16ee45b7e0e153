"""The rows of groups with their sensitive nodes, equal ones counted together: associations are counted in these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.audit.generalized.prefix_tree import plant
from shoal.data.arrays import Int64
from shoal.data.frozen import freeze
from shoal.data.node_tree import NodeTree
from shoal.release.generalized import Generalized


@dataclass(frozen=True, eq=False)
class ShownRows:
    """Distinct rows of groups, group after group, and how often each occurs."""

    trees: tuple[NodeTree, ...]
    """One for each sensitive column."""
    group: Int64
    """The group of each, ascending."""
    nodes: Int64
    """One line each, one node per column."""
    count: Int64
    sizes: Int64
    """How many rows each group has."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.group)


def rows_shown(release: Generalized) -> tuple[ShownRows, Int64]:
    """The distinct rows of a release, and for each row which of them it is."""
    columns = release.sensitive
    nodes = [column.nodes for column in columns]
    return gather(release.row_groups, nodes, [column.tree for column in columns], release.group_sizes)


def gather(
    group: Int64, columns: Sequence[npt.NDArray[np.integer]], trees: Sequence[NodeTree], sizes: Int64
) -> tuple[ShownRows, Int64]:
    """Count equal rows together, and give for each row which of them it is."""
    return gather_counted(group, columns, np.ones(len(group), np.int64), trees, sizes)


def gather_counted(
    group: Int64,
    columns: Sequence[npt.NDArray[np.integer]],
    count: Int64,
    trees: Sequence[NodeTree],
    sizes: Int64,
    *,
    spans: Sequence[int] | None = None,
) -> tuple[ShownRows, Int64]:
    """The same for rows that occur several times; ``spans``: how many codes columns have that are not nodes."""
    if columns:
        place = plant(group, columns, spans or [len(tree) for tree in trees])[1]
    else:
        place = np.unique(group, return_inverse=True)[1].reshape(-1)
    first = np.zeros(int(place.max(initial=-1)) + 1, np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    nodes = np.empty((len(first), len(columns)), np.int64)
    for at, column in enumerate(columns):
        nodes[:, at] = column[first]
    total = np.zeros(len(first), np.int64)
    np.add.at(total, place, count)
    return ShownRows(tuple(trees), group[first].astype(np.int64), nodes, total, sizes), place
