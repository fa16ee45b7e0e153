"""Which leaves may take which restricted subrecord, for all of them at once.

Terrovitis et al., VLDB 2012, section 5: a subrecord of a shared chunk conflicts with a leaf that has one of its items
from further down. One flag for each restricted distinct subrecord and each leaf below its joint, and one for each
shared chunk with such subrecords and each leaf: whether the leaf's records are free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.trees import Trees, expanded
from shoal.data.arrays import Bools, Int64

CELLS = 100_000_000
"""How many flags are kept; for a chunk beyond that, no leaf counts as able to take anything."""
_TRIPLES = 2_000_000
"""How many (subrecord, item, place where it is closed) are processed together."""


@dataclass(frozen=True, eq=False)
class Takers:
    """Two tables of flags, with one stretch for each restricted distinct subrecord, and for each chunk with some."""

    trees: Trees
    row_start: Int64
    """Where the flags of a distinct subrecord start, minus the first leaf below its joint."""
    row_flags: Bools
    chunk_start: Int64
    chunk_flags: Bools
    known: Bools
    """Which chunks the tables know; those without restricted subrecords need none."""

    @classmethod
    def of(cls, trees: Trees) -> Takers:
        """Fill the tables."""
        rows = np.flatnonzero(trees.restricted)
        known = np.ones(trees.release.n_chunks, bool)
        beyond = np.cumsum(_stretch(trees, trees.bags.chunk[rows]))
        known[trees.bags.chunk[rows[beyond > CELLS]]] = False
        rows = rows[known[trees.bags.chunk[rows]]]
        chunks = np.unique(trees.bags.chunk[rows])
        item = expanded(trees.bags.offsets[rows], trees.bags.offsets[rows + 1])
        of_row = np.repeat(np.arange(len(rows)), trees.bags.lengths[rows])
        entry = trees.domains.offsets[trees.bags.chunk[rows[of_row]]] + trees.domains.local[item]
        row_start, row_flags = _table(trees, trees.bags.chunk[rows], entry, of_row)
        entry = expanded(trees.domains.offsets[chunks], trees.domains.offsets[chunks + 1])
        of_chunk = np.searchsorted(chunks, trees.domains.chunk[entry])
        chunk_start, chunk_flags = _table(trees, chunks, entry, of_chunk)
        return cls(
            trees,
            _scattered(rows, row_start, len(trees.restricted)),
            row_flags,
            _scattered(chunks, chunk_start, trees.release.n_chunks),
            chunk_flags,
            known,
        )

    def allowed(self, row: Int64, leaf: Int64) -> Bools:
        """Whether each distinct subrecord may go to each leaf below its joint, pair by pair."""
        flags = self.known[self.trees.bags.chunk[row]]
        asked = np.flatnonzero(flags & self.trees.restricted[row])
        flags[asked] = self.row_flags[self.row_start[row[asked]] + leaf[asked]]
        return flags

    def free(self, chunk: Int64, leaf: Int64) -> Bools:
        """Whether no item of each chunk is closed for each leaf below its joint, pair by pair."""
        flags = self.known[chunk]
        asked = np.flatnonzero(flags & (self.trees.restricted_subrecords[chunk] > 0))
        flags[asked] = self.chunk_flags[self.chunk_start[chunk[asked]] + leaf[asked]]
        return flags


def _stretch(trees: Trees, chunk: Int64) -> Int64:
    """One flag for each leaf, and one more: what is closed up to the last leaf is opened again after it."""
    owner = trees.release.chunk_owner[chunk]
    length: Int64 = trees.beyond_leaf[owner] - trees.first_leaf[owner] + 1
    return length


def _table(trees: Trees, chunk: Int64, entry: Int64, stretch: Int64) -> tuple[Int64, Bools]:
    """Flags for stretches that belong to chunks; entries of the domains close leaves in their stretch."""
    length = _stretch(trees, chunk)
    start = np.cumsum(length) - length - trees.first_leaf[trees.release.chunk_owner[chunk]]
    steps = np.zeros(int(length.sum()), np.int32)
    closing = trees.closed_somewhere[entry]
    entry, stretch = entry[closing], stretch[closing]
    first, last = trees.places_below(entry)
    edges = np.cumsum(last - first)
    for block in np.split(np.arange(len(entry)), np.flatnonzero(np.diff(edges // _TRIPLES)) + 1):
        place = trees.occurrence_owner[expanded(first[block], last[block])]
        base = np.repeat(start[stretch[block]], (last - first)[block])
        np.add.at(steps, base + trees.first_leaf[place], 1)
        np.add.at(steps, base + trees.beyond_leaf[place], -1)
    return start, np.cumsum(steps) == 0


def _scattered(where: Int64, values: Int64, length: int) -> Int64:
    every = np.zeros(length, np.int64)
    every[where] = values
    return every
