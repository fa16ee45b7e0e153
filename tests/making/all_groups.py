"""All groups of so many rows, one of each kind up to the names of rows and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt


def partitions(total: int, largest: int | None = None) -> Iterator[list[int]]:
    """How often each value of a group may occur, the most frequent first."""
    if total == 0:
        yield []
    for first in range(min(total, largest or total), 0, -1):
        for rest in partitions(total - first, first):
            yield [first, *rest]


def every_group(counts: Sequence[int]) -> npt.NDArray[np.uint8]:
    """All groups whose values occur so often: one row a group, in it for each row the set of values it cannot take.

    A set is a number with a bit for each value. Groups are built row by row, the longest sets last; of those that
    differ by the order of rows, or by exchanging values that occur equally often, the first in order stands for all.
    """
    width, size = len(counts), sum(counts)
    sets = np.arange(1 << width)
    lengths = np.array([number.bit_count() for number in sets.tolist()])
    swaps = [p for p in permutations(range(width)) if [counts[place] for place in p] == list(counts)]
    renamed = [sum(((sets >> i) & 1) << p[i] for i in range(width)).astype(np.uint8) for p in swaps]
    groups = np.zeros((1, 0), np.uint8)
    for rows in range(1, size + 1):
        longest = lengths[groups].max(axis=1, initial=0)
        at, added = np.nonzero(lengths >= longest[:, None])
        grown = np.column_stack([groups[at], added.astype(np.uint8)])
        smallest = np.full(len(grown), np.iinfo(np.int64).max)
        for names in renamed:
            np.minimum(smallest, _number(names[grown], width), out=smallest)
        kept = np.unique(smallest)
        groups = np.column_stack([kept >> (width * place) & (len(sets) - 1) for place in range(rows)]).astype(np.uint8)
    return groups


def _number(groups: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.int64]:
    """Each group, its rows in order, as one number."""
    columns = list(groups.T)
    for end in range(len(columns) - 1, 0, -1):  # a bubble sort over whole columns
        for place in range(end):
            one, other = columns[place], columns[place + 1]
            columns[place], columns[place + 1] = np.minimum(one, other), np.maximum(one, other)
    number = np.zeros(len(groups), np.int64)
    for column in columns:
        number = number << width | column
    return number
