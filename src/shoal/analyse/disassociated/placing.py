"""Placing the parts of a release at random, each on its own, whatever the others do.

Every choice of different places, one for each piece of a part, is equally likely. In a *mixed* chunk, whose subrecords
may take different places, those that may take the fewest go first. Where the sets of places lie inside one another that
is again uniform over all choices that are allowed; where they do not it is nearly so, and dead ends are mended.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.analyse.disassociated.layout import Layout, Mixed, damaged
from shoal.data.arrays import Bools, Int64
from shoal.kernels.distinct import draw_distinct

_TRIES = 20
"""How often a mixed chunk is placed anew when subrecords find no place, before their way is cleared."""


@dataclass(frozen=True, eq=False)
class Model:
    """The parts of a release, and in how many records a piece of each may be."""

    layout: Layout
    least: Int64
    most: Int64


@dataclass(frozen=True, eq=False)
class Placed:
    """Pieces of some parts, part after part, and the place of each."""

    parts: Int64
    counts: Int64
    """How many pieces each part has."""
    places: Int64

    @property
    def part_of(self) -> Int64:
        """The part of each piece."""
        return np.repeat(self.parts, self.counts)

    def only(self, wanted: Bools) -> Placed:
        """The parts whose flag is set."""
        return Placed(self.parts[wanted], self.counts[wanted], self.places[np.repeat(wanted, self.counts)])


def place(model: Model, parts: Int64, chance: np.random.Generator) -> Placed:
    """Place some parts at random."""
    layout = model.layout
    counts = model.least[parts]
    varying = np.flatnonzero(model.most[parts] > counts)
    if len(varying):
        span = model.most[parts[varying]] - counts[varying] + 1
        counts[varying] += (chance.random(len(varying)) * span).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    ranks = np.empty(int(offsets[-1]), np.int64)
    numbers = np.arange(int(layout.open[parts].max(initial=0)))
    draw_distinct(layout.open[parts], offsets, chance.random(len(ranks)), numbers, ranks)
    places = ranks
    places += np.repeat(layout.first[parts], counts)
    _pass_gaps(layout, parts, counts, places)
    if layout.mixed:
        for at in np.flatnonzero(np.isin(parts, np.fromiter(layout.mixed, np.int64))).tolist():
            part = int(parts[at])
            placed = place_mixed(part, layout.mixed[part], chance)
            places[offsets[at] : offsets[at + 1]] = layout.first[part] + placed
    return Placed(parts, counts, places)


def _pass_gaps(layout: Layout, parts: Int64, counts: Int64, places: Int64) -> None:
    """Move places behind the gaps before them: so far they count only what is open, from where the part begins."""
    gaps = layout.gaps
    start, end = np.searchsorted(gaps.part, parts), np.searchsorted(gaps.part, parts, side="right")
    gapped = np.flatnonzero(np.repeat(end > start, counts))
    if len(gapped) == 0:
        return
    part = np.repeat(parts, counts)[gapped]
    rank = places[gapped] - layout.first[part]
    width = layout.n_places + 1
    passed = np.searchsorted(gaps.part * width + gaps.rank, part * width + rank, side="right")
    some = passed > np.repeat(start, counts)[gapped]
    places[gapped[some]] += gaps.skipped[passed[some] - 1]


def place_mixed(part: int, mixed: Mixed, chance: np.random.Generator) -> Int64:
    """Places for the subrecords of a mixed chunk, counted from the beginning of its stretch.

    Raises:
        DamagedRelease: there is no way to place all of them.
    """
    for _ in range(_TRIES):
        placed = _most_restricted_first(mixed, chance)
        if (placed >= 0).all():
            return placed
    for piece in np.flatnonzero(placed < 0).tolist():
        if not _make_way(mixed, placed, piece, chance):
            raise damaged(f"the subrecords of chunk {part} cannot all be placed")
    return placed


def _most_restricted_first(mixed: Mixed, chance: np.random.Generator) -> Int64:
    """One try; -1 for subrecords that found no place."""
    placed = np.full(len(mixed.kind), -1)
    free = np.ones(len(mixed.allowed[0]), bool)
    for kind, allowed in enumerate(mixed.allowed):
        pieces = np.flatnonzero(mixed.kind == kind)
        found = chance.permutation(np.flatnonzero(allowed & free))[: len(pieces)]
        placed[pieces[: len(found)]] = found
        free[found] = False
    return placed


def _make_way(mixed: Mixed, placed: Int64, piece: int, chance: np.random.Generator) -> bool:
    """Give a piece a place by moving others along a chain that ends at a free one (an augmenting path)."""
    holder = {place: other for other, place in enumerate(placed.tolist()) if place >= 0}
    came: dict[int, int] = {}
    waiting = [piece]
    while waiting:
        mover = waiting.pop(0)
        for place in chance.permutation(np.flatnonzero(mixed.allowed[int(mixed.kind[mover])])).tolist():
            if place in came:
                continue
            came[place] = mover
            if place in holder:
                waiting.append(holder[place])
                continue
            while True:
                mover = came[place]
                left = int(placed[mover])
                placed[mover] = place
                if mover == piece:
                    return True
                place = left
    return False
