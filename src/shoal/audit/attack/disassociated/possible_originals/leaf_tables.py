"""The possible originals of one leaf with its given part of every chunk, by tables of identical records.

Terrovitis et al., VLDB 2012, section 3. A table says how many records of the leaf have which items; every table
represents a known number of ways to put the subrecords on numbered records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from shoal.audit.attack.disassociated.possible_originals.renamed_trees import Rows
from shoal.audit.budget import Budget


@dataclass(frozen=True)
class Answer:
    """How many possible originals there are, and the most records that each set of items has in one."""

    worlds: int
    largest: Mapping[int, int]


def leaf_worlds(
    size: int, chunks: tuple[Rows, ...], terms: int, n_terms: int, most_known: int, budget: Budget
) -> Answer:
    """The possible originals of one leaf with its given part of every chunk."""
    # No two of them are equal: chunks have no item in common, so a table shows which it was made from.
    tables: list[tuple[Rows, int]] = [(((0, size),), 1)]
    for rows in chunks:
        grown: list[tuple[Rows, int]] = []
        for table, ways in tables:
            for spread, more in _spreads(table, rows):
                budget.spend(len(spread))
                grown.append((spread, ways * more))
        tables = grown
    worlds, largest = 0, dict[int, int]()
    for table, ways in tables:
        empty = sum(count for mask, count in table if not mask)
        spreads = _term_spreads(size, empty, n_terms)
        if not spreads:
            continue
        worlds += ways * spreads
        supports: dict[int, int] = {}
        for mask, count in table:
            budget.spend(n_subsets((mask | terms).bit_count(), most_known))
            for itemset in _subsets(mask | terms, most_known):
                supports[itemset] = supports.get(itemset, 0) + count
        for itemset, support in supports.items():
            if support > largest.get(itemset, 0):
                largest[itemset] = support
    return Answer(worlds, largest)


def _spreads(table: Rows, rows: Rows) -> Iterator[tuple[Rows, int]]:
    """Every way to put the subrecords of a chunk on different records, as a finer table and the number of ways."""

    def place(number: int, free: list[int], placed: list[tuple[int, int]], ways: int) -> Iterator[tuple[Rows, int]]:
        if number == len(rows):
            left = [(mask, count) for (mask, _), count in zip(table, free, strict=True) if count]
            yield tuple(sorted(placed + left)), ways
            return
        row, count = rows[number]
        for shares in compositions(free, count):
            yield from place(
                number + 1,
                [have - share for have, share in zip(free, shares, strict=True)],
                placed + [(mask | row, share) for (mask, _), share in zip(table, shares, strict=True) if share],
                ways * math.prod(map(math.comb, free, shares)),
            )

    return place(0, [count for _, count in table], [], 1)


def compositions(most: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """Every way to take a total from places with these amounts."""
    if not most:
        if total == 0:
            yield ()
        return
    rest = sum(most[1:])
    for first in range(max(0, total - rest), min(most[0], total) + 1):
        for others in compositions(most[1:], total - first):
            yield (first, *others)


@lru_cache(maxsize=65_536)
def _term_spreads(size: int, empty: int, n_terms: int) -> int:
    """How many ways to put each term item on some of the records so that each of the empty ones gets one."""
    return sum(
        sign(without) * math.comb(empty, without) * (2 ** (size - without) - 1) ** n_terms
        for without in range(empty + 1)
    )


def n_subsets(bits: int, most: int) -> int:
    """How many non-empty sets of up to ``most`` there are out of so many."""
    return sum(math.comb(bits, size) for size in range(1, min(most, bits) + 1))


@lru_cache(maxsize=4_096)
def _subsets(mask: int, most: int) -> tuple[int, ...]:
    """The non-empty sets of up to so many bits of a mask."""
    bits = [1 << place for place in range(mask.bit_length()) if mask >> place & 1]
    return tuple(sum(chosen) for size in range(1, min(most, len(bits)) + 1) for chosen in combinations(bits, size))


def sign(count: int) -> int:
    """Minus one to that power, for inclusion and exclusion."""
    return -1 if count % 2 else 1
