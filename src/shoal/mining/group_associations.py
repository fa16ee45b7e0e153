"""Associations in groups of rows, between sensitive columns: frequent values, rules, and rules from absence.

The paper on k-anonymity that hides Q-S associations, section 4.1, by the definition of
:class:`~shoal.promises.HiddenAssociations`: cells may be hidden, and a rule has the least confidence that they allow.
Only the counts of a group's different rows are used. So counts of merged groups are sums
(:mod:`shoal.mining.rule_counts`), and the paper's intervals and its tree of inverted files are not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.node_tree import NodeTree
from shoal.errors import Infeasible
from shoal.limits import require_share
from shoal.mining.support import as_written
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    from shoal.kernels.group_associations import Forest, Limits

Kind = Literal["value", "rule", "absence"]
KINDS: tuple[Kind, ...] = ("value", "rule", "absence")

# The largest number of sets of a group that are counted: three numbers of 8 bytes each.
_MOST_CELLS = 1 << 22
_GROUPS_A_STEP = 64


class SensitiveColumn(Protocol):
    """A column of a generalized table."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def tree(self) -> NodeTree:
        """The tree of its possible cells."""

    @property
    def nodes(self) -> Int32:
        """The node of each row."""


class Grouped(Protocol):
    """A generalized table: a release, or one in preparation."""

    @property
    def sensitive(self) -> Sequence[SensitiveColumn]:
        """Its sensitive columns."""

    @property
    def group_offsets(self) -> Int64:
        """Where the rows of each group start, and where they all end."""


class Association(NamedTuple):
    """One association, in labels: knowing the antecedent of a row of the group allows inferring the consequent."""

    group: int
    kind: Kind
    antecedent: dict[str, str]
    """By column; the absent values if the kind is absence, and empty if it is value."""
    consequent: dict[str, str]
    supporting: int
    """How many rows surely support it."""
    applicable: int
    """How many rows it applies to if hidden cells have the values that make its confidence least. If the rule can apply
    to no row, and all rows that it may apply to surely support it, both numbers count those rows."""
    confidence: float
    support: float
    """Supporting rows as a share of the group."""


@dataclass(frozen=True, eq=False)
class GroupAssociations:
    """Associations of groups, as flat arrays; iterating yields each of them in labels."""

    columns: tuple[str, ...]
    trees: tuple[NodeTree, ...]
    group_sizes: Int64
    groups: Int64
    """The group of each association, ascending."""
    kinds: Int64
    """Its kind, as an index into ``KINDS``."""
    antecedents: Int64
    """A row for each association: its node in each column, or 0 (the root) for none."""
    consequents: Int64
    supporting: Int64
    applicable: Int64

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        return (
            f"GroupAssociations({len(self):,} in {len(np.unique(self.groups)):,} of {len(self.group_sizes):,} groups)"
        )

    @property
    def confidence(self) -> Float64:
        """The least possible confidence of each association."""
        return self.supporting / self.applicable

    @property
    def support(self) -> Float64:
        """The share of the group's rows that surely support it."""
        return self.supporting / self.group_sizes[self.groups]

    def __getitem__(self, at: int) -> Association:
        group, supporting, applicable = (int(a[at]) for a in (self.groups, self.supporting, self.applicable))
        return Association(
            group,
            KINDS[int(self.kinds[at])],
            self._labels(self.antecedents[at]),
            self._labels(self.consequents[at]),
            supporting,
            applicable,
            supporting / applicable,
            supporting / int(self.group_sizes[group]),
        )

    def __iter__(self) -> Iterator[Association]:
        return (self[at] for at in range(len(self)))

    def _labels(self, nodes: Int64) -> dict[str, str]:
        named = zip(self.columns, self.trees, nodes.tolist(), strict=True)
        return {name: tree.labels[node] for name, tree, node in named if node}


