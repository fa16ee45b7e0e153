"""Which leaves a whole record may have come from, and what it contributed to each of their chunks.

Terrovitis et al., VLDB 2012, section 3: a record of a leaf gives every chunk its projection, and these are what is
published. So a known record fits a leaf if all its items have a place there, its projection on each chunk is one of the
subrecords, and it gives something to every chunk that has as many subrecords as there are records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.audit.attack.disassociated.people.leaves_of_items import Places, spread
from shoal.audit.disassociated.numbered_items import numbered
from shoal.audit.disassociated.subrecords import Bags
from shoal.data.arrays import Bools, Int64, UInt64
from shoal.release.disassociated import Disassociated


@dataclass(eq=False)
class Remaining:
    """What remains unknown in a release to an adversary who takes out known records."""

    weight: Int64
    """How often each distinct subrecord is left."""
    records: Int64
    """How many records of each cluster are left."""
    subrecords: Int64
    """How many subrecords of each chunk are left."""


@dataclass(frozen=True, eq=False)
class Fits:
    """Pairs of a record and a leaf that it fits, and the distinct subrecords that it would have given."""

    record: Int64
    leaf: Int64
    pair: Int64
    """For each subrecord: its place in the list of pairs, ascending,"""
    row: Int64
    """and which of the distinct subrecords it is."""

    def take(self, keep: Bools) -> Fits:
        """Some of the pairs."""
        number = np.cumsum(keep) - 1
        kept = keep[self.pair]
        return Fits(self.record[keep], self.leaf[keep], number[self.pair[kept]], self.row[kept])


class Fitting:
    """A release, indexed to find where a known record may have come from."""

    def __init__(self, release: Disassociated) -> None:
        _, self.bags, self.domains = numbered(release)
        self.places = Places.of(release, self.domains)
        self.owner = release.chunk_owner
        self.n_chunks = release.n_chunks
        self._signatures, self._rows = _signed(self.bags)
        self._required = self._held_by_all(release)
        filled = np.bincount(self.bags.chunk, weights=self.bags.weight, minlength=release.n_chunks)
        self.everything = Remaining(
            self.bags.weight.astype(np.int64), release.cluster_size.copy(), filled.astype(np.int64)
        )

    def _held_by_all(self, release: Disassociated) -> Int64:
        """For each leaf an item that all its records hold, or -1: a record without it need not be looked for."""
        owner = release.chunk_owner[self.domains.chunk]
        certain = ~release.chunk_shared[self.domains.chunk] & (self.domains.support == release.cluster_size[owner])
        held = np.full(release.n_clusters, -1, np.int64)
        held[owner[certain]] = self.domains.item[certain]
        required: Int64 = held[self.places.leaves]
        return required

    def fits(self, offsets: Int64, items: Int64) -> Fits:
        """Every leaf that each record fits; the items must be codes of the release."""
        found = [Fits(*[np.zeros(0, np.int64)] * 4)]
        pairs = 0
        for record, leaf in self.places.leaves_for(offsets, items, self._required):
            block = self._given(offsets, items, record, leaf)
            block = block.take(self.possible(block, self.everything))
            found.append(Fits(block.record, block.leaf, block.pair + pairs, block.row))
            pairs += len(block.record)
        return Fits(*(np.concatenate([getattr(block, name) for block in found]) for name in vars(found[0])))

    def possible(self, fits: Fits, left: Remaining) -> Bools:
        """Which pairs are possible, given what is left of the release."""
        chunk = self.bags.chunk[fits.row]
        full = (left.subrecords > 0) & (left.subrecords == left.records[self.owner])
        full_of_cluster = np.bincount(self.owner[full], minlength=len(left.records))
        leaves = self.places.leaves
        above = np.bincount(
            self.places.above_leaf, weights=full_of_cluster[self.places.above_joint], minlength=len(leaves)
        )
        needed = full_of_cluster[leaves] + above.astype(np.int64)
        given = np.bincount(fits.pair, weights=full[chunk], minlength=len(fits.record)).astype(np.int64)
        possible: Bools = (given == needed[fits.leaf]) & (left.records[leaves[fits.leaf]] > 0)
        possible[fits.pair[left.weight[fits.row] == 0]] = False
        return possible

    def _given(self, offsets: Int64, items: Int64, record: Int64, leaf: Int64) -> Fits:
        """The pairs for which every projection is a subrecord of its chunk."""
        given = self._projections(offsets, items, record, leaf)
        if len(given.first) == 0:
            return Fits(record, leaf, given.pair, given.pair)
        wanted = _signature(np.add.reduceat(_mixed(given.item), given.first), given.chunk)
        place = np.minimum(np.searchsorted(self._signatures, wanted), len(self._signatures) - 1)
        fine = np.ones(len(record), bool)
        fine[given.pair[self._signatures[place] != wanted]] = False
        return Fits(record, leaf, given.pair, self._rows[place]).take(fine)

    def _projections(self, offsets: Int64, items: Int64, record: Int64, leaf: Int64) -> _Projections:
        """What each record would have given to the chunks of each leaf it is paired with."""
        lengths = np.diff(offsets)[record]
        place, pair = spread(offsets[record], lengths)
        item = items[place]
        chunk = self.places.chunk[self.places.entry(item, leaf[pair])]
        inside = np.flatnonzero(chunk >= 0)
        n_chunks = max(self.n_chunks, 1)
        keys = pair[inside] * n_chunks + chunk[inside]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        of_pair, of_chunk = np.divmod(keys[first], n_chunks)
        return _Projections(of_pair, of_chunk, item[inside[order]], first, np.diff(np.append(first, len(keys))))


@dataclass(frozen=True, eq=False)
class _Projections:
    """Sets of items, one for each pair of a record and a leaf and each chunk that gets something."""

    pair: Int64
    chunk: Int64
    item: Int64
    """The items of all of them, one after the other,"""
    first: Int64
    """where each starts,"""
    length: Int64
    """and how many it has."""


def _signed(bags: Bags) -> tuple[UInt64, Int64]:
    """A number for each distinct subrecord and its chunk, sorted, and whose it is.

    Two different ones share a number with a chance of one in 2^64 per pair; the worst consequence is a wrong guess.
    """
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(bags.items), dtype=np.uint64)])
    signature = _signature(sums[bags.offsets[1:]] - sums[bags.offsets[:-1]], bags.chunk)
    order = np.argsort(signature, kind="stable")
    return signature[order], order.astype(np.int64)


def _signature(sums: UInt64, chunk: Int64) -> UInt64:
    # Chunks are scattered twice: an item and a chunk of the same number must not be.
    return _mixed(sums ^ _mixed(_mixed(chunk)))


def _mixed(values: npt.NDArray[np.integer]) -> UInt64:
    """Whole numbers scattered over 64 bits (the finisher of SplitMix64)."""
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    result: UInt64 = mixed ^ (mixed >> np.uint64(31))
    return result
