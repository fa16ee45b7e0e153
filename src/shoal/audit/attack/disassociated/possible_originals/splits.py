"""How a set of items is split in every leaf that could hold it: where each of its items would come from.

Terrovitis et al., VLDB 2012, section 3. In a record of a leaf an item comes from the leaf's term chunk, else from one
of its record chunks, else from a shared chunk of the lowest joint above that has it: from further up it is closed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.trees import Trees, expanded
from shoal.data.arrays import Int64

TERM = -1
"""Represents the term chunk, which any number of a leaf's records may take an item from."""
OWN = -1
"""Represents the record chunks of a leaf, where a shared chunk could be named instead."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Items of the set that come from one chunk, in every leaf of a split."""

    rows: Int64
    """All distinct subrecords of the release that hold these items, ascending."""
    chunk: Int64
    """The shared chunk that each leaf would take them from, or OWN."""


@dataclass(frozen=True, eq=False)
class Split:
    """Leaves in which the set is split into the same pieces."""

    leaf: Int64
    most: Int64
    """How many records of each leaf could hold what comes from its own chunks: the smallest of the supports."""
    own_chunks: Int64
    """From how many record chunks of its own each leaf takes a piece."""
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class _Places:
    """Where one item may come from, leaf by leaf."""

    leaf: Int64
    chunk: Int64
    support: Int64


class Index:
    """A release by items, for many questions about sets of them."""

    def __init__(self, trees: Trees) -> None:
        """Sort what the release holds by item."""
        self.trees = trees
        release, n_items = trees.release, len(trees.release.vocabulary)
        items = np.arange(n_items + 1)
        row = np.repeat(np.arange(len(trees.bags.weight)), trees.bags.lengths)
        order = np.argsort(trees.bags.items, kind="stable")
        self._rows, self._row_start = row[order], np.searchsorted(trees.bags.items[order], items)
        self._entries = np.argsort(trees.domains.item, kind="stable")
        self._entry_start = np.searchsorted(trees.domains.item[self._entries], items)
        place = np.repeat(trees.first_leaf, np.diff(release.term_offsets))
        order = np.argsort(release.term_items, kind="stable")
        self._term_leaf, self._term_start = place[order], np.searchsorted(release.term_items[order], items)
        self._known: dict[int, _Places] = {}

    def split(self, itemset: Iterable[int], within: int | None = None) -> list[Split]:
        """The leaves that could hold all of the items, grouped by the split there.

        Args:
            itemset: Codes of items; at least one.
            within: The number of a tree, to look at its leaves only.
        """
        items = sorted(set(itemset))
        places = [self._places(item) for item in items]
        leaf = min((place.leaf for place in places), key=len)
        if within is not None:
            first, beyond = (int(at) for at in self.trees.first_of_tree[within : within + 2])
            leaf = leaf[np.searchsorted(leaf, first) : np.searchsorted(leaf, beyond)]
        for place in places:
            leaf = leaf[_find(place.leaf, leaf) >= 0]
        if len(leaf) == 0:
            return []
        found = [_find(place.leaf, leaf) for place in places]
        chunk = np.stack([place.chunk[at] for place, at in zip(places, found, strict=True)])
        support = np.stack([place.support[at] for place, at in zip(places, found, strict=True)])
        # For each item the first one that comes from the same chunk: leaves equal in this are processed together.
        same = (chunk[:, None] == chunk[None, :]).argmax(axis=1)
        same[chunk == TERM] = TERM
        kind = _numbered(same)
        splits: list[Split] = []
        for number in np.flatnonzero(np.bincount(kind)).tolist():
            alike = np.flatnonzero(kind == number)
            firsts = same[:, alike[0]]
            parts = [np.flatnonzero(firsts == first) for first in np.unique(firsts).tolist() if first != TERM]
            splits.append(self._joined(items, leaf[alike], chunk[:, alike], support[:, alike], parts))
        return splits

    def _joined(self, items: list[int], leaf: Int64, chunk: Int64, support: Int64, parts: list[Int64]) -> Split:
        """The split of leaves whose items are split into the same parts."""
        most, own_chunks = self.trees.leaf_size[leaf].copy(), np.zeros(len(leaf), np.int64)
        pieces = []
        for part in parts:
            where = chunk[part[0]]
            shared = self.trees.release.chunk_shared[where]
            rows = self._rows_with([items[at] for at in part.tolist()])
            count = support[part[0]] if len(part) == 1 else self.weights(rows, where)
            most = np.where(shared, most, np.minimum(most, count))
            own_chunks += ~shared
            pieces.append(Piece(rows, np.where(shared, where, OWN)))
        possible = np.flatnonzero(most)
        pieces = [Piece(piece.rows, piece.chunk[possible]) for piece in pieces]
        return Split(leaf[possible], most[possible], own_chunks[possible], tuple(pieces))

    def n_leaves(self, item: int) -> int:
        """How many leaves could hold an item."""
        return len(self._places(item).leaf)

    def _rows_with(self, items: list[int]) -> Int64:
        """The distinct subrecords that hold all of the items, ascending."""
        lists = sorted((self._rows[self._row_start[item] : self._row_start[item + 1]] for item in items), key=len)
        rows = lists[0]
        for other in lists[1:]:
            rows = rows[_find(other, rows) >= 0]
        return rows

    def weights(self, rows: Int64, chunk: Int64) -> Int64:
        """How many subrecords of each of the chunks are among the given distinct ones."""
        total = np.concatenate([[0], np.cumsum(self.trees.bags.weight[rows])])
        first, beyond = self.trees.row_of_chunk[chunk], self.trees.row_of_chunk[chunk + 1]
        weights: Int64 = total[np.searchsorted(rows, beyond)] - total[np.searchsorted(rows, first)]
        return weights

    def _places(self, item: int) -> _Places:
        if item not in self._known:
            self._known[item] = self._find_places(item)
        return self._known[item]

    def _find_places(self, item: int) -> _Places:
        trees = self.trees
        entries = self._entries[self._entry_start[item] : self._entry_start[item + 1]]
        owner = trees.release.chunk_owner[trees.domains.chunk[entries]]
        first, beyond = trees.first_leaf[owner], trees.beyond_leaf[owner]
        times = beyond - first
        terms = self._term_leaf[self._term_start[item] : self._term_start[item + 1]]
        leaf = np.concatenate([expanded(first, beyond), terms])
        chunk = np.concatenate([np.repeat(trees.domains.chunk[entries], times), np.full(len(terms), TERM)])
        support = np.concatenate([np.repeat(trees.domains.support[entries], times), trees.leaf_size[terms]])
        # The lowest source wins: lower ones come later in depth-first order, terms come last of all.
        height = np.concatenate([np.repeat(trees.forest.position[owner], times), np.full(len(terms), 2**62)])
        order = np.lexsort((-height, leaf))
        lowest = order[np.flatnonzero(np.diff(leaf[order], prepend=-1))]
        return _Places(leaf[lowest], chunk[lowest], support[lowest])


def _numbered(columns: Int64) -> Int64:
    """A small number for each column, the same for equal ones."""
    number = np.zeros(columns.shape[1], np.int64)
    for row in columns:
        number = number * (len(columns) + 1) + row + 1
        if len(columns) > 5:
            number = np.unique(number, return_inverse=True)[1].reshape(-1)
    return number


def _find(many: Int64, few: Int64) -> Int64:
    """Where each value of ``few`` is in ``many`` (sorted), or -1."""
    if len(many) == 0:
        return np.full(len(few), -1)
    place = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return np.where(many[place] == few, place, -1)
