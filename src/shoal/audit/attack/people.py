"""People that an adversary looks for: records, indexed by their items, and some of the items of each.

The adversary of Terrovitis et al., VLDB 2012, section 2: people are drawn, and the adversary knows some items of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Int64

Itemset = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Population:
    """People and what an adversary could know of them, indexed by it."""

    offsets: Int64
    items: Int64
    postings: Int64
    """The records of each item, ascending, item after item."""
    posting_offsets: Int64

    @classmethod
    def of(cls, offsets: Int64, items: Int64, n_items: int) -> Population:
        """Index rows, of items from 0 to n_items - 1."""
        record = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
        order = np.argsort(items, kind="stable")
        bounds = np.searchsorted(items[order], np.arange(n_items + 1))
        return cls(offsets, items, record[order], bounds.astype(np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def records_with(self, codes: Sequence[int]) -> Int64:
        """The records that contain a set of items."""
        lists = sorted((self._posting(code) for code in codes), key=len)
        found = lists[0] if lists else np.arange(len(self), dtype=np.int64)
        for other in lists[1:]:
            if len(found) == 0 or len(other) == 0:
                return found[:0]
            place = np.minimum(np.searchsorted(other, found), len(other) - 1)
            found = found[other[place] == found]
        return found

    def take(self, records: Int64) -> tuple[Int64, Int64]:
        """Some records as a ragged array."""
        lengths = np.diff(self.offsets)[records]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        place = np.arange(offsets[-1]) + np.repeat(self.offsets[records] - offsets[:-1], lengths)
        return offsets, self.items[place]

    def _posting(self, code: int) -> Int64:
        return self.postings[self.posting_offsets[code] : self.posting_offsets[code + 1]]


@dataclass(frozen=True)
class Asked:
    """What an adversary knows of people: sets of items, for each number j of known items."""

    sets: tuple[tuple[Itemset, ...], ...]
    """One set for each person asked for; shares are shares of their number,"""
    who: tuple[tuple[int, ...], ...]
    """and which victim each set belongs to."""
    undecided: tuple[int, ...]
    """How many more people belong to each number, but have too many sets to choose one."""

    @property
    def number(self) -> int:
        """How many sets there are."""
        return sum(map(len, self.sets))


@dataclass(frozen=True)
class Victims:
    """People, each with some of their items in the order in which an adversary learns them."""

    records: tuple[int, ...]
    known: tuple[tuple[int, ...], ...]
    """The first j of a victim's items are j random items of its record."""

    def sets(self, j: int) -> list[tuple[int, ...]]:
        """The known sets of j items, of the victims that have so many."""
        return [items[:j] for items in self.known if len(items) >= j]

    def asked(self, most_known: int) -> Asked:
        """Random items: j of each victim who has so many, for each j from 1 on."""
        numbers = range(1, most_known + 1)
        who = tuple(tuple(at for at, items in enumerate(self.known) if len(items) >= j) for j in numbers)
        return Asked(tuple(tuple(self.sets(j)) for j in numbers), who, (0,) * most_known)


def draw_victims(
    population: Population,
    number: int,
    most_known: int,
    generator: np.random.Generator,
    *,
    spared: Int64 | None = None,
) -> Victims:
    """Draw different records, and up to ``most_known`` items of each.

    Args:
        population: the people.
        number: how many to draw; all of them if there are fewer.
        most_known: the most items of each that the adversary learns.
        generator: the source of chance.
        spared: records that are not drawn.
    """
    eligible = np.diff(population.offsets) > 0
    if spared is not None:
        eligible[spared] = False
    people = np.flatnonzero(eligible)
    drawn = np.sort(generator.choice(people, size=min(number, len(people)), replace=False))
    offsets, items = population.take(drawn)
    known = []
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        known.append(tuple(generator.permutation(items[start:end])[:most_known].tolist()))
    return Victims(tuple(drawn.tolist()), tuple(known))


def count_before(population: Population, asked: Asked) -> list[list[int]]:
    """For each number j of known items, how many records hold each of the known sets."""
    counted: dict[Itemset, int] = {}
    return [[_counted(population, items, counted) for items in sets] for sets in asked.sets]


def _counted(population: Population, items: Itemset, counted: dict[Itemset, int]) -> int:
    if items not in counted:
        counted[items] = len(population.records_with(items))
    return counted[items]


def below(counts: Sequence[int], k: int) -> int:
    """How many of some counts are below k."""
    return sum(count < k for count in counts)
