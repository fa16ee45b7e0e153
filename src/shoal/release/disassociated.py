"""A disassociated release: clusters, their record chunks and term chunks, and joint clusters with shared chunks.

Terrovitis, Mamoulis, Liagouris, Skiadopoulos, "Privacy Preservation by Disassociation", VLDB 2012, section 3. Plain
data: nothing here checks a promise, so the auditor can read anything of this shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.frozen import freeze
from shoal.loading import loaded
from shoal.promises import KmPromise, LDiversity, NoCertainLinks
from shoal.release.base import BasketRelease
from shoal.release.manifest import Dropped

if TYPE_CHECKING:
    from shoal.analyse.answers import Support
    from shoal.data.transactions import Transactions


@dataclass(frozen=True, eq=False)
class Disassociated(BasketRelease):
    """Clusters of records whose items were split into chunks, as flat arrays.

    Clusters and joint clusters share one numbering: a *leaf* is a cluster of records, a *joint* groups the clusters
    that name it as their parent. A record chunk belongs to a leaf, a shared chunk to a joint. The subrecords of chunk
    ``c`` are the rows ``chunk_offsets[c]:chunk_offsets[c + 1]``; the items of subrecord ``r`` are
    ``items[subrecord_offsets[r]:subrecord_offsets[r + 1]]``; the term chunk of cluster ``p`` (always empty for a joint)
    is ``term_items[term_offsets[p]:term_offsets[p + 1]]``.
    """

    shape: ClassVar[str] = "disassociated"

    promise: KmPromise
    vocabulary: pa.Array
    """The names of the items, sorted; codes below point here."""
    cluster_size: Int64
    """How many original records each cluster holds (a joint: all its leaves together)."""
    cluster_parent: Int64
    """The joint that a cluster or joint belongs to, or -1."""
    chunk_owner: Int64
    """The cluster that a chunk belongs to; chunks of one owner are neighbours."""
    chunk_shared: Bools
    """Whether a chunk is the shared chunk of a joint, rather than a record chunk of a leaf."""
    chunk_offsets: Int64
    subrecord_offsets: Int64
    items: Int32
    term_offsets: Int64
    term_items: Int32
    diversity: LDiversity | None = None
    """The promise about sensitive items, if any."""
    links: NoCertainLinks | None = None
    """The promise about certain links, if made."""
    dropped: Dropped = field(default_factory=Dropped)
    """What was left out on purpose, and how much of it."""

    method: ClassVar[str] = "disassociation"

    def __post_init__(self) -> None:
        freeze(self)

    def __repr__(self) -> str:
        counts = self.counts
        joints = f" and {counts['joint_clusters']:,} joint clusters" if counts["joint_clusters"] else ""
        return (
            f"Disassociated({counts['records']:,} records in {counts['clusters']:,} clusters{joints}, {self.promise})"
        )

    @property
    def promises(self) -> tuple[KmPromise | LDiversity | NoCertainLinks, ...]:
        """All promises, in the order of the manifest."""
        return tuple(promise for promise in (self.promise, self.diversity, self.links) if promise is not None)

    @property
    def n_clusters(self) -> int:
        """The number of clusters, joints included."""
        return len(self.cluster_size)

    @property
    def n_chunks(self) -> int:
        """The number of record and shared chunks."""
        return len(self.chunk_owner)

    @property
    def n_subrecords(self) -> int:
        """The number of non-empty subrecords in all chunks."""
        return len(self.subrecord_offsets) - 1

    @property
    def is_leaf(self) -> Bools:
        """Which clusters are leaves, that is, hold records rather than other clusters."""
        leaf = np.ones(self.n_clusters, bool)
        leaf[self.cluster_parent[self.cluster_parent >= 0]] = False
        return leaf

    @property
    def n_records(self) -> int:
        """The number of original records."""
        return int(self.cluster_size[self.is_leaf].sum())

    @property
    def words(self) -> list[str]:
        """The vocabulary as a list."""
        words: list[str] = self.vocabulary.to_pylist()
        return words

    @property
    def counts(self) -> dict[str, int]:
        """The sizes that the manifest states."""
        leaf = self.is_leaf
        return {
            "records": self.n_records,
            "items": len(self.vocabulary),
            "clusters": int(np.count_nonzero(leaf)),
            "joint_clusters": int(np.count_nonzero(~leaf)),
            "chunks": self.n_chunks,
            "subrecords": self.n_subrecords,
        }

    def support(
        self,
        items: Iterable[str],
        *,
        without: Iterable[str] = (),
        term_items: Literal["once", "uniform"] = "uniform",
    ) -> Support:
        """How many records hold all of the items and none of those in ``without``, as far as the release shows.

        See :func:`shoal.supports` for many at once.
        """
        return loaded("shoal.analyse.disassociated.supports:support")(
            self, items, without=without, term_items=term_items
        )

    def reconstruct(
        self,
        n: int = 1,
        *,
        term_items: Literal["once", "uniform"] = "once",
        seed: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Iterator[Transactions]:
        """Possible originals of this release, drawn at random; see :func:`shoal.reconstruct`."""
        return loaded("shoal.analyse.disassociated.reconstruct:reconstruct")(
            self, n, term_items=term_items, seed=seed, progress=progress
        )