def group_associations(
    release: Grouped, min_support: float = 0.1, min_confidence: float = 0.5, *, run: Run = DEFAULT_RUN
) -> GroupAssociations:
    """Find the associations that each group of a generalized release shows between its sensitive columns.

    Args:
        release: a generalized release.
        min_support: the least share of a group's rows that a rule needs to count.
        min_confidence: the least confidence of an association.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        All associations, by group: values, rules, and rules from absence.

    Raises:
        InputError: a share is out of range.
        Infeasible: there are too many sets of values to count.
    """
    columns = release.sensitive
    return find_associations(
        [column.nodes for column in columns],
        [column.tree for column in columns],
        release.group_offsets,
        min_support,
        min_confidence,
        columns=[column.name for column in columns],
        run=run,
    )


def find_associations(
    nodes: Sequence[Int32],
    trees: Sequence[NodeTree],
    group_offsets: Int64,
    min_support: float,
    min_confidence: float,
    *,
    columns: Sequence[str] | None = None,
    kinds: Sequence[Kind] = KINDS,
    filled: bool = False,
    run: Run = DEFAULT_RUN,
) -> GroupAssociations:
    """The same for plain arrays: a node for each row and sensitive column, rows by group.

    Args:
        nodes: for each column, the node of each row.
        trees: for each column, its tree.
        group_offsets: where the rows of each group start, and where they all end.
        min_support: the share of a group's rows from which on a rule counts.
        min_confidence: the confidence from which on an association counts.
        columns: the names of the columns; by default their numbers.
        kinds: the kinds to search for.
        filled: hidden cells were filled: rows that may hold a set are those that surely do.
        run: threads, progress and chance (:class:`shoal.Run`).
    """
    require_share("min_support", min_support)
    require_share("min_confidence", min_confidence)
    from shoal.kernels.compiling import announced

    report = run.report
    rows = DistinctRows.of(nodes, trees, group_offsets)
    found, width = [], 5 + 2 * len(trees)
    with announced(lambda: report("compile", 0, 1)):
        from shoal.kernels.group_associations import find_associations as kernel

        thresholds = Thresholds(rows.group_sizes, min_support, min_confidence, kinds)
        for group in range(rows.n_groups):
            if group % _GROUPS_A_STEP == 0:
                report("find associations", group, rows.n_groups)
            part = rows.part(group)
            records, n = kernel(
                rows.forest, rows.nodes[part].ravel(), rows.counts[part], thresholds.of(group), thresholds.needed,
                int(rows.has_hidden and not filled), np.empty(0, np.int64),
            )  # fmt: skip
            require_room(n, group)
            found.append(records[: n * width].reshape(n, width))
    report("find associations", rows.n_groups, rows.n_groups)
    records = np.concatenate([np.empty((0, width), np.int64), *found])
    items = np.maximum(records[:, 5:] - np.tile(rows.forest.start[:-1], 2), 0)
    groups = np.repeat(np.arange(rows.n_groups), [len(part) for part in found])
    # A rule from absence that need not apply to any row: all rows that it may apply to surely support it.
    may_apply = np.where(records[:, 2] == 0, rows.group_sizes[groups] - records[:, 4], 0)
    return GroupAssociations(
        tuple(map(str, range(len(trees))) if columns is None else columns),
        tuple(trees),
        rows.group_sizes,
        groups,
        records[:, 0],
        items[:, : len(trees)],
        items[:, len(trees) :],
        records[:, 1] + may_apply,
        records[:, 2] + may_apply,
    )


