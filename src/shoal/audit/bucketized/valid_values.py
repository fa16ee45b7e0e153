"""The sensitive values that each row may have, if all rows of its group have values that the rules do not exclude.

T. Li, N. Li: Injector, 2008, definition 1: a value is valid for a row if some assignment of the group's values to its
rows gives it to this row, and gives every other row a value that it can take. Figure 1 of the paper omits that the row
itself must be able to take the value; this module follows the definition.

In a group, rows with the same forbidden values are of one kind. If no row has a forbidden value of the group, all
values are valid. Otherwise the kinds that can take everything are merged, and so are the values that all can take. One
maximum flow from kinds to values, over all these groups at once, finds an assignment. Any other one differs from it by
cycles of the residual graph: a kind may take a value exactly if it can take it and both are in one strongly connected
component.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.bucketized.exclusions import Exclusions
from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.parts import steps
from shoal.data.arrays import Bools, Int64
from shoal.data.frozen import freeze
from shoal.release.bucketized import Bucketized


@dataclass(frozen=True, eq=False)
class Kinds:
    """The rows of each group, grouped by the values that they cannot take; group after group."""

    row_kind: Int64
    """The kind of each row."""
    group: Int64
    excluded: Int64
    """The class of excluded values of each kind."""
    size: Int64
    """How many rows are of each kind."""
    first_row: Int64
    forbidden_kind: Int64
    """With ``forbidden_entry``: the kinds and entries of a group for which the kind cannot take the entry's value."""
    forbidden_entry: Int64

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class ValidValues:
    """How many values are valid for each kind of row."""

    kinds: Kinds
    number: Int64
    """How many values are valid for each kind."""
    unassignable: Int64
    """The groups without an assignment that satisfies the rules."""
    kind_component: Int64
    """A kind may have the values of the entries that it can take and that are in its component."""
    entry_component: Int64

    def __post_init__(self) -> None:
        freeze(self)

    def entries(self, release: Bucketized, kind: int) -> Int64:
        """The entries of a group whose values are valid for a kind of its rows."""
        group = int(self.kinds.group[kind])
        if group in self.unassignable:
            return _NONE
        every = np.arange(*release.bucket_offsets[group : group + 2])
        start, end = np.searchsorted(self.kinds.forbidden_kind, [kind, kind + 1])  # forbidden_kind ascends
        cannot = self.kinds.forbidden_entry[start:end]
        reached = every[self.entry_component[every] == self.kind_component[kind]]
        return np.setdiff1d(reached, cannot)


def sort_into_kinds(release: Bucketized, exclusions: Exclusions) -> Kinds:
    """Find the kinds of rows of each group, and which of its values they cannot take."""
    keys = release.row_groups * exclusions.n_classes + exclusions.row_class
    distinct, first, row_kind, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    group, excluded = distinct // exclusions.n_classes, distinct % exclusions.n_classes
    lengths = np.diff(exclusions.offsets)[excluded]
    kind = np.repeat(np.arange(len(distinct)), lengths)
    value = exclusions.values[np.repeat(exclusions.offsets[excluded], lengths) + steps(lengths)]
    entries = release.bucket_groups * len(release.values) + release.bucket_values
    order = np.argsort(entries, kind="stable")
    wanted = group[kind] * len(release.values) + value
    place = order[np.minimum(np.searchsorted(entries, wanted, sorter=order), len(entries) - 1)]
    hit = entries[place] == wanted
    return Kinds(row_kind.reshape(-1), group, excluded, sizes, first, kind[hit], place[hit])


def find_valid(release: Bucketized, exclusions: Exclusions, budget: Budget) -> ValidValues:
    """Decide for every row which values it may have.

    Args:
        release: A release with valid groups and counts.
        exclusions: The values that its rows cannot take.
        budget: Paid for each exclusion, and for each kind and each value of a group that it concerns.

    Raises:
        OutOfBudget: Groups are too large, with too many kinds of rows and too many values.
    """
    budget.spend(int(np.diff(exclusions.offsets)[exclusions.row_class].sum()))
    kinds = sort_into_kinds(release, exclusions)
    # One component per group: all values are valid if nothing is excluded.
    of_kind, of_entry = -1 - kinds.group, -1 - release.bucket_groups
    stuck = _NONE
    if len(kinds.forbidden_kind):
        stuck = _tell_components(release, kinds, of_kind, of_entry, budget)
    bad = np.zeros(release.n_groups, bool)
    bad[stuck] = True
    names, place = np.unique(np.concatenate([of_kind, of_entry]), return_inverse=True)
    place = place.reshape(-1)
    held = np.bincount(place[len(of_kind) :], minlength=len(names))[place[: len(of_kind)]]
    own = of_entry[kinds.forbidden_entry] == of_kind[kinds.forbidden_kind]
    held -= np.bincount(kinds.forbidden_kind[own], minlength=len(held))
    return ValidValues(kinds, np.where(bad[kinds.group], 0, held), stuck, of_kind, of_entry)


