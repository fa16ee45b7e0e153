"""Trees that nearly always have an empty record when their parts are placed at random: mended, then stirred.

Mending moves pieces along a chain: an empty record takes a piece from another, that one takes one from a third, until
one is reached that has two (an augmenting path; where there is a placement without an empty record, this finds one). If
there is none, an item of a term chunk goes to one more record than it would.

Stirring repeats steps that each leave the conditional distribution (the model's, given that no record is empty) as it
is. One: given all other parts, a part is placed anew, uniformly among the choices that fill the records which only it
fills: these get pieces of it at random, the other pieces go anywhere else. (A mixed chunk is drawn until that is the
case, or else left alone.) Two: two pieces of different parts change places; every record has as many pieces as before.
Three, at the end: the records of each cluster, among which nothing published tells, are shuffled.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from shoal.analyse.disassociated import placing
from shoal.analyse.disassociated.layout import Mixed, damaged
from shoal.analyse.disassociated.placing import Model, Placed, place_mixed
from shoal.data.arrays import Int64
from shoal.release.disassociated import Disassociated

_SWEEPS = 25
"""How often every part is placed anew."""
_TRIES = 20
"""How often a mixed chunk is drawn in one sweep."""


@dataclass(eq=False)
class _Part:
    """A part of a stubborn tree, and where its pieces are at the moment."""

    number: int
    first: int
    beyond: int
    open: int
    least: int
    most: int
    gaps: list[tuple[int, int, int, int]]
    """First, beyond, rank and skipped of each, as in Gaps."""
    mixed: Mixed | None
    at: list[int]
    taken: set[int] = field(default_factory=set)

    def may_take(self, piece: int, place: int) -> bool:
        if not self.first <= place < self.beyond:
            return False
        if self.mixed is not None:
            return bool(self.mixed.allowed[int(self.mixed.kind[piece])][place - self.first])
        at = bisect_right(self.gaps, place, key=lambda gap: gap[0])
        return at == 0 or place >= self.gaps[at - 1][1]

    def nth_open(self, rank: int) -> int:
        at = bisect_right(self.gaps, rank, key=lambda gap: gap[2])
        return self.first + rank + (self.gaps[at - 1][3] if at else 0)

    def move(self, piece: int, place: int) -> None:
        self.taken.discard(self.at[piece])
        self.at[piece] = place
        self.taken.add(place)


class _Chance:
    """Random numbers one at a time, which are drawn many at a time."""

    def __init__(self, source: np.random.Generator) -> None:
        self.source = source
        self.left: list[float] = []

    def number(self) -> float:
        if not self.left:
            self.left = self.source.random(4096).tolist()
        return self.left.pop()

    def below(self, bound: int) -> int:
        return int(self.number() * bound)

    def shuffle(self, values: list[int]) -> None:
        for i in range(len(values) - 1, 0, -1):
            j = self.below(i + 1)
            values[i], values[j] = values[j], values[i]


def settle(release: Disassociated, model: Model, parts: Int64, source: np.random.Generator) -> Placed:
    """Place the parts of one tree that may go to needy leaves such that none of their records is empty.

    Raises:
        DamagedRelease: there is no such placement.
    """
    tree = _Tree(release, model, parts, source)
    tree.mend()
    for _ in range(_SWEEPS):
        for part in tree.parts:
            tree.place_anew(part)
        tree.change_places()
    tree.shuffle_records()
    counts = np.array([len(part.at) for part in tree.parts])
    places = np.array([place for part in tree.parts for place in part.at])
    return Placed(parts, counts, places)


class _Tree:
    """The needy leaves of a tree, the parts that may go to them, and how many pieces each of their records has."""

    def __init__(self, release: Disassociated, model: Model, parts: Int64, source: np.random.Generator) -> None:
        layout = model.layout
        self.chance = _Chance(source)
        self.parts = _parts(model, parts, placing.place(model, parts, source))
        root = layout.tree[parts[0]]
        leaves = np.flatnonzero(layout.needy & (layout.leaf_tree == root)).tolist()
        self.leaves = [(int(layout.leaf_first[leaf]), int(layout.leaf_first[leaf + 1])) for leaf in leaves]
        self.names = [int(layout.leaf_number[leaf]) for leaf in leaves]
        self.leaf_of = {place: n for n, (first, beyond) in enumerate(self.leaves) for place in range(first, beyond)}
        self.pieces_at = dict.fromkeys(self.leaf_of, 0)
        # A part goes to whole leaves, so it is enough to compare where they begin.
        self.reaching = [[part for part in self.parts if part.first <= first < part.beyond] for first, _ in self.leaves]
        sensitive = set(release.diversity.sensitive) if release.diversity else set()
        self.terms: list[list[_Part]] = [[] for _ in leaves]
        self.sensitive_terms: list[list[_Part]] = [[] for _ in leaves]
        for part in self.parts:
            for place in part.at:
                if place in self.pieces_at:
                    self.pieces_at[place] += 1
            if part.number >= release.n_chunks:
                word = release.vocabulary[int(release.term_items[part.number - release.n_chunks])].as_py()
                to = self.sensitive_terms if word in sensitive else self.terms
                to[self.leaf_of[part.first]].append(part)

    def mend(self) -> None:
        """Fill every record."""
        for part in self.parts:
            if part.least < part.most:  # as often as it may be; what is too much goes again when parts are placed anew
                self._put(part, self._somewhere(part, [], part.most))
        empty = [place for place, pieces in self.pieces_at.items() if pieces == 0]
        self.chance.shuffle(empty)
        for place in empty:
            if self.pieces_at[place] == 0:
                self._fill(place)

    def _fill(self, empty: int) -> None:
        """Bring a piece to an empty record, and leave none empty that was not."""
        came: dict[int, tuple[int, _Part, int] | None] = {empty: None}
        exhausted: set[int] = set()
        waiting = deque([empty])
        while waiting:
            to = waiting.popleft()
            for part in self.reaching[self.leaf_of[to]]:
                if part.number in exhausted or (part.mixed is None and not part.may_take(0, to)):
                    continue
                for piece, place in enumerate(part.at):
                    if place in came or not part.may_take(piece, to):
                        continue
                    came[place] = (to, part, piece)
                    if self.pieces_at.get(place, 2) > 1:
                        self._move_along(came, place)
                        return
                    waiting.append(place)
                if part.mixed is None:
                    exhausted.add(part.number)
        for terms in (self.terms, self.sensitive_terms):
            for place in came:
                items = terms[self.leaf_of[place]]
                if items:
                    self._move_along(came, place)
                    part = items[self.chance.below(len(items))]
                    part.at.append(place)
                    part.taken.add(place)
                    part.least = max(part.least, len(part.at)) if part.least == part.most else part.least
                    part.most = max(part.most, len(part.at))
                    self.pieces_at[place] += 1
                    return
        raise damaged(
            f"however its chunks are placed, a record of cluster {self.names[self.leaf_of[empty]]} stays empty"
        )

    def _move_along(self, came: dict[int, tuple[int, _Part, int] | None], place: int) -> None:
        chain = []
        step = came[place]
        while step is not None:
            chain.append(step)
            step = came[step[0]]
        for to, part, piece in reversed(chain):  # from the empty record on, so that each is empty when its turn comes
            left = part.at[piece]
            part.move(piece, to)
            self.pieces_at[to] += 1
            if left in self.pieces_at:
                self.pieces_at[left] -= 1

    def place_anew(self, part: _Part) -> None:
        """Place a part uniformly among the choices that leave no record empty, given all other parts."""
        needed = [place for place in part.at if self.pieces_at.get(place) == 1]
        if part.mixed is not None:
            for _ in range(_TRIES):
                drawn = (place_mixed(part.number, part.mixed, self.chance.source) + part.first).tolist()
                if set(needed) <= set(drawn):
                    self._put(part, drawn)
                    return
            return
        self._put(part, self._somewhere(part, needed, self._count(part, len(needed))))

    def _count(self, part: _Part, needed: int) -> int:
        """How many pieces a part has, given that it fills some records.

        All numbers being equally likely beforehand, that c of s records hold the needed ones among them has a chance
        that grows like c (c - 1) ... (c - needed + 1).
        """
        if part.least == part.most:
            return part.least
        counts = range(max(part.least, needed), part.most + 1)
        weights = [1.0] * len(counts)
        for i in range(needed):
            weights = [weight * (count - i) / (part.most - i) for weight, count in zip(weights, counts, strict=True)]
        drawn = self.chance.number() * sum(weights)
        for count, weight in zip(counts, weights, strict=True):
            drawn -= weight
            if drawn < 0:
                return count
        return part.most

    def _somewhere(self, part: _Part, needed: list[int], count: int) -> list[int]:
        """The needed places and others at random, in random order."""
        chosen = dict.fromkeys(needed)
        if 2 * count <= part.open:
            while len(chosen) < count:
                chosen[part.nth_open(self.chance.below(part.open))] = None
        elif count > len(needed):
            others = [place for place in map(part.nth_open, range(part.open)) if place not in chosen]
            for i in range(count - len(needed)):
                j = i + self.chance.below(len(others) - i)
                others[i], others[j] = others[j], others[i]
                chosen[others[i]] = None
        places = list(chosen)
        self.chance.shuffle(places)
        return places

    def _put(self, part: _Part, places: list[int]) -> None:
        for place in part.at:
            if place in self.pieces_at:
                self.pieces_at[place] -= 1
        for place in places:
            if place in self.pieces_at:
                self.pieces_at[place] += 1
        part.at, part.taken = places, set(places)

    def change_places(self) -> None:
        """Let pairs of pieces change places, as many pairs as there are pieces."""
        pieces = [(part, piece) for part in self.parts for piece in range(len(part.at))]
        for _ in pieces:
            one, i = pieces[self.chance.below(len(pieces))]
            two, j = pieces[self.chance.below(len(pieces))]
            a, b = one.at[i], two.at[j]
            if one is two or b in one.taken or a in two.taken:
                continue
            if one.may_take(i, b) and two.may_take(j, a):
                one.move(i, b)
                two.move(j, a)

    def shuffle_records(self) -> None:
        """Let the records of each needy leaf change places, with all they hold."""
        to: dict[int, int] = {}
        for first, beyond in self.leaves:
            places = list(range(first, beyond))
            self.chance.shuffle(places)
            to.update(zip(range(first, beyond), places, strict=True))
        for part in self.parts:
            part.at = [to.get(place, place) for place in part.at]


def _parts(model: Model, parts: Int64, placed: Placed) -> list[_Part]:
    layout, gaps = model.layout, model.layout.gaps
    offsets = np.concatenate([[0], np.cumsum(placed.counts)])
    made = []
    for n, number in enumerate(parts.tolist()):
        start, end = np.searchsorted(gaps.part, [number, number + 1]).tolist()
        columns = (gaps.first, gaps.beyond, gaps.rank, gaps.skipped)
        closed = list(zip(*(column[start:end].tolist() for column in columns), strict=True))
        first, open_ = int(layout.first[number]), int(layout.open[number])
        at = placed.places[offsets[n] : offsets[n + 1]].tolist()
        made.append(
            _Part(
                number=number,
                first=first,
                beyond=first + open_ + (closed[-1][3] if closed else 0),
                open=open_,
                least=int(model.least[number]),
                most=int(model.most[number]),
                gaps=closed,
                mixed=layout.mixed.get(number),
                at=at,
                taken=set(at),
            )
        )
    return made
