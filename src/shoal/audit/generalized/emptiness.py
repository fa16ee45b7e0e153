"""Whether a generalized release has any utility left, and whether hiding hides anything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.audit.emptiness import Emptiness, nearly_unique, share_of_rows
from shoal.audit.wording import LISTED, shorten
from shoal.quoting import called
from shoal.release.generalized import Generalized, GeneralizedColumn


def emptiness(release: Generalized) -> tuple[Emptiness, ...]:
    """The reasons why the release is worthless; its structure was found valid."""
    return (*_alike_rows(release), *_hidden_by_nature(release))


def own_values(column: GeneralizedColumn) -> int:
    """How many rows show a value that no other published row shows; a generalized cell is not such a value."""
    return int(np.count_nonzero((column.counts == 1)[column.nodes] & ~column.is_general))


def nearly_unique_columns(release: Generalized) -> list[GeneralizedColumn]:
    """The sensitive columns in which most rows show a value that no other row shows."""
    return [column for column in release.sensitive if nearly_unique(release.n_rows, own_values(column))]


def _alike_rows(release: Generalized) -> Iterator[Emptiness]:
    quasi = release.quasi
    if not release.n_rows:
        yield Emptiness("total loss", f"no row is published: all {release.suppressed:,} are suppressed")
    elif all(np.all(column.nodes == column.nodes[0]) for column in quasi) and any(c.is_general[0] for c in quasi):
        cells = [f"{called(c.name)}: {shorten(c.tree.labels[c.nodes[0]])}" for c in quasi[:LISTED]]
        more = f" and {len(quasi) - LISTED:,} more" if len(quasi) > LISTED else ""
        yield Emptiness(
            "total loss",
            f"all {release.n_rows:,} published rows are one group ({', '.join(cells)}{more}), so no quasi-identifier "
            "distinguishes one row from another",
        )


def _hidden_by_nature(release: Generalized) -> Iterator[Emptiness]:
    if release.hidden is None:
        return
    for column in nearly_unique_columns(release):
        yield Emptiness(
            "empty promise",
            f"{share_of_rows(own_values(column), release.n_rows)} show a value of {called(column.name)} that no other "
            "row shows: no association with it is frequent enough to be hidden, and each value, published exactly, "
            "belongs to one person",
        )