_NONE = np.zeros(0, np.int64)
_LEAST_ARCS, _ARCS_A_ROW = 4_000_000, 16


def _tell_components(release: Bucketized, kinds: Kinds, of_kind: Int64, of_entry: Int64, budget: Budget) -> Int64:
    """Number the components of kinds and entries with exclusions, in place; return the groups without an assignment."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_flow

    touched = np.zeros(release.n_groups, bool)
    touched[kinds.group[kinds.forbidden_kind]] = True
    left = _merged(kinds.group, kinds.forbidden_kind, touched)
    right = _merged(release.bucket_groups, kinds.forbidden_entry, touched)
    starts, ends = _arcs(left, right, kinds, release, budget)
    n_left, n_right = len(left.group), len(right.group)
    supply = np.bincount(left.node[left.node >= 0], kinds.size[left.node >= 0]).astype(np.int64)
    demand = np.bincount(right.node[right.node >= 0], release.bucket_counts[right.node >= 0]).astype(np.int64)
    nodes = n_left + n_right
    source, sink = nodes, nodes + 1
    # SciPy takes numbers of 32 bits only; these are enough for the nodes of rows and values.
    rows = np.concatenate([starts, np.full(n_left, source), np.arange(n_left, nodes)]).astype(np.int32)
    columns = np.concatenate([n_left + ends, np.arange(n_left), np.full(n_right, sink)]).astype(np.int32)
    room = np.concatenate([np.minimum(supply[starts], demand[ends]), supply, demand]).astype(np.int32)
    graph = csr_array((room, (rows, columns)), shape=(nodes + 2, nodes + 2))
    flow = maximum_flow(graph, source, sink).flow.tocoo()
    used = (flow.data > 0) & (flow.row < n_left)
    giver, taker, amount = flow.row[used].astype(np.int64), flow.col[used].astype(np.int64), flow.data[used]
    served = np.bincount(left.group[giver], amount, minlength=release.n_groups)
    links = np.ones(len(starts) + len(giver), np.int8)
    there = (
        np.concatenate([starts, taker]).astype(np.int32),
        np.concatenate([n_left + ends, giver]).astype(np.int32),
    )
    component = connected_components(csr_array((links, there), shape=(nodes, nodes)), connection="strong")[1]
    of_kind[left.node >= 0] = component[left.node[left.node >= 0]]
    of_entry[right.node >= 0] = component[n_left + right.node[right.node >= 0]]
    return np.flatnonzero(touched & (served < release.group_sizes))


@dataclass(frozen=True, eq=False)
class _Side:
    """Kinds or entries as nodes of a graph; those of a group that have no exclusions are merged."""

    node: Int64
    """For each kind or entry its node; -1 in groups without exclusions."""
    group: Int64
    """The group of each node, ascending."""


def _merged(group: Int64, limited: Int64, touched: Bools) -> _Side:
    alone = np.zeros(len(group), bool)
    alone[limited] = True
    first = np.ones(len(group), bool)
    # Among those that are not alone, the first of each group represents the others.
    others = np.flatnonzero(~alone)
    first[others[1:]] = group[others[1:]] != group[others[:-1]]
    stands = touched[group] & (alone | first)
    number = np.cumsum(stands) - 1
    node = np.where(touched[group], number, -1)
    lead = np.full(len(touched), -1)
    leaders = others[first[others] & touched[group[others]]]
    lead[group[leaders]] = number[leaders]
    inside = others[touched[group[others]]]
    node[inside] = lead[group[inside]]
    return _Side(node, group[stands])


def _arcs(left: _Side, right: _Side, kinds: Kinds, release: Bucketized, budget: Budget) -> tuple[Int64, Int64]:
    """The nodes of kinds and of entries of one group for which the kind can take the value."""
    values = np.bincount(right.group, minlength=release.n_groups)
    others = np.bincount(left.group, minlength=release.n_groups)
    number = int((values * others).sum())
    if number > max(_LEAST_ARCS, _ARCS_A_ROW * (release.n_rows + len(release.bucket_values))):
        raise OutOfBudget
    # A flow may pass through the smaller side many times.
    budget.spend(float((values * others * np.minimum(values, others) ** 0.5).sum()))
    lengths = values[left.group]
    starts = np.repeat(np.arange(len(left.group)), lengths)
    ends = np.repeat((np.cumsum(values) - values)[left.group], lengths) + steps(lengths)
    n_right = len(right.group)
    forbidden = left.node[kinds.forbidden_kind] * n_right + right.node[kinds.forbidden_entry]
    allowed = np.ones(number, bool)
    allowed[np.searchsorted(starts * n_right + ends, forbidden)] = False
    return starts[allowed], ends[allowed]
