"""The data that the stages of disassociation pass on: chunks and term chunks of all clusters, in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Bools, Int32, Int64
from shoal.promises import KmPromise


@dataclass(frozen=True, eq=False)
class Chunks:
    """Chunks as flat arrays, by owner: clusters first, then joint clusters in the order of their creation."""

    owner: Int64
    """The cluster or joint cluster of each chunk, ascending."""
    subrecords: Int32
    """How many subrecords each chunk has."""
    lengths: Int32
    """How many items each subrecord has."""
    items: Int32
    terms: Int32
    """How many items the term chunk of each cluster has."""
    term_items: Int32

    @classmethod
    def concatenate(cls, parts: list[tuple[npt.NDArray[Any], ...]]) -> Chunks:
        """Concatenate parts; each part is the six arrays."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def rely_on_terms(self, sizes: Int64, promise: KmPromise) -> Bools:
        """Which clusters have too few subrecords for Lemma 2: their term chunk must not become empty."""
        n_chunks = np.bincount(self.owner, minlength=len(sizes))
        have = np.bincount(self.owner, weights=self.subrecords, minlength=len(sizes))
        needed = sizes + promise.k * (np.minimum(n_chunks, promise.m) - 1)
        relies: Bools = (n_chunks == 0) | (have < needed)
        return relies

    def pairs(self, n_clusters: int) -> Int64:
        """How many pairs of items the subrecords of each cluster hold."""
        of_row = np.repeat(self.owner, self.subrecords)
        held = np.bincount(of_row, weights=self.lengths * (self.lengths - 1.0) / 2, minlength=n_clusters)
        return held.astype(np.int64)

    def domains(self, n_clusters: int, n_items: int) -> tuple[Int64, Int32]:
        """The items that the chunks of each cluster hold, each once, as a ragged array."""
        chunk_of_row = np.repeat(self.owner, self.subrecords)
        keys = np.repeat(chunk_of_row * n_items, self.lengths) + self.items
        keys.sort()
        keys = keys[np.diff(keys, prepend=-1) != 0]
        return running(np.bincount(keys // n_items, minlength=n_clusters)), (keys % n_items).astype(np.int32)


def running(lengths: npt.NDArray[Any]) -> Int64:
    """Where each part starts, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
