"""Itemsets and rules by their definitions, slowly. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

Item = Any
Set = frozenset[Item]


def count(records: Iterable[Set], items: Set) -> int:
    return sum(items <= record for record in records)


def frequent(records: Sequence[Set], least: int, max_length: int | None = None) -> dict[Set, int]:
    """Every non-empty set of items in at least so many records."""
    items = sorted(set().union(*records))
    longest = len(items) if max_length is None else max_length
    sets = (frozenset(chosen) for size in range(1, longest + 1) for chosen in combinations(items, size))
    counts = {chosen: count(records, chosen) for chosen in sets}
    return {chosen: number for chosen, number in counts.items() if number >= least}


def closed(records: Sequence[Set], least: int) -> dict[Set, int]:
    """The frequent sets without a larger one in as many records."""
    found = frequent(records, least)
    return {one: n for one, n in found.items() if not any(one < other and n == found[other] for other in found)}


def maximal(records: Sequence[Set], least: int) -> dict[Set, int]:
    """The frequent sets without a larger one."""
    found = frequent(records, least)
    return {one: n for one, n in found.items() if not any(one < other for other in found)}


def in_order(found: Mapping[Set, int]) -> list[tuple[Set, int]]:
    """The most frequent first, then the shorter, then by items."""
    return sorted(found.items(), key=lambda pair: (-pair[1], len(pair[0]), sorted(pair[0])))


def rules(records: Sequence[Set], least: int, min_confidence: Fraction) -> dict[tuple[Set, Set], tuple[float, ...]]:
    """Count, support, confidence, lift, leverage and conviction of every rule that is confident enough."""
    found, n = frequent(records, least), len(records)
    made: dict[tuple[Set, Set], tuple[float, ...]] = {}
    for whole, together in found.items():
        for size in range(1, len(whole)):
            for body in map(frozenset, combinations(sorted(whole), size)):
                head = whole - body
                confidence, expected = Fraction(together, found[body]), Fraction(found[head], n)
                if confidence < min_confidence:
                    continue
                support = Fraction(together, n)
                conviction = inf if confidence == 1 else (1 - expected) / (1 - confidence)
                leverage = support - Fraction(found[body], n) * expected
                numbers = (together, support, confidence, confidence / expected, leverage, conviction)
                made[body, head] = tuple(float(number) for number in numbers)
    return made
