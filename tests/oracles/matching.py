"""Assignments of sensitive values to the rows of a group, by trying all of them: the definitions, word for word.

A group is a list of sets, one a row, of the values that the row cannot take, and a list of values, one a row, in any
order. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

Excluded = Sequence[frozenset[str]]


def assignments(excluded: Excluded, values: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every way to give the values to the rows such that no row is given one that it cannot take; each once."""
    if not excluded:
        yield ()
        return
    for value in sorted(set(values) - excluded[0]):
        rest = list(values)
        rest.remove(value)
        for others in assignments(excluded[1:], rest):
            yield (value, *others)


def valid_values(excluded: Excluded, values: Sequence[str]) -> list[set[str]]:
    """For each row the values that some assignment gives it (Li and Li 2008, definition 1)."""
    valid: list[set[str]] = [set() for _ in excluded]
    for given in assignments(excluded, values):
        for row, value in enumerate(given):
            valid[row].add(value)
    return valid


def posteriors(excluded: Excluded, values: Sequence[str]) -> list[dict[str, Fraction]]:
    """For each row the share of all assignments that give it each value; empty where there is no assignment."""
    every = list(assignments(excluded, values))
    return [
        {value: Fraction(sum(given[row] == value for given in every), len(every)) for value in {g[row] for g in every}}
        for row in range(len(excluded))
    ]


def valid_as_printed(excluded: Excluded, values: Sequence[str]) -> list[set[str]]:
    """Figure 1 of the paper as printed, the own value of row i being ``values[i]``.

    Row j takes the value of row i, both give way, and the others must match; whether row i can take the value of row j
    is never asked.
    """
    found = []
    for i in range(len(values)):
        valid = set()
        for j in range(len(values)):
            rest = [row for row in range(len(values)) if row not in (i, j)]
            rows, left = [excluded[row] for row in rest], [values[row] for row in rest]
            if i != j:
                rows, left = [*rows, excluded[j]], [*left, values[i]]
            if any(True for _ in assignments(rows, left)):
                valid.add(values[j])
        found.append(valid)
    return found


def negative_rules(
    rows: Sequence[Sequence[Any]],
    secrets: Sequence[str],
    trees: Sequence[dict[Any, Sequence[str]]],
    min_expectation: Fraction,
    min_confidence: Fraction = Fraction(1),
    max_attributes: int = 1,
    membership: str = "crisp",
) -> set[tuple[tuple[tuple[int, frozenset[Any]], ...], str]]:
    """All negative rules of a table, each as conditions (a column, the values that belong) and the excluded value.

    ``trees`` has for each column the way up of each value, itself not included; numbers are numbers, None is missing.
    """
    n_columns = len(rows[0])
    conditions = [_conditions([row[j] for row in rows], trees[j], membership) for j in range(n_columns)]
    found = set()
    for number in range(1, max_attributes + 1):
        for columns in combinations(range(n_columns), number):
            for chosen in product(*(conditions[j] for j in columns)):
                degrees = []
                for row in rows:
                    parts = [degree.get(row[j], Fraction(0)) for j, degree in zip(columns, chosen, strict=True)]
                    whole = Fraction(1)
                    for part in parts:
                        whole *= part
                    degrees.append(min(parts) if membership == "minimum" else whole)
                met = sum(degrees)
                if met == 0:
                    continue
                for value in set(secrets):
                    share = Fraction(secrets.count(value), len(secrets))
                    with_value = sum(d for d, s in zip(degrees, secrets, strict=True) if s == value)
                    if share < 1 and _expected(share, met, min_expectation) and 1 - with_value / met >= min_confidence:
                        belong = tuple((j, frozenset(degree)) for j, degree in zip(columns, chosen, strict=True))
                        found.add((belong, value))
    return found


def _expected(share: Fraction, met: Fraction, least: Fraction) -> bool:
    if met.denominator == 1:
        return bool(1 - (1 - share) ** int(met) >= least)
    return bool(1 - float(1 - share) ** float(met) >= float(least))


def _conditions(column: Sequence[Any], tree: dict[Any, Sequence[str]], membership: str) -> list[dict[Any, Fraction]]:
    """What may be said of a column: for each condition the degree of each value that belongs to it."""
    values = set(column)
    covered = {frozenset([value]) for value in values}
    height = max((len(path) for path in tree.values()), default=0)
    for level in range(height):
        for label in {tree[value][level] for value in values}:
            covered.add(frozenset(value for value in values if tree[value][level] == label))
    covered -= {frozenset(values)}
    numeric = all(value is None or isinstance(value, int) for value in values) and values != {None}
    if membership == "crisp" or not numeric:
        return [dict.fromkeys(part, Fraction(1)) for part in covered]
    known = sorted(value for value in values if value is not None)
    step = min((b - a for a, b in pairwise(known)), default=None)
    found = []
    for part in covered:
        numbers = [value for value in part if value is not None]
        degrees = dict.fromkeys(part, Fraction(1))
        if numbers and step is not None:
            low, high = min(numbers), max(numbers)
            reach = 2 * step + Fraction(high - low, 4)
            for value in known:
                away = max(low - value, value - high, 0)
                if away < reach:
                    degrees[value] = 1 - away / reach
        found.append(degrees)
    return found