def require_room(n: int, group: int) -> None:
    """Raise an error if a kernel refused its input, which it shows by a negative number.

    Raises:
        Infeasible: it refused.
    """
    if n < 0:
        raise Infeasible(
            f"group {group}: its sensitive values have more than {_MOST_CELLS:,} combinations that may be frequent: "
            "name fewer sensitive columns, or ask for a higher support"
        )


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The different rows of each group, as arrays for kernels."""

    forest: Forest
    nodes: Int64
    """The node of each different row in each column, with nodes of all columns numbered; by group, then sorted."""
    counts: Int64
    """How many rows of the group are equal to each."""
    offsets: Int64
    """Where the different rows of each group start, and where they all end."""
    group_sizes: Int64
    order: Int64
    """The original rows of each, concatenated."""

    @classmethod
    def of(cls, nodes: Sequence[Int32], trees: Sequence[NodeTree], group_offsets: Int64) -> DistinctRows:
        """Sort the rows of each group and count those that are equal."""
        from shoal.kernels.group_associations import Forest

        start = np.concatenate([[0], np.cumsum([len(tree) for tree in trees])]).astype(np.int64)
        forest = Forest(
            np.concatenate(
                [np.where(t.parents < 0, -1, t.parents + s) for t, s in zip(trees, start, strict=False)]
            ).astype(np.int64),
            np.concatenate([t.ends + s for t, s in zip(trees, start, strict=False)]).astype(np.int64),
            start,
            np.concatenate([is_value(tree) for tree in trees]).astype(np.uint8),
        )
        sizes = np.diff(group_offsets).astype(np.int64)
        group = np.repeat(np.arange(len(sizes)), sizes)
        cells = np.stack([column + s for column, s in zip(nodes, start, strict=False)], axis=1).astype(np.int64)
        order = np.lexsort((*cells.T[::-1], group))
        cells, group = cells[order], group[order]
        first = np.ones(len(cells), bool)
        np.any(cells[1:] != cells[:-1], axis=1, out=first[1:])
        first[1:] |= group[1:] != group[:-1]
        starts = np.flatnonzero(first)
        return cls(
            Forest(*(_readable(array) for array in forest)),
            _readable(cells[starts]),
            _readable(np.diff(np.append(starts, len(cells)))),
            np.searchsorted(group[starts], np.arange(len(sizes) + 1)),
            sizes,
            order,
        )

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.group_sizes)

    @cached_property
    def has_hidden(self) -> bool:
        """Whether some cell has nodes below it."""
        return bool(np.any(self.forest.end[self.nodes] > self.nodes + 1))

    def part(self, group: int) -> slice:
        """The range of a group's different rows."""
        return slice(int(self.offsets[group]), int(self.offsets[group + 1]))


def is_value(tree: NodeTree) -> Bools:
    """Whether each node is a single value; the root never is."""
    values: Bools = tree.leaves == 1
    values[0] = False
    return values


def _readable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array for kernels: contiguous and read-only."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


class Thresholds:
    """The least counts of an association, computed exactly from the shares as written."""

    def __init__(
        self, group_sizes: Int64, min_support: float, min_confidence: float, kinds: Sequence[Kind] = KINDS
    ) -> None:
        self.group_sizes = group_sizes
        self.min_support = as_written(min_support)
        self.needed = least_counts(as_written(min_confidence), int(group_sizes.max(initial=0)))
        """The least count of supporting rows for each number of rows."""
        self.kinds = sum(1 << KINDS.index(kind) for kind in kinds)

    def of(self, group: int) -> Limits:
        """The counts of one group."""
        from shoal.kernels.group_associations import Limits

        size = int(self.group_sizes[group])
        return Limits(size, -int(-self.min_support * size // 1), self.kinds, _MOST_CELLS)


def least_counts(share: Fraction, most: int) -> Int64:
    """For each number up to ``most``, the smallest whole number that is at least this share of it.

    Example:
        >>> least_counts(Fraction("0.5"), 5).tolist()
        [0, 1, 1, 2, 2, 3]
    """
    above, below = share.numerator, share.denominator
    if above * most < 1 << 62:
        counts: Int64 = -(-np.arange(most + 1) * above // below)
    else:  # a share of many digits
        counts = np.array([-(-n * above // below) for n in range(most + 1)], np.int64)
    counts.flags.writeable = False
    return counts
