"""Releases that keep every condition of their promise and are worth nothing: nothing is left, or nothing is protected.

Both are told from what is published alone, so that they are found whoever made a release. Under differential privacy
this is post-processing: what is published is all that it looks at.

* Total loss: nothing that is published tells one record from another, although not all of it is published as it was.
* Empty promise: the promise is about sensitive values, and most rows have one that nobody else has. Any rows have
  different values then, which is all that l-diversity asks for, and no value or rule is frequent, which is all that
  hiding asks for; and a value of one person, published exactly, may name them. Most means more than half: below that
  the promise says something of at least every other row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.audit.residual import percent
from shoal.audit.wording import LISTED, shorten
from shoal.errors import EmptyKind
from shoal.quoting import called
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized, GeneralizedColumn
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.randomized import Randomized


@dataclass(frozen=True)
class Emptiness:
    """Why a release is worth nothing.

    Example:
        >>> print(Emptiness("total loss", "no basket is published"))
        total loss: no basket is published
    """

    kind: EmptyKind
    words: str
    """What is so, with the numbers of the release."""

    def as_dict(self) -> dict[str, str]:
        """The entry as plain values."""
        return {"kind": self.kind, "words": self.words}

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


def emptiness(release: Release) -> tuple[Emptiness, ...]:
    """What makes a release worth nothing, from what it publishes; its structure was found to be right."""
    if isinstance(release, Bucketized):
        return tuple(_diverse_by_nature(release))
    if isinstance(release, Generalized):
        return (*_alike_rows(release), *_hidden_by_nature(release))
    return tuple(Emptiness("total loss", words) for words in _lost_baskets(release))


def own_values(release: Bucketized | Generalized, sensitive: str) -> int:
    """How many rows show a sensitive value that no other published row has; a generalized cell is not such a value."""
    if isinstance(release, Bucketized):
        rows = np.zeros(len(release.values), np.int64)
        np.add.at(rows, release.bucket_values, release.bucket_counts)
        return int(np.count_nonzero(rows == 1))
    column = release.column(sensitive)
    return int(np.count_nonzero((column.counts == 1)[column.nodes] & ~column.is_general))


def nearly_unique(rows: int, alone: int) -> bool:
    """Whether most rows have a value that no other row has."""
    return 2 * alone > rows


def _lost_baskets(release: Release) -> Iterator[str]:
    if isinstance(release, Disassociated):
        if not release.n_chunks:
            yield (
                f"all {len(release.vocabulary):,} items of {release.n_records:,} records are in term chunks only, so "
                "that nothing tells how often an item occurs in a cluster, or which items occur together"
            )
    elif isinstance(release, GeneralizedBaskets):
        held = np.flatnonzero(release.is_held)
        general = (release.tree.leaves[held] > 1) | (held == 0)
        if np.all(release.supports[held] == release.n_rows) and general.any():
            names = ", ".join(shorten(release.tree.labels[node]) for node in held[:LISTED].tolist())
            more = f" and {len(held) - LISTED:,} more" if len(held) > LISTED else ""
            yield (
                f"all {release.n_rows:,} published rows are the same ({names}{more}), so that nothing tells one record "
                "from another"
            )
    elif isinstance(release, Randomized):
        if not len(release.items):
            yield f"none of {release.n_rows:,} published rows holds an item"
    elif not release.n_rows:
        yield "no basket is published"


def _alike_rows(release: Generalized) -> Iterator[Emptiness]:
    quasi = release.quasi
    if not release.n_rows:
        yield Emptiness("total loss", f"no row is published: all {release.suppressed:,} are suppressed")
    elif all(np.all(column.nodes == column.nodes[0]) for column in quasi) and any(c.is_general[0] for c in quasi):
        cells = [f"{called(c.name)}: {shorten(c.tree.labels[c.nodes[0]])}" for c in quasi[:LISTED]]
        more = f" and {len(quasi) - LISTED:,} more" if len(quasi) > LISTED else ""
        yield Emptiness(
            "total loss",
            f"all {release.n_rows:,} published rows are one group ({', '.join(cells)}{more}), so that no "
            "quasi-identifier tells one row from another",
        )


def _diverse_by_nature(release: Bucketized) -> Iterator[Emptiness]:
    wanted = release.promise.l
    alone = own_values(release, release.sensitive)
    if nearly_unique(release.n_rows, alone):
        yield Emptiness(
            "empty promise",
            f"{_share(alone, release.n_rows)} have a value of {called(release.sensitive)} that no other row has: any "
            f"{wanted:,} of these rows have {wanted:,} different values, and each value, published exactly, is that of "
            "one person",
        )


def _hidden_by_nature(release: Generalized) -> Iterator[Emptiness]:
    if release.hidden is None:
        return
    for column in nearly_unique_columns(release):
        alone = own_values(release, column.name)
        yield Emptiness(
            "empty promise",
            f"{_share(alone, release.n_rows)} show a value of {called(column.name)} that no other row shows: no "
            "association with it is frequent enough to be hidden, and each value, published exactly, is that of one "
            "person",
        )


def nearly_unique_columns(release: Generalized) -> list[GeneralizedColumn]:
    """The sensitive columns in which most rows show a value that no other row shows."""
    return [c for c in release.sensitive if nearly_unique(release.n_rows, own_values(release, c.name))]


def _share(part: int, rows: int) -> str:
    return f"{part:,} of {rows:,} rows ({percent(part / rows)})"
