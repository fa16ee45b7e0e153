"""Whether the groups of a generalized release satisfy k-anonymity: k rows that agree, and no other groups like them.

L. Sweeney: k-anonymity, 2002, definition 3. The order of groups and rows must follow from what is published, or it
could be that of the original. Suppressed rows are not a group: a group that shows only roots would consist of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, shorten
from shoal.data.arrays import Int32, Int64
from shoal.data.table import Role
from shoal.quoting import called, shown
from shoal.release.generalized import Generalized, GeneralizedColumn

COLUMNS, GROUPS, AGREE, ORDER, SIZE, SUPPRESSED = (
    "columns",
    "groups",
    "agreement",
    "order",
    "group size",
    "suppressed rows",
)


def check_columns(release: Generalized) -> Check:
    """The columns are those that the promises name."""
    names = [column.name for column in release.columns]
    quasi = tuple(column.name for column in release.quasi)
    sensitive = tuple(column.name for column in release.sensitive)
    roles = [column.role for column in release.columns]
    witness = None
    if not names:
        witness = "the release has no columns"
    elif len(set(names)) < len(names):
        witness = f"two columns are called {shown(next(name for at, name in enumerate(names) if name in names[:at]))}"
    elif any(role not in (Role.QUASI, Role.SENSITIVE) for role in roles) or roles != sorted(roles, key=_rank):
        witness = "the columns are not quasi-identifiers, then sensitive ones"
    elif quasi != release.promise.quasi:
        witness = (
            f"the quasi-identifiers are {_listed(quasi)}, and those of the promise {_listed(release.promise.quasi)}"
        )
    elif release.hidden is not None and sensitive != release.hidden.sensitive:
        witness = (
            f"the sensitive columns are {_listed(sensitive)}, those of the promise {_listed(release.hidden.sensitive)}"
        )
    elif len({len(column) for column in release.columns}) > 1:
        witness = f"columns have {', '.join(f'{len(column):,}' for column in release.columns)} rows"
    what = "the quasi-identifiers and sensitive columns are those of the promise, each with a node in every row"
    return decided(COLUMNS, what, len(names), witness)


def _rank(role: Role) -> int:
    return (Role.QUASI, Role.SENSITIVE).index(role)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(shorten, names)) or "none"


def check_offsets(release: Generalized) -> Check:
    """Every row is in one group, and no group is empty."""
    what = "every row is in one group, no group is without a row, and the suppressed rows are counted"
    offsets, rows = release.group_offsets, release.n_rows
    witness = None
    empty = np.flatnonzero(offsets[1:] <= offsets[:-1])
    if not len(offsets):
        witness = "the release has no groups"
    elif int(offsets[0]) != 0 or int(offsets[-1]) != rows:
        witness = f"the groups hold the rows {int(offsets[0]):,} to {int(offsets[-1]):,} of {rows:,}"
    elif len(empty):
        witness = f"group {int(empty[0])} has no row" + and_more(len(empty) - 1, "groups")
    elif release.suppressed < 0:
        witness = f"{release.suppressed:,} rows are suppressed"
    elif not rows and not release.suppressed:
        witness = "the release has no rows"
    return decided(GROUPS, what, max(release.n_groups, 0), witness)


def check_groups(release: Generalized) -> Iterator[Check]:
    """Rows agree where they should, in groups of at least k, sorted by what is published."""
    agree = _check_agreement(release)
    yield agree
    what = "groups ascend by their quasi-identifiers' nodes, no two equal; the rows of a group by their sensitive nodes"
    yield _check_order(release, what) if agree.holds else not_checked(ORDER, what, "rows of a group differ")
    yield _check_size(release)
    yield _check_suppressed(release)


def _check_agreement(release: Generalized) -> Check:
    starts = release.group_offsets[:-1]
    groups = release.row_groups
    witness = None
    for column in release.quasi:
        wrong = np.flatnonzero(column.nodes != column.nodes[starts][groups])
        if len(wrong):
            row, group = int(wrong[0]), int(groups[wrong[0]])
            witness = (
                f"group {group}: row {row} has {column.name} {_label(column, row)}, and the first row of the group "
                f"{_label(column, int(starts[group]))}" + and_more(len(wrong) - 1, "rows")
            )
            break
    what = "the rows of a group agree on all quasi-identifiers"
    return decided(AGREE, what, release.n_rows, witness)


def _check_order(release: Generalized, what: str) -> Check:
    starts = release.group_offsets[:-1]
    witness = None
    groups = _compare([column.nodes[starts] for column in release.quasi])
    rows = _compare([column.nodes for column in release.sensitive]) if release.sensitive else np.zeros(0, np.int64)
    same = np.diff(release.row_groups) == 0
    wrong, falling = np.flatnonzero(groups >= 0), np.flatnonzero((rows > 0) & same) if len(rows) else rows
    if len(wrong):
        at = int(wrong[0])
        if groups[at] == 0:
            witness = f"groups {at} and {at + 1} have the same quasi-identifiers"
        else:
            witness = f"group {at + 1} should come before group {at}"
        witness += and_more(len(wrong) - 1, "groups")
    elif len(falling):
        at = int(falling[0]) + 1
        witness = f"group {int(release.row_groups[at])}: row {at} should come before row {at - 1}"
        witness += and_more(len(falling) - 1, "rows")
    return decided(ORDER, what, release.n_groups + release.n_rows, witness)


def _compare(columns: list[Int32]) -> Int64:
    """For each row but the last whether it comes after (1) or before (-1) the next one, or is equal to it (0)."""
    outcome = np.zeros(max(len(columns[0]) - 1, 0), np.int64)
    for column in columns:
        outcome = np.where(outcome == 0, np.sign(column[:-1].astype(np.int64) - column[1:]), outcome)
    return outcome


def _check_size(release: Generalized) -> Check:
    k, sizes = release.promise.k, release.group_sizes
    # No group has more rows than the release, so any larger k requires the same.
    small = np.flatnonzero(sizes < min(k, release.n_rows + 1))
    witness = None
    if len(small):
        at = int(small[0])
        rows = "1 row" if sizes[at] == 1 else f"{int(sizes[at]):,} rows"
        witness = f"group {at} ({group_name(release, at)}) has {rows}" + and_more(len(small) - 1, "groups")
    return decided(SIZE, f"every group has at least {k:,} rows", release.n_groups, witness)


def _check_suppressed(release: Generalized) -> Check:
    what = "no group consists of suppressed rows: beside other groups, none shows only roots (bottom-up)"
    witness = None
    # Local recoding may leave a group of k rows at the roots; where all rows are recoded alike, none is alone there.
    if release.n_groups > 1 and release.method == "bottom-up":
        blank = np.ones(release.n_groups, bool)
        for column in release.columns:
            blank &= np.maximum.reduceat(column.nodes, release.group_offsets[:-1]) == 0
        if blank.any():
            at = int(np.flatnonzero(blank)[0])
            witness = (
                f"the {int(release.group_sizes[at]):,} rows of group {at} show only roots: they are suppressed ones"
            )
    return decided(SUPPRESSED, what, release.n_groups, witness)


def group_name(release: Generalized, group: int) -> str:
    """``age 20-29, sex *``: a group by its quasi-identifiers."""
    row = int(release.group_offsets[group])
    return ", ".join(f"{called(column.name)} {_label(column, row)}" for column in release.quasi)


def _label(column: GeneralizedColumn, row: int) -> str:
    return shorten(column.tree.labels[int(column.nodes[row])])
