"""How identifying data are, by the definitions, slowly. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

Set = frozenset[Any]


def supports(records: Sequence[Set], m: int) -> Counter[Set]:
    """In how many records every set of 1 to m items occurs that occurs at all."""
    return Counter(
        frozenset(chosen) for record in records for size in range(1, m + 1) for chosen in combinations(record, size)
    )


def minimal_problematic(records: Sequence[Set], k: int, m: int) -> set[Set]:
    """Definitions 6 and 7 of Liu, Feng, Zhu 2022: in 1 to k - 1 records, and no proper subset is."""
    problematic = {one for one, count in supports(records, m).items() if count < k}
    return {
        one
        for one in problematic
        if not any(frozenset(part) in problematic for size in range(1, len(one)) for part in combinations(one, size))
    }


def fewest_items(records: Sequence[Set], below: int, m: int) -> list[int | None]:
    """How many items of each record, m at most, are in fewer than so many records; None where there are no such."""
    counts = supports(records, m)
    return [
        next(
            (
                size
                for size in range(1, m + 1)
                if any(counts[frozenset(chosen)] < below for chosen in combinations(record, size))
            ),
            None,
        )
        for record in records
    ]


def unique(rows: Sequence[Any]) -> int:
    """How many rows no other equals."""
    return sum(count == 1 for count in Counter(rows).values())


def chances(rows: Sequence[Any], population: Sequence[Any]) -> list[Fraction]:
    """For each row one in so many of the population's that equal it."""
    there = Counter(population)
    return [Fraction(1, there[row]) for row in rows]


def adversary(rows: Sequence[Any], population: Sequence[Any], k: int) -> tuple[Fraction, Fraction, Fraction]:
    """The highest chance, the mean, and the share of the rows with more than 1 / k."""
    each = chances(rows, population)
    above = sum(chance > Fraction(1, k) for chance in each)
    return max(each), sum(each, Fraction(0)) / len(each), Fraction(above, len(each))


def at_least(hits: int, sample: int, chance: float) -> float:
    """How likely so many hits or more are in a sample, each of them with this chance."""
    return sum(comb(sample, n) * chance**n * (1 - chance) ** (sample - n) for n in range(hits, sample + 1))


def means(shares: Sequence[Mapping[int, Fraction]], length: int) -> Fraction | None:
    """The mean over those that have a share of this length."""
    there = [one[length] for one in shares if length in one]
    return sum(there, Fraction(0)) / len(there) if there else None
