"""A bucketized release: rows with quasi-identifiers in groups, and for each group the count of each sensitive value.

X. Xiao, Y. Tao: Anatomy, VLDB 2006; T. Li, N. Li: Injector, 2008, section III.C. Plain data: nothing here checks a
promise, so the auditor can read anything of this shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.data.background import Background
from shoal.data.frozen import freeze
from shoal.data.table import Table
from shoal.loading import loaded
from shoal.promises import BucketPromise
from shoal.release.base import TableRelease

if TYPE_CHECKING:
    from shoal.analyse.answers import Support
    from shoal.analyse.tables.aggregates import Aggregate

BucketMethod = Literal["anatomy", "injector"]


@dataclass(frozen=True, eq=False)
class Bucketized(TableRelease):
    """Groups of rows, separated from their sensitive values, as flat arrays.

    The rows of group ``g`` are the rows ``group_offsets[g]:group_offsets[g + 1]`` of ``quasi``. Its sensitive values
    are ``values[bucket_values[b]]``, each in ``bucket_counts[b]`` of its rows, for ``b`` in
    ``bucket_offsets[g]:bucket_offsets[g + 1]``.
    """

    shape: ClassVar[str] = "bucketized"

    method: BucketMethod
    promise: BucketPromise
    quasi: Table
    """The quasi-identifiers of all rows, in plain types, group after group; within a group sorted by value."""
    group_offsets: Int64
    values: pa.Array
    """The distinct sensitive values, ascending; a missing one is a null at the end."""
    bucket_offsets: Int64
    bucket_values: Int32
    bucket_counts: Int64
    background: Background | None = None
    """The rules that the promise names, if available."""
    discloses_background: bool = False
    """Whether the rules are written with the release."""
    reproducible: bool = False
    """Whether a seed was used: anyone who has it can undo the grouping, so this release must not be published."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"Bucketized({self.n_rows:,} rows in {self.n_groups:,} groups, {self.promise})"

    @property
    def promises(self) -> tuple[BucketPromise]:
        """All promises, in the order of the manifest."""
        return (self.promise,)

    @property
    def sensitive(self) -> str:
        """The name of the sensitive column."""
        return self.promise.sensitive

    @property
    def rules_at_hand(self) -> Background | None:
        """The rules that the promise names, if available."""
        return self.background

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.quasi)

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
    def bucket_groups(self) -> Int64:
        """The group of each entry of ``bucket_values`` and ``bucket_counts``."""
        return np.repeat(np.arange(self.n_groups), np.diff(self.bucket_offsets))

    @property
    def counts(self) -> dict[str, int]:
        """The sizes that the manifest states."""
        return {
            "rows": self.n_rows,
            "groups": self.n_groups,
            "quasi_identifiers": len(self.quasi.columns),
            "sensitive_values": len(self.values),
        }

    def reconstruct(
        self, n: int = 1, *, seed: int | None = None, progress: Callable[[str, int, int], None] | None = None
    ) -> Iterator[Table]:
        """Possible originals of this release, drawn at random: each group's values are assigned to its rows."""
        return loaded("shoal.analyse.tables.possible_tables:possible_tables")(self, n, seed=seed, progress=progress)

    def count(self, query: str) -> Support:
        """How many rows meet a query such as ``age in 30..40 and disease = flu``, as far as the release shows.

        See :func:`shoal.count_rows` for many at once.
        """
        return loaded("shoal.analyse.tables.counts:count")(self, query)

    def aggregate(self, query: str, *, of: str) -> Aggregate:
        """The minimum, the maximum and the average of a column over the rows that meet a query.

        See :func:`shoal.aggregate_rows` for many at once.
        """
        return loaded("shoal.analyse.tables.aggregates:aggregate")(self, query, of=of)
