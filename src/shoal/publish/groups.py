"""Build a bucketized release from rows in groups, in an order that reveals only what is published anyway."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Int64
from shoal.data.background import Background
from shoal.data.kinds import require_table
from shoal.data.published_columns import as_plain
from shoal.data.table import Column, Role, Table
from shoal.errors import InputError
from shoal.promises import BucketPromise
from shoal.randomness import Chance, Stream, permutation
from shoal.release.bucketized import Bucketized, BucketMethod
from shoal.secret import Secret, secret_bytes

# Groups are ordered by this many of their rows; equal groups up to there stay in random order.
_ROWS_COMPARED = 16


def roles_of(table: Table) -> tuple[list[str], Column]:
    """The quasi-identifiers by name, and the one sensitive column.

    Raises:
        InputError: there are no quasi-identifiers, no sensitive column or several, or no rows.
    """
    require_table(table)
    quasi, sensitive = table.names_of(Role.QUASI), table.names_of(Role.SENSITIVE)
    if not quasi:
        raise InputError(f"no column is a quasi-identifier: name those that others may know (columns: {table.names})")
    if len(sensitive) != 1:
        found = f"{len(sensitive)} are: {', '.join(sensitive)}" if sensitive else "none is"
        raise InputError(f"exactly one column must be sensitive, but {found} (columns: {table.names})")
    if not len(table):
        raise InputError("the table has no rows")
    return quasi, table.column(sensitive[0])


def in_canonical_order(table: Table) -> Table:
    """The columns that are published, with rows sorted by value: nothing remains of the order of the input."""
    quasi, sensitive = roles_of(table)
    columns = [*(table.column(name) for name in sorted(quasi)), sensitive]
    order = np.lexsort([column.codes for column in reversed(columns)])
    return replace(table, columns=tuple(_ordered(column, order) for column in table.columns))


def keyed_stream(table: Table, secret: Secret, *options: str) -> Stream:
    """The random stream for the groups of a table: a function of secret, data and options.

    Args:
        table: the rows in canonical order, so that the order of the input makes no difference.
        secret: the secret, or its path.
        options: the method, and everything else that the groups depend on.

    Data and options are part of the key, so other data or other options get unrelated random numbers. With the secret
    alone as key, the same random numbers would assign the rows of two tables: anyone who knows or supplied one table
    could see the assignment in its release, and would then know that of the other.
    """
    quasi, sensitive = roles_of(table)
    digest = hashlib.shake_256()
    for column in (*(table.column(name) for name in sorted(quasi)), sensitive):
        for part in (column.name, str(len(column)), str(len(column.values)), *column.texts):
            text = part.encode(errors="surrogatepass")
            digest.update(b"%d:" % len(text))
            digest.update(text)
        digest.update(column.codes.astype("<i8").tobytes())
    return Stream.keyed(
        secret_bytes(secret), *(option.encode(errors="surrogatepass") for option in options), digest.digest(64)
    )


def require_one_source(seed: int | None, secret: Secret | None) -> None:
    """Refuse two sources of randomness."""
    if seed is not None and secret is not None:
        raise InputError("a seed and a secret are two sources of randomness: leave one of them out")


def as_release(
    table: Table,
    group: Int64,
    *,
    method: BucketMethod,
    promise: BucketPromise,
    background: Background | None = None,
    discloses_background: bool = False,
    chance: Chance = None,
) -> Bucketized:
    """Separate the sensitive column from the quasi-identifiers, group by group.

    Args:
        table: the rows, with their roles.
        group: the group of each row, numbered from 0 on; no group is empty.
        method: the method that assigned the rows to groups.
        promise: its promise.
        background: the rules of the promise.
        discloses_background: whether these are published.
        chance: where chance comes from.

    Returns:
        The release: rows of a group in the order of their values, groups in the order of their rows.
    """
    quasi, sensitive = roles_of(table)
    columns = [as_plain(table.column(name)) for name in quasi]
    sensitive = as_plain(sensitive)
    rank = Table(tuple(columns)).group_numbers()
    n_groups = int(group.max()) + 1
    # The numbers of groups reveal the order of their creation, and so sensitive values: they are removed first.
    group = permutation(n_groups, chance, purpose="groups")[group]
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
        reproducible=isinstance(chance, int),
    )


def deal(kinds: npt.NDArray[np.integer], places: npt.NDArray[np.integer], chance: Chance) -> Int64:
    """Assign rows at random to places that require rows of their kind: for each row its place.

    Args:
        kinds: the kind of each row.
        places: the kind that each place requires; as many of each kind as there are rows.
        chance: where chance comes from.
    """
    shuffled = permutation(len(kinds), chance, purpose="rows")
    dealt = np.empty(len(kinds), np.int64)
    dealt[shuffled[np.argsort(kinds[shuffled], kind="stable")]] = np.argsort(places, kind="stable")
    return dealt


def _offsets(groups: Int64, n_groups: int) -> Int64:
    return np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=n_groups))]).astype(np.int64)


def _ordered(column: Column, order: Int64) -> Column:
    return Column(column.name, column.role, column.codes[order], column.values)
