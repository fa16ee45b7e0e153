"""Possible originals of a tree, drawn at random or aimed at a set of items: each one found is a proof.

Terrovitis et al., VLDB 2012, Guarantee 1: for each set of items *some* possible original is enough, so it need not be
drawn uniformly. The chunks are placed from the leaves up, each at once, by an assignment of its subrecords to records.
The assignment avoids records with a closed item. It prefers records that so far hold everything of the set that they
could, for subrecords with the next piece of it; then records that are still empty and have no term chunk to fill them
(these come first in half of the draws); then random ones. The result is checked independently: nothing is concluded
from how it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from shoal.audit.attack.disassociated.possible_originals.tree import Part, Tree
from shoal.data.arrays import Bools, Float64, Int64

CELLS = 20_000_000
"""The most pairs (subrecord, record) that one possible original may take to examine."""

_FORBIDDEN = 1e9
_FILLED_FIRST = 1e7
_AIMED = 1e5
_FILLED = 1e2


@dataclass(frozen=True, eq=False)
class World:
    """A possible original of a tree: what its chunks give to each record; term items may be added to any."""

    tree: Tree
    leaf: Int64
    """The leaf of each record."""
    records: tuple[frozenset[int], ...]

    def support(self, itemset: Iterable[int]) -> int:
        """How many records hold all of the items, with every term item of their leaves."""
        wanted = frozenset(itemset)
        lacking = [wanted.difference(terms) for terms in self.tree.terms]
        return sum(lacking[leaf] <= record for leaf, record in zip(self.leaf.tolist(), self.records, strict=True))

    def is_possible(self) -> bool:
        """Whether it is one: chunks come out as published, no closed item was taken, and no record is empty."""
        for leaf, record in zip(self.leaf.tolist(), self.records, strict=True):
            if not record and not self.tree.terms[leaf]:
                return False
        left = [set(record) for record in self.records]
        for part in self.tree.parts:
            # From the leaves up: what a lower chunk could have given is its own, and closed further up.
            domain = {item for row in part.rows for item in row}
            wanted = dict(zip(part.rows, part.counts, strict=True))
            for number in np.flatnonzero(np.isin(self.leaf, part.leaves)).tolist():
                row = tuple(sorted(left[number] & domain))
                left[number] -= domain
                if row:
                    wanted[row] = wanted.get(row, 0) - 1
            if any(wanted.values()):
                return False
        return not any(left)


def largest_seen(
    tree: Tree, itemsets: Sequence[tuple[int, ...]], enough: int, chance: np.random.Generator, draws: int = 4
) -> dict[tuple[int, ...], int]:
    """The most records that hold each set in a possible original that was found.

    Args:
        tree: The tree.
        itemsets: The sets to aim at.
        enough: A set seen in so many records needs no further worlds.
        chance: Where chance comes from.
        draws: How many worlds are aimed at each set, unless one of them is enough.

    Returns:
        For each set the largest support seen; zero if no possible original was found, which decides nothing.
    """
    seen = dict.fromkeys(itemsets, 0)
    if cells(tree) > CELLS:
        return seen
    for itemset in itemsets:
        for _ in range(draws):
            if seen[itemset] >= enough:
                break
            world = draw(tree, chance, itemset)
            if world is None:
                continue
            for other in itemsets:
                if seen[other] < enough:
                    seen[other] = max(seen[other], world.support(other))
    return seen


def cells(tree: Tree) -> int:
    """How many pairs (subrecord, record) are examined to draw one possible original."""
    return sum(sum(part.counts) * sum(tree.sizes[leaf] for leaf in part.leaves) for part in tree.parts)


def draw(tree: Tree, chance: np.random.Generator, aim: Iterable[int] = ()) -> World | None:
    """Draw a possible original, with as many records as possible that hold the items aimed at.

    Returns:
        A possible original, or None if this attempt failed.
    """
    leaf = np.repeat(np.arange(len(tree.sizes)), tree.sizes)
    records: list[frozenset[int]] = [frozenset()] * len(leaf)
    needs = _needs(tree, frozenset(aim))
    on_track = np.array([needs[at] is not None for at in leaf.tolist()], bool)
    bare = np.array([not tree.terms[at] for at in leaf.tolist()], bool)
    limits = _limits(tree, needs, chance)
    # If shared subrecords must fill records, aiming first may leave too few of them.
    fill_first = chance.random() < 0.5
    for number, part in enumerate(tree.parts):
        seats = np.flatnonzero((leaf >= part.leaves.start) & (leaf < part.leaves.stop))
        pieces = [(needs[at] or {}).get(number, frozenset()) for at in part.leaves]
        empty = bare & np.array([not record for record in records], bool)
        gain = (_FILLED_FIRST if part.shared and fill_first else _FILLED) * empty
        placed = _assign(part, seats, leaf, pieces, on_track, gain, chance)
        if placed is None:
            return None
        for seat, row in placed:
            records[seat] |= frozenset(part.rows[row])
        for seat in seats.tolist():
            on_track[seat] &= pieces[int(leaf[seat]) - part.first_leaf] <= records[seat]
        if not part.shared:
            _thin(on_track, seats, limits[part.first_leaf], chance)
    world = World(tree, leaf, tuple(records))
    return world if world.is_possible() else None


def _needs(tree: Tree, aim: frozenset[int]) -> list[dict[int, frozenset[int]] | None]:
    """For each leaf the piece of the set that each part has to give it; None where it cannot hold the set."""
    needs: list[dict[int, frozenset[int]] | None] = []
    domains = [frozenset(item for row in part.rows for item in row) for part in tree.parts]
    for leaf, terms in enumerate(tree.terms):
        left, pieces = aim.difference(terms), dict[int, frozenset[int]]()
        for number, part in enumerate(tree.parts):
            if leaf in part.leaves and left & domains[number]:
                pieces[number] = left & domains[number]
                left -= domains[number]
        needs.append(None if left else pieces)
    return needs


def _limits(tree: Tree, needs: list[dict[int, frozenset[int]] | None], chance: np.random.Generator) -> list[int]:
    """How many records of each leaf to aim at: those without term chunk need subrecords for their other records."""
    limits = list(tree.sizes)
    for leaf, size in enumerate(tree.sizes):
        own = [number for number, part in enumerate(tree.parts) if not part.shared and part.first_leaf == leaf]
        surplus = sum(sum(tree.parts[number].counts) for number in own) - size
        together = len([number for number in own if number in (needs[leaf] or {})])
        if tree.terms[leaf]:
            continue
        if surplus < 0:
            limits[leaf] = int(chance.integers(1, size + 1))
        elif together > 1:
            limits[leaf] = max(surplus // (together - 1), 1)
    return limits


def _thin(on_track: Bools, seats: Int64, limit: int, chance: np.random.Generator) -> None:
    """Give up some of the records aimed at, if there are too many."""
    aimed = seats[on_track[seats]]
    if len(aimed) > limit:
        on_track[chance.permutation(aimed)[limit:]] = False


def _assign(
    part: Part,
    seats: Int64,
    leaf: Int64,
    pieces: list[frozenset[int]],
    on_track: Bools,
    gain: Float64,
    chance: np.random.Generator,
) -> list[tuple[int, int]] | None:
    """Give each subrecord of a chunk a record of its own; pairs (record, distinct subrecord)."""
    place = leaf[seats] - part.first_leaf
    cost = np.empty((len(part.rows), len(seats)))
    for number, row in enumerate(part.rows):
        closed = np.array([not shut.isdisjoint(row) for shut in part.closed])
        holds = np.array([bool(piece) and piece <= set(row) for piece in pieces])
        cost[number] = _FORBIDDEN * closed[place] - _AIMED * (holds[place] & on_track[seats])
    cost -= gain[seats]
    units = np.repeat(np.arange(len(part.rows)), part.counts)
    costs = cost[units] + chance.random((len(units), len(seats)))
    chosen, where = linear_sum_assignment(costs)
    if (costs[chosen, where] > _FORBIDDEN / 2).any():
        return None
    return list(zip(seats[where].tolist(), units[chosen].tolist(), strict=True))
