"""A bucketized release: rows with their quasi-identifiers in groups, and for each group how often each sensitive value.

X. Xiao, Y. Tao: Anatomy, VLDB 2006; T. Li, N. Li: Injector, 2008, section III.C. Plain data: nothing here checks a
promise, so that the auditor can be handed anything that has the shape.
"""

from __future__ import annotations

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
    """Groups of rows whose sensitive values were detached from them, as flat arrays.

    The rows of group ``g`` are the rows ``group_offsets[g]:group_offsets[g + 1]`` of ``quasi``. Its sensitive values
    are ``values[bucket_values[b]]``, each in ``bucket_counts[b]`` of its rows, for ``b`` in
    ``bucket_offsets[g]:bucket_offsets[g + 1]``.
    """

    shape: ClassVar[str] = "bucketized"

    method: BucketMethod
    promise: BucketPromise
    quasi: Table
    """The quasi-identifiers of all rows, in plain types, group after group, in a group in the order of the values."""
    group_offsets: Int64
    values: pa.Array
    """The distinct sensitive values, ascending; a missing one is a null at the end."""
    bucket_offsets: Int64
    bucket_values: Int32
    bucket_counts: Int64
    background: Background | None = None
    """The rules that the promise speaks of, where they are at hand."""
    discloses_background: bool = False
    """Whether the rules are written with the release."""
    reproducible: bool = False
    """Whether a seed replaced chance: anyone who has it can undo the grouping, so this must not be published."""

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        return f"Bucketized({self.n_rows:,} rows in {self.n_groups:,} groups, {self.promise})"

    @property
    def promises(self) -> tuple[BucketPromise]:
        """Everything that is promised, in the order of the manifest."""
        return (self.promise,)

    @property
    def sensitive(self) -> str:
        """The name of the sensitive column."""
        return self.promise.sensitive

    @property
    def rules_at_hand(self) -> Background | None:
        """The rules that the promise speaks of, where they are at hand."""
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
        """What the manifest says about size."""
        return {
            "rows": self.n_rows,
            "groups": self.n_groups,
            "quasi_identifiers": len(self.quasi.columns),
            "sensitive_values": len(self.values),
        }

    def count(self, query: str) -> Support:
        """How many rows meet a query such as ``age in 30..40 and disease = flu``, as far as the release determines it.

        ``query`` answers many at once.
        """
        return loaded("shoal.analyse.tables.counts:count")(self, query)

    def aggregate(self, query: str, *, of: str) -> Aggregate:
        """The minimum, the maximum and the average of a column over the rows that meet a query.

        ``query`` with ``of`` answers many at once.
        """
        return loaded("shoal.analyse.tables.aggregates:aggregate")(self, query, of=of)
