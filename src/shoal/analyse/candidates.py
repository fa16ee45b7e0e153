"""Sets of one item more, level after level: those of which every subset was kept (Agrawal, Srikant, VLDB 1994).

The sets of a level are rows of item codes in lexicographic order. Its table has each of them as one number: which set
of the level below it is without its last item, and which item that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.ragged import expand

# Pairs of sets that are joined in one go.
_JOINS = 1 << 21


class Candidates(NamedTuple):
    """Sets, and for each of their items the number of the set of the level below that is left without it."""

    sets: Int32
    without: Int64

    def take(self, at: Int64 | Bools) -> Candidates:
        """Those at the given places."""
        return Candidates(self.sets[at], self.without[at])


class Chosen(NamedTuple):
    """The candidates that a limit leaves."""

    candidates: Candidates
    n_all: int
    """How many candidates there are; of the sets that were joined, only."""
    n_joined: int
    """How many sets of the level below were joined with others."""


def set_keys(tables: Sequence[Int64], sets: Int32, n_items: int) -> Int64:
    """The table of a level, of which the tables of all levels below are given: ascending numbers."""
    return set_numbers(tables, sets[:, :-1], n_items) * n_items + sets[:, -1]


def set_numbers(tables: Sequence[Int64], sets: Int32, n_items: int) -> Int64:
    """Which set of its level each one is, or -1."""
    number = np.zeros(len(sets), np.int64)
    for level in range(sets.shape[1]):
        number = extended(tables[level], number, sets[:, level], n_items)
    return number


def extended(keys: Int64, number: Int64, item: Int32, n_items: int) -> Int64:
    """Which set of a level is a set of the level below with one greater item; -1 is none, and stays none."""
    if len(keys) == 0:
        return np.full(len(number), -1, np.int64)
    wanted = number * n_items + item
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((number >= 0) & (keys[at] == wanted), at, -1)


def all_candidates(tables: Sequence[Int64], sets: Int32, n_items: int) -> Int32:
    """The sets of one item more of which all subsets are among the given ones, in lexicographic order."""
    batches = [found.sets for found in _batches(tables, sets, n_items)]
    return np.concatenate([np.empty((0, sets.shape[1] + 1), np.int32), *batches])


def best_candidates(
    tables: Sequence[Int64], sets: Int32, n_items: int, worth: Float64, most: int, most_joins: int
) -> Chosen:
    """The same, at most so many: those whose least worthy subset is worth most; of equals, the first.

    Where sets would be joined in more than ``most_joins`` ways, only the worthiest ones are, as many as can be.
    """
    joined = np.arange(len(sets))
    if _n_joins(tables[-1] // n_items) > most_joins:
        joined = _worthiest(tables[-1] // n_items, worth, most_joins)
    found = Candidates(np.empty((0, sets.shape[1] + 1), np.int32), np.empty((0, sets.shape[1] + 1), np.int64))
    n_all = 0
    for batch in _batches(tables, sets, n_items, joined):
        n_all += len(batch.sets)
        found = Candidates(np.concatenate([found.sets, batch.sets]), np.concatenate([found.without, batch.without]))
        if len(found.sets) > most:
            weakest = worth[found.without].min(axis=1)
            found = found.take(np.sort(np.argsort(-weakest, kind="stable")[:most]))
    return Chosen(found, n_all, len(joined))


def _n_joins(prefix: Int64) -> int:
    """In how many ways sets that share all but the last item can be joined."""
    together = np.bincount(np.unique(prefix, return_inverse=True)[1])
    return int((together * (together - 1) // 2).sum())


def _worthiest(prefix: Int64, worth: Float64, most_joins: int) -> Int64:
    """The places of the worthiest sets, as many as can be joined in no more than so many ways."""
    order = np.argsort(-worth, kind="stable")
    fits, beyond = 1, len(order)
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if _n_joins(prefix[order[:middle]]) <= most_joins:
            fits = middle
        else:
            beyond = middle
    return np.sort(order[:fits])


def _batches(tables: Sequence[Int64], sets: Int32, n_items: int, joined: Int64 | None = None) -> Iterator[Candidates]:
    """The candidates that come of the sets at the given places, by default of all."""
    places = np.arange(len(sets)) if joined is None else joined
    prefix = tables[-1][places] // n_items
    beyond = np.searchsorted(prefix, prefix, side="right")
    joins = np.concatenate([[0], np.cumsum(beyond - np.arange(1, len(places) + 1))])
    start = 0
    while start < len(places):
        end = max(start + 1, int(np.searchsorted(joins, joins[start] + _JOINS, side="right")) - 1)
        first, second = expand(np.arange(start + 1, end + 1), beyond[start:end])
        yield _joined(tables, sets, n_items, places[first + start], places[second])
        start = end


def _joined(tables: Sequence[Int64], sets: Int32, n_items: int, first: Int64, second: Int64) -> Candidates:
    """Sets that differ in their last item only, each joined with one behind it, if every other subset is there, too."""
    size = sets.shape[1] + 1
    found = np.concatenate([sets[first], sets[second, -1:]], axis=1)
    without = np.empty((len(found), size), np.int64)
    without[:, -1], without[:, -2] = first, second
    for left_out in range(size - 2):
        number = set_numbers(tables, np.delete(found, left_out, axis=1), n_items)
        kept = number >= 0
        without[:, left_out] = number
        found, without = found[kept], without[kept]
    return Candidates(found, without)
