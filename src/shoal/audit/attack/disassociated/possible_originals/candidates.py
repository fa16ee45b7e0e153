"""How many records can hold a set of items at once: a number that some possible original of the release reaches.

Terrovitis et al., VLDB 2012, Guarantee 1, for one set of items at a time. Trees are independent, so what they reach
adds up. *A simple cluster* reaches exactly the largest x that no piece's support is below and that leaves enough
subrecords for its other records (`bound`).

*A joint* is served leaf by leaf, if every leaf of the tree can be filled from its own chunks or terms and every shared
chunk be placed. Then a leaf that takes nothing from shared chunks is on its own. One that does uses up subrecords that
hold the pieces, and gets no more than are left. A chunk with R restricted subrecords and F free records can place the
rest after b restricted ones were put on records that are not free and y unrestricted ones on free ones, as long as R -
b <= F - y: `spare` is F - R + b - y and never falls below zero. Where it would from the start, one leaf gets copies of
one subrecord, as many as `rooms` vouches for. Nothing is used twice, so that one possible original reaches the sum over
all leaves. It need not be the largest: leaves are served in turn, not all at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.restricted_subrecords import Takers
from shoal.audit.attack.disassociated.possible_originals.shared_chunk_room import Room
from shoal.audit.attack.disassociated.possible_originals.splits import OWN, Index, Piece, Split
from shoal.audit.attack.disassociated.possible_originals.trees import Trees, expanded
from shoal.data.arrays import Bools, Int64
from shoal.release.disassociated import Disassociated


class Candidates:
    """A release prepared for many questions of the kind 'how many records may hold these items?'."""

    def __init__(self, trees: Trees) -> None:
        """Index the release by its items."""
        self.trees = trees
        self.index = Index(trees)
        self._rooms: dict[int, Room | None] = {}
        self._vouched: dict[int, int] = {}

    @classmethod
    def of(cls, release: Disassociated) -> Candidates:
        """Prepare a release.

        Raises:
            InputError: The release does not have the structure of a disassociation.
        """
        return cls(Trees.of(release))

    def at_least(self, itemset: Iterable[int], within: int | None = None) -> int:
        """A number of records that hold all of the items in one possible original; never more than can.

        Args:
            itemset: Codes of items; at least one.
            within: The number of a tree, to count in its records only.
        """
        served = _Served(self)
        total = 0
        for split in self.index.split(itemset, within):
            most = np.where(self._sound[self.trees.leaf_tree[split.leaf]], self.own_limit(split), 0)
            if split.pieces:
                above = np.stack([piece.chunk for piece in split.pieces])
                needy = (above != OWN).any(axis=0) & (most > 0)
                total += int(most[~needy].sum())
                total += served.serve(split, most, above, np.flatnonzero(needy))
            else:
                total += int(most.sum())
        return total

    def own_limit(self, split: Split) -> Int64:
        """How many records of each leaf can hold the pieces from its own chunks while these fill all its records."""
        trees, leaf = self.trees, split.leaf
        surplus = trees.leaf_subrecords[leaf] - trees.leaf_size[leaf]
        others = split.own_chunks - 1
        limit = np.where(others > 0, np.minimum(split.most, surplus // np.maximum(others, 1)), split.most)
        return np.where(trees.leaf_has_terms[leaf], split.most, np.where(surplus < 0, 0, limit))

    def room(self, chunk: int) -> Room | None:
        """The room of a shared chunk, cached."""
        if chunk not in self._rooms:
            self._rooms[chunk] = Room.of(self.trees, chunk)
        return self._rooms[chunk]

    def vouched(self, chunk: int) -> int:
        """How many copies of any subrecord of a shared chunk can go to any leaf that may take it, cached."""
        if chunk not in self._vouched:
            room = self.room(chunk)
            self._vouched[chunk] = 0 if room is None else room.vouched(int(room.weight.min()))
        return self._vouched[chunk]

    @cached_property
    def takers(self) -> Takers:
        """Which leaves may take which restricted subrecords."""
        return Takers.of(self.trees)

    @cached_property
    def spare(self) -> Int64:
        """For each chunk, how many free records its restricted subrecords can do without."""
        return self.trees.free_records - self.trees.restricted_subrecords

    @cached_property
    def _sound(self) -> Bools:
        """Which trees certainly have a possible original in which every leaf is filled by its own chunks or terms."""
        trees = self.trees
        sound = np.ones(trees.n_trees, bool)
        filled = trees.leaf_has_terms | (trees.leaf_subrecords >= trees.leaf_size)
        sound[trees.leaf_tree[~filled]] = False
        for chunk in np.flatnonzero((trees.restricted_subrecords > 0) & (self.spare < 0)).tolist():
            room = self.room(chunk)
            if room is None or not room.fits():
                sound[trees.chunk_tree[chunk]] = False
        return sound


class _Served:
    """What was taken from shared chunks so far, while the leaves of one question are served in turn."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.trees = candidates.trees
        self.restricted, self.plain, self.paid = np.zeros((3, candidates.trees.release.n_chunks), np.int64)

    def serve(self, split: Split, most: Int64, above: Int64, needy: Int64) -> int:
        """Serve the leaves that need shared chunks; return how many of their records get the whole set.

        Leaves with the same offers from the same chunks are served together: it does not matter which gets what.
        """
        if len(needy) == 0:
            return 0
        offers = [self._offers(piece, above[at, needy], split.leaf[needy]) for at, piece in enumerate(split.pieces)]
        alike = np.concatenate(offers)
        order = np.lexsort(alike)
        alike, wanted = alike[:, order], most[needy][order]
        first = np.flatnonzero(np.append(True, (alike[:, 1:] != alike[:, :-1]).any(axis=0)))
        together = np.add.reduceat(wanted, first)
        largest = np.maximum.reduceat(wanted, first)
        offered = alike[:, first].reshape(len(offers), -1, len(first))
        tight = (self.candidates.spare[offered[:, 0]] < 0) & (offered[:, 0] != OWN)
        groups, total = np.flatnonzero(~tight.any(axis=0)), 0
        while len(groups):
            # Groups that compete with no earlier one are served at once; those that would get nothing are finished.
            x, some = self._possible(offered[:, :, groups], together[groups])
            groups, x, some = groups[x > 0], x[x > 0], some[:, x > 0]
            now = _unrivalled(offered[:, 0, groups])
            self._take(offered[:, :, groups[now]], x[now], some[:, now])
            total += int(x[now].sum())
            groups = groups[~now]
        for group in np.flatnonzero(tight.any(axis=0)).tolist():
            total += self._serve_tight(offered[:, :, [group]], tight[:, group], together[group], largest[group])
        return total

    def _possible(self, offers: Int64, together: Int64) -> tuple[Int64, Int64]:
        """How many records of each group can be served now, and how many restricted subrecords are left."""
        source, restricted, plain, free, _ = offers.transpose(1, 0, 2)
        some = np.maximum(restricted - self.restricted[source], 0)
        others = np.maximum(plain - self.plain[source], 0)
        spare = self.candidates.spare[source] + self.paid[source]
        offered = some + np.where(free > 0, np.minimum(others, spare), others)
        offered[source == OWN] = np.iinfo(np.int64).max
        return np.minimum(together, offered.min(axis=0)), some

    def _take(self, offers: Int64, x: Int64, some: Int64) -> None:
        for (source, _, _, free, _), there in zip(offers, some, strict=True):
            needed = source != OWN
            restricted = np.minimum(x, there)
            self.restricted[source[needed]] += restricted[needed]
            self.plain[source[needed]] += (x - restricted)[needed]
            self.paid[source[needed]] += np.where(free > 0, restricted - x, restricted)[needed]

    def _serve_tight(self, offers: Int64, tight: Bools, together: int, largest: int) -> int:
        """Serve one leaf of a group from chunks that can give to one leaf only, and only once."""
        x = min(together, largest)
        for source, _, _, _, heaviest in offers[tight, :, 0].tolist():
            x = 0 if self.plain[source] else min(x, heaviest, self.candidates.vouched(source))
        others = offers[~tight]
        possible, some = self._possible(others, np.array([x])) if len(others) else (np.array([x]), others[:, 0])
        if possible[0] > 0:
            self._take(others, possible, some)
            self.plain[offers[tight, 0, 0]] = possible[0]
        return int(possible[0])

    def _offers(self, piece: Piece, chunk: Int64, leaf: Int64) -> Int64:
        """What each leaf could take from its chunk if nothing had been taken yet; one leaf per column.

        Returns:
            The chunk; restricted and unrestricted subrecords with the piece that the leaf may take; whether its
            records are free; and the number of copies of the most frequent one. Zeros where it needs none.
        """
        trees, takers = self.trees, self.candidates.takers
        first = np.searchsorted(piece.rows, trees.row_of_chunk[chunk])
        beyond = np.where(chunk == OWN, first, np.searchsorted(piece.rows, trees.row_of_chunk[chunk + 1]))
        row = piece.rows[expanded(first, beyond)]
        number = np.repeat(np.arange(len(leaf)), beyond - first)
        weight = np.where(takers.allowed(row, leaf[number]), trees.bags.weight[row], 0)
        restricted, heaviest = np.zeros((2, len(leaf)), np.int64)
        every = np.bincount(number, weights=weight, minlength=len(leaf)).astype(np.int64)
        np.add.at(restricted, number, np.where(trees.restricted[row], weight, 0))
        np.maximum.at(heaviest, number, weight)
        free = np.zeros(len(leaf), bool)
        free[chunk != OWN] = takers.free(chunk[chunk != OWN], leaf[chunk != OWN])
        return np.stack([chunk, restricted, every - restricted, free, heaviest])


def _unrivalled(sources: Int64) -> Bools:
    """Which columns are the first one for each of their chunks."""
    n_pieces, n_groups = sources.shape
    flat = sources.T.ravel()
    _, first, which = np.unique(flat, return_index=True, return_inverse=True)
    mine = (first[which.reshape(-1)] // n_pieces).reshape(n_groups, n_pieces) == np.arange(n_groups)[:, None]
    alone: Bools = (mine | (sources.T == OWN)).all(axis=1)
    return alone
