"""Queries over bucketized releases by their definition: every way to hand a group's values to its rows is enumerated.

Standard library only. A group is ``(rows, values)``: a list of dictionaries (column to value) and a list of sensitive
values, as many as rows. A query is a function of a whole row, which has the sensitive value under ``sensitive``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

Row = dict[str, Any]
Group = tuple[Sequence[Row], Sequence[Any]]


def originals(groups: Sequence[Group], sensitive: str) -> Iterator[list[Row]]:
    """Every possible original, each as often as there are permutations that lead to it."""
    ways = [
        [[{**row, sensitive: value} for row, value in zip(rows, order, strict=True)] for order in permutations(values)]
        for rows, values in groups
    ]
    for chosen in product(*ways):
        yield [row for part in chosen for row in part]


def count(groups: Sequence[Group], sensitive: str, query: Callable[[Row], bool]) -> tuple[int, Fraction, Fraction, int]:
    """The least, the mean, the variance and the greatest number of rows that meet a query."""
    counts = [sum(map(query, rows)) for rows in originals(groups, sensitive)]
    mean = Fraction(sum(counts), len(counts))
    variance = sum(((number - mean) ** 2 for number in counts), Fraction(0)) / len(counts)
    return min(counts), mean, variance, max(counts)


Bounds = tuple[Any, Any] | None


def aggregate(
    groups: Sequence[Group], sensitive: str, query: Callable[[Row], bool], of: str
) -> tuple[int, int, Bounds, Bounds, Bounds, Fraction | None]:
    """The least and the greatest count, bounds of minimum, maximum and average, and E[sum] / E[count]."""
    found = [[row[of] for row in rows if query(row) and row[of] is not None] for rows in originals(groups, sensitive)]
    counts = [len(numbers) for numbers in found]
    there = [numbers for numbers in found if numbers]
    if not there:
        return 0, 0, None, None, None, None

    def bounds(of_numbers: Callable[[list[Any]], Any]) -> Bounds:
        every = [of_numbers(numbers) for numbers in there]
        return min(every), max(every)

    total = sum((Fraction(number) for numbers in found for number in numbers), Fraction(0))
    average = bounds(lambda numbers: sum(map(Fraction, numbers), Fraction(0)) / len(numbers))
    return min(counts), max(counts), bounds(min), bounds(max), average, total / sum(counts)
