"""Which record went to which cluster of a release: the publisher's knowledge, kept with the original.

Metrics of single clusters and exact attacks need it. It reveals more than the release, and is as sensitive as the
original.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from shoal.data.clusters import Clusters
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.loading import loaded
from shoal.release.disassociated import Disassociated

_ARRAYS = (
    "cluster_size",
    "cluster_parent",
    "chunk_owner",
    "chunk_shared",
    "chunk_offsets",
    "subrecord_offsets",
    "items",
    "term_offsets",
    "term_items",
)


@dataclass(frozen=True, eq=False)
class Trace:
    """The records of each cluster of one release, bound to that release and to its original.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}] * 4 + [{"tea"}])
        >>> release = shoal.disassociate(baskets, k=2, m=2)
        >>> Trace.of(baskets, release, Clusters(np.arange(5), np.array([0, 5]))).clusters_of(baskets, release).rows
        array([0, 1, 2, 3, 4])
    """

    clusters: Clusters
    release: str
    """The SHA-256 of the content of the release."""
    original: str
    """The SHA-256 of the records, in their order."""

    @classmethod
    def of(cls, original: Transactions, release: Disassociated, clusters: Clusters) -> Trace:
        """The trace of a new release."""
        return cls(clusters, _digest_of_release(release), _digest_of_original(original))

    def clusters_of(self, original: Transactions, release: Disassociated, name: str = "the trace") -> Clusters:
        """The clusters, if this is the trace of that release of these records.

        Raises:
            InputError: it is the trace of another release, or of other records, or it is damaged.
        """
        if self.release != _digest_of_release(release):
            raise InputError(
                f"{name} is of another release: give the trace that was written when this one was published"
            )
        if self.original != _digest_of_original(original):
            raise InputError(
                f"{name} is of this release, but of another original: give the records that were published, in the "
                "same order"
            )
        sizes = release.cluster_size[release.is_leaf]
        rows = self.clusters.rows
        if (
            not np.array_equal(np.diff(self.clusters.bounds), sizes)
            or len(np.unique(rows)) < len(rows)
            or not np.isin(rows, np.arange(len(original))).all()
        ):
            raise InputError(f"{name} is damaged: its clusters are not those of the release")
        return self.clusters

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write it to a file that only its owner can read.

        Raises:
            InputError: the file exists, is inside of a release, or cannot be written.
        """
        loaded("shoal.io.traces:write_trace")(self, path, force=force)


def require_place(path: str | os.PathLike[str]) -> None:
    """Refuse a path where a trace cannot be written, before any work is done."""
    loaded("shoal.io.traces:require_place")(Path(path))


def _digest_of_release(release: Disassociated) -> str:
    said = repr(([promise.words for promise in release.promises], astuple(release.dropped)))
    return _digest([said, *release.words], [getattr(release, name) for name in _ARRAYS])


def _digest_of_original(original: Transactions) -> str:
    return _digest(original.words, [original.offsets, original.items])


def _digest(texts: Iterable[str], arrays: Iterable[np.ndarray[tuple[int], np.dtype[np.generic]]]) -> str:
    """The SHA-256 of texts and numbers, each after its length: different lists give different bytes."""
    found = hashlib.sha256()
    for part in (
        *(text.encode("utf-8", "surrogatepass") for text in texts),
        *(array.astype("<i8").tobytes() for array in arrays),
    ):
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()
