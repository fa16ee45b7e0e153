"""The conservative count: how many records of a person's own cluster match the known items, as far as one chunk shows.

The promise counts candidates in the most favourable possible original (`candidates`), where every cluster that could
hold the known items adds some. Most of these need not be likely: one huge cluster makes everyone look safe. Here only
the person's own cluster counts, chunk by chunk: for each chunk, the subrecords that hold the known items that come from
it there, and that may belong to the cluster (a shared chunk has subrecords that some clusters cannot take); an item of
the term chunk may be in all records. The count is the smallest of these numbers and the number of the cluster's
records. It is at least k while up to m items are known and the checks of the audit hold.

A release does not say which cluster a person is in, and an audit does not publish again to find out. With the original
it is one of those that the whole record fits (`fitting`); the count is the smallest over these, which is never more
than that of the actual cluster. If occurrences were suppressed in records, records need not fit, and all clusters count
that could hold the known items.

A trace names the cluster of each record. With it the count is that of this cluster, also where occurrences were
suppressed: then it is zero if the cluster no longer holds the known items.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.fitting import Fitting
from shoal.audit.attack.disassociated.possible_originals.splits import OWN, Piece
from shoal.audit.attack.disassociated.possible_originals.trees import expanded
from shoal.audit.attack.people import Itemset, Population
from shoal.data.arrays import Int64


class OwnCluster:
    """A release, prepared for counting in the clusters that people may be in."""

    def __init__(self, candidates: Candidates, fitting: Fitting | None, traced: Int64 | None = None) -> None:
        """Prepare to count.

        Args:
            candidates: the release, prepared to count in.
            fitting: finds the clusters that a record fits. Without it a person may be in any cluster that could hold
                the known items.
            traced: the cluster of each record by a trace, in the order of the leaves, or -1.
        """
        self.candidates = candidates
        self.fitting = fitting
        self.traced = traced
        self._counted: dict[Itemset, tuple[Int64, Int64]] = {}

    def leaves_of(self, population: Population, records: Int64) -> list[Int64 | None]:
        """For each record the leaves that it fits, numbered as in the trees; None if it may be in any."""
        if self.traced is not None:
            return [self._leaf(cluster) for cluster in self.traced[records].tolist()]
        if self.fitting is None or len(records) == 0:
            return [None] * len(records)
        fits = self.fitting.fits(*population.take(records))
        leaf = self.candidates.trees.first_leaf[self.fitting.places.leaves[fits.leaf]]
        order = np.argsort(fits.record, kind="stable")
        bounds = np.searchsorted(fits.record[order], np.arange(len(records) + 1))
        found = [leaf[order[start:end]] for start, end in pairwise(bounds.tolist())]
        return [leaves if len(leaves) else None for leaves in found]

    def _leaf(self, cluster: int) -> Int64:
        """The leaf of a cluster of a trace; none of a record that is in no cluster."""
        trees = self.candidates.trees
        leaves = np.flatnonzero(trees.release.is_leaf)
        return trees.first_leaf[leaves[cluster : cluster + 1] if cluster >= 0 else leaves[:0]]

    def count(self, itemset: Itemset, leaves: Int64 | None = None) -> int:
        """The smallest count over the leaves that could hold the items; zero if none of these could."""
        key = tuple(sorted(itemset))
        if key not in self._counted:
            self._counted[key] = self._by_leaf(key)
        leaf, count = self._counted[key]
        if leaves is not None:
            count = count[np.isin(leaf, leaves)]
        return int(count.min()) if len(count) else 0

    def _by_leaf(self, itemset: Itemset) -> tuple[Int64, Int64]:
        """Every leaf that could hold the items, and the count there."""
        leaves, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for split in self.candidates.index.split(itemset):
            count = split.most.copy()
            for piece in split.pieces:
                count = np.minimum(count, self._shared(piece, split.leaf))
            leaves.append(split.leaf[count > 0])
            counts.append(count[count > 0])
        return np.concatenate(leaves), np.concatenate(counts)

    def _shared(self, piece: Piece, leaf: Int64) -> Int64:
        """How many subrecords of the shared chunk hold the piece and may belong to each leaf; no limit without one.

        Pieces from a record chunk of the leaf are counted in the split.
        """
        trees, takers = self.candidates.trees, self.candidates.takers
        count = np.full(len(leaf), np.iinfo(np.int64).max)
        taking = np.flatnonzero(piece.chunk != OWN)
        chunk = piece.chunk[taking]
        first = np.searchsorted(piece.rows, trees.row_of_chunk[chunk])
        beyond = np.searchsorted(piece.rows, trees.row_of_chunk[chunk + 1])
        row = piece.rows[expanded(first, beyond)]
        number = np.repeat(np.arange(len(taking)), beyond - first)
        weight = np.where(takers.allowed(row, leaf[taking[number]]), trees.bags.weight[row], 0)
        count[taking] = np.bincount(number, weights=weight, minlength=len(taking)).astype(np.int64)
        return count
