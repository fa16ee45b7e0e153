"""Rows dealt to groups, as a release: in an order that says nothing but what is published anyway."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.background import Background
from shoal.data.plain import as_plain
from shoal.data.table import Column, Int64, Role, Table
from shoal.errors import InputError
from shoal.promises import BucketPromise
from shoal.randomness import permutation
from shoal.release.bucketized import Bucketized, BucketMethod

# Groups are ordered by so many of their rows; what is equal up to there stays in random order.
_ROWS_COMPARED = 16


def roles_of(table: Table) -> tuple[list[str], Column]:
    """The quasi-identifiers by name, and the one sensitive column.

    Raises:
        InputError: there are no quasi-identifiers, no sensitive column or several, or no rows.
    """
    quasi, sensitive = table.names_of(Role.QUASI), table.names_of(Role.SENSITIVE)
    if not quasi:
        raise InputError(f"no column is a quasi-identifier: name those that others may know (columns: {table.names})")
    if len(sensitive) != 1:
        found = f"{len(sensitive)} are: {', '.join(sensitive)}" if sensitive else "none is"
        raise InputError(f"exactly one column must be sensitive, but {found} (columns: {table.names})")
    if not len(table):
        raise InputError("the table has no rows")
    return quasi, table.column(sensitive[0])


def as_release(
    table: Table,
    group: Int64,
    *,
    method: BucketMethod,
    promise: BucketPromise,
    background: Background | None = None,
    discloses_background: bool = False,
    seed: int | None = None,
) -> Bucketized:
    """Detach the sensitive column from the quasi-identifiers, group by group.

    Args:
        table: the rows, with their roles.
        group: the group of each row, numbered from 0 on, none of them empty.
        method: what dealt the rows to the groups.
        promise: what it promises.
        background: the rules that the promise speaks of.
        discloses_background: whether they are to be published.
        seed: stands in for chance.

    Returns:
        The release: rows of a group in the order of their values, groups in the order of their rows.
    """
    quasi, sensitive = roles_of(table)
    columns = [as_plain(table.column(name)) for name in quasi]
    sensitive = as_plain(sensitive)
    rank = Table(tuple(columns)).group_numbers()
    n_groups = int(group.max()) + 1
    # The numbers of groups tell in which order they were made, and so of sensitive values: they are forgotten first.
    group = permutation(n_groups, seed, purpose="groups")[group]
    order = np.lexsort((rank, group))
    sizes = np.bincount(group, minlength=n_groups)
    starts = np.cumsum(sizes) - sizes
    compared = [
        np.where(sizes > at, rank[order[np.minimum(starts + at, len(order) - 1)]], -1)
        for at in range(min(int(sizes.max()), _ROWS_COMPARED))
    ]
    place = np.empty(n_groups, np.int64)
    place[np.lexsort(compared[::-1])] = np.arange(n_groups)
    group = place[group]
    order = np.lexsort((rank, group))

    n_values = len(sensitive.values)
    entries, counts = np.unique(group * n_values + sensitive.codes, return_counts=True)
    return Bucketized(
        method=method,
        promise=promise,
        quasi=Table(tuple(_ordered(column, order) for column in columns)),
        group_offsets=_offsets(group, n_groups),
        values=sensitive.values,
        bucket_offsets=_offsets(entries // n_values, n_groups),
        bucket_values=(entries % n_values).astype(np.int32),
        bucket_counts=counts.astype(np.int64),
        background=background,
        discloses_background=discloses_background,
        reproducible=seed is not None,
    )


def deal(kinds: npt.NDArray[np.integer], places: npt.NDArray[np.integer], seed: int | None) -> Int64:
    """Deal rows at random to places that ask for rows of their kind: for each row its place.

    Args:
        kinds: the kind of each row.
        places: the kind that each place asks for; as many of each kind as there are rows.
        seed: stands in for chance.
    """
    shuffled = permutation(len(kinds), seed, purpose="rows")
    dealt = np.empty(len(kinds), np.int64)
    dealt[shuffled[np.argsort(kinds[shuffled], kind="stable")]] = np.argsort(places, kind="stable")
    return dealt


def _offsets(groups: Int64, n_groups: int) -> Int64:
    return np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=n_groups))]).astype(np.int64)


def _ordered(column: Column, order: Int64) -> Column:
    return Column(column.name, column.role, column.codes[order], column.values)
