"""Which sensitive values each row may have, given that all rows of its group have values that rules do not exclude.

T. Li, N. Li: Injector, 2008, definition 1: a value is valid for a row if some assignment of the group's values to its
rows gives it to this row, and to every other row one that it can take. Figure 1 of the paper forgets that the row
itself must be able to take the value; this follows the definition.

In a group, rows that cannot take the same values are of one kind. Where nobody is excluded from a value of the group,
all are valid. Elsewhere one maximum flow from kinds to values, over all these groups at once, finds an assignment. Any
other one differs from it by cycles of the residual graph: a kind may take a value exactly if it can take it, and both
are in one strongly connected component.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.audit.exclusions import Exclusions
from shoal.audit.km_budget import Budget
from shoal.audit.ragged import steps
from shoal.data.frozen import freeze
from shoal.release.bucketized import Bucketized

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Kinds:
    """The rows of each group, those together that cannot take the same values; group after group."""

    row_kind: Int64
    """The kind of each row."""
    group: Int64
    excluded: Int64
    """The class of excluded values of each kind."""
    size: Int64
    """How many rows are of each kind."""
    first_row: Int64
    forbidden_kind: Int64
    """With ``forbidden_entry``: the kinds and entries of a group of which the kind cannot take the entry's value."""
    forbidden_entry: Int64

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class ValidValues:
    """How many values are valid for each kind of rows, and which, where some are not."""

    kinds: Kinds
    number: Int64
    """How many values are valid for each kind."""
    unassignable: Int64
    """The groups of which no assignment keeps to the rules."""
    arc_kind: Int64
    """With ``arc_entry``: in groups where a value is excluded, the kinds and the entries that are valid for them."""
    arc_entry: Int64

    def __post_init__(self) -> None:
        freeze(self)


def sort_into_kinds(release: Bucketized, exclusions: Exclusions) -> Kinds:
    """Find the kinds of rows of each group, and what they cannot take of what is there."""
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
        release: A release whose structure was found to be right.
        exclusions: What its rows cannot take.
        budget: Paid for each kind and each value of a group in which something is excluded.

    Raises:
        OutOfBudget: Groups are too large, with too many kinds of rows and too many values.
    """
    budget.spend(int(np.diff(exclusions.offsets)[exclusions.row_class].sum()))
    kinds = sort_into_kinds(release, exclusions)
    number = np.diff(release.bucket_offsets)[kinds.group]
    touched = np.zeros(release.n_groups, bool)
    touched[kinds.group[kinds.forbidden_kind]] = True
    if not touched.any():
        return ValidValues(kinds, number, _NONE, _NONE, _NONE)
    kind, entry = _arcs(release, kinds, touched, budget)
    stuck, labels = _components(release, kinds, touched, kind, entry)
    bad = np.zeros(release.n_groups, bool)
    bad[stuck] = True
    own, its = labels
    valid = (own[kind] == its[entry]) & ~bad[kinds.group[kind]]
    kind, entry = kind[valid], entry[valid]
    counted = np.bincount(kind, minlength=len(kinds.group))
    return ValidValues(kinds, np.where(touched[kinds.group], counted, number), stuck, kind, entry)


_NONE = np.zeros(0, np.int64)


def _arcs(release: Bucketized, kinds: Kinds, touched: Bools, budget: Budget) -> tuple[Int64, Int64]:
    """Kinds and entries of the touched groups where the kind can take the entry's value, in order."""
    entries = np.diff(release.bucket_offsets)
    number_of_kinds = np.bincount(kinds.group, minlength=release.n_groups)
    # A flow goes through the smaller side again and again.
    budget.spend(float((entries * number_of_kinds * np.minimum(entries, number_of_kinds) ** 0.5)[touched].sum()))
    members = np.flatnonzero(touched[kinds.group])
    lengths = entries[kinds.group[members]]
    kind = np.repeat(members, lengths)
    entry = np.repeat(release.bucket_offsets[kinds.group[members]], lengths) + steps(lengths)
    total = len(release.bucket_values)
    forbidden = kinds.forbidden_kind * total + kinds.forbidden_entry
    allowed = np.ones(len(kind), bool)
    allowed[np.searchsorted(kind * total + entry, forbidden)] = False
    return kind[allowed], entry[allowed]


def _components(
    release: Bucketized, kinds: Kinds, touched: Bools, kind: Int64, entry: Int64
) -> tuple[Int64, tuple[Int64, Int64]]:
    """The groups that have no assignment, and the component of each kind and of each entry."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_flow

    kind_node = np.cumsum(touched[kinds.group]) - 1
    entry_touched = touched[release.bucket_groups]
    n_kinds = int(kind_node[-1]) + 1
    entry_node = np.cumsum(entry_touched) - 1 + n_kinds
    n_nodes = int(entry_node[-1]) + 1
    supply = kinds.size[touched[kinds.group]]
    demand = release.bucket_counts[entry_touched]
    source, sink = n_nodes, n_nodes + 1
    start, end = kind_node[kind], entry_node[entry]
    rows = np.concatenate([start, np.full(n_kinds, source), np.arange(n_kinds, n_nodes)])
    columns = np.concatenate([end, np.arange(n_kinds), np.full(n_nodes - n_kinds, sink)])
    room = np.minimum(kinds.size[kind], release.bucket_counts[entry])
    capacity = np.concatenate([room, supply, demand]).astype(np.int32)
    graph = csr_array((capacity, (rows, columns)), shape=(n_nodes + 2, n_nodes + 2))
    flow = maximum_flow(graph, source, sink).flow.tocoo()
    used = (flow.data > 0) & (flow.row < n_kinds)
    there, back, amount = flow.row[used].astype(np.int64), flow.col[used].astype(np.int64), flow.data[used]
    group = kinds.group[touched[kinds.group]]
    served = np.bincount(group[there], amount, minlength=release.n_groups)
    stuck = np.flatnonzero(touched & (served < release.group_sizes))
    residual = csr_array(
        (
            np.ones(len(start) + len(there), np.int8),
            (np.concatenate([start, back]), np.concatenate([end, there])),
        ),
        shape=(n_nodes, n_nodes),
    )
    labels = connected_components(residual, connection="strong")[1]
    # What is in no touched group is asked about by nobody.
    return stuck, (labels[np.maximum(kind_node, 0)], labels[np.clip(entry_node, n_kinds, n_nodes - 1)])
