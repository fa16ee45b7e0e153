"""Remove negative rules that other rules imply.

A rule implies another about the same value if each of its conditions is met by all values that meet one of the other's
conditions: for any rows, the second rule adds nothing to the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.mining.conditions import Conditions


def unimplied(conditions: Conditions, offsets: Int64, items: Int32, excluded: Int32) -> list[int]:
    """The numbers of the rules that no other one implies; of rules that imply each other, the first.

    Args:
        conditions: The conditions of the rules.
        offsets: Where the conditions of each rule start in ``items``.
        items: Numbers of conditions, ascending inside a rule.
        excluded: The value that each rule excludes.
    """
    wider = _wider(conditions)
    n_conditions = np.diff(offsets)
    met = np.append(0, np.cumsum(conditions.sizes[items]))
    kept: set[tuple[int, tuple[int, ...]]] = set()
    chosen = []
    # A rule that implies another has no more conditions, which no fewer values meet, so it comes before it.
    for rule in np.lexsort((-np.diff(met[offsets]), n_conditions)).tolist():
        value = int(excluded[rule])
        mine = tuple(items[offsets[rule] : offsets[rule + 1]].tolist())
        if not any((value, more) in kept for more in _more_general(mine, wider)):
            kept.add((value, mine))
            chosen.append(rule)
    return sorted(chosen)


def _wider(conditions: Conditions) -> list[list[int]]:
    """For each condition, the conditions on its column that all its values meet, including itself."""
    wider: list[list[int]] = [[] for _ in range(len(conditions))]
    for place in range(len(conditions.columns)):
        numbers = np.flatnonzero(conditions.column == place).tolist()
        sets = {number: frozenset(conditions.codes_of(number).tolist()) for number in numbers}
        holders: dict[int, list[int]] = {}
        for number, codes in sets.items():
            for code in codes:
                holders.setdefault(code, []).append(number)
        for number, codes in sets.items():
            # A condition with all values of another holds its value that fewest conditions hold.
            wider[number] = [other for other in min((holders[c] for c in codes), key=len) if codes <= sets[other]]
    return wider


def _more_general(items: tuple[int, ...], wider: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """Every conjunction that all rows of this one meet, the shortest first; including itself."""
    for size in range(1, len(items) + 1):
        for some in combinations(items, size):
            yield from product(*(wider[item] for item in some))
