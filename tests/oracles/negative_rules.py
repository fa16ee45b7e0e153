"""Negative rules by their definitions, slowly. Standard library only.

A row is a mapping from column to value; None is missing and is called "?". A tree maps the text of a value to the
labels above it, from its parent to the root.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

Row = Mapping[str, Any]
Trees = Mapping[str, Mapping[str, Sequence[str]]]
Condition = tuple[str, str, frozenset[str]]
"""A column, a label, and the texts of the values that meet it."""
Rule = tuple[frozenset[Condition], str]
CLOSE = Fraction(1, 10**7)


class TooCloseError(Exception):
    """A sum of degrees is so near a threshold that rounding decides."""


def text(value: Any) -> str:
    return "?" if value is None else str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def nodes(rows: Sequence[Row], column: str, trees: Trees) -> list[tuple[str, frozenset[Any]]]:
    """Every value and every node of a column with the values it covers; those that say something, each once."""
    values = {row[column] for row in rows}
    levels: list[dict[str, set[Any]]] = [{text(value): {value} for value in values}]
    for level in range(max((len(trees[column][text(value)]) for value in values), default=0) if column in trees else 0):
        levels.append({})
        for value in values:
            levels[-1].setdefault(trees[column][text(value)][level], set()).add(value)
    found: list[tuple[str, frozenset[Any]]] = []
    for labels in levels:
        for label, covered in labels.items():
            if covered != values and all(covered != other for _, other in found):
                found.append((label, frozenset(covered)))
    return found


def membership(rows: Sequence[Row], column: str, covered: frozenset[Any], value: Any, *, fuzzy: bool) -> Fraction:
    """The degree to which a value meets a condition."""
    numbers = {row[column] for row in rows if row[column] is not None}
    between = sorted(number for number in covered if number is not None)
    if value in covered or value is None or not fuzzy or not between:
        return Fraction(int(value in covered))
    step = min(Fraction(b) - Fraction(a) for a in numbers for b in numbers if a < b)
    low, high = Fraction(between[0]), Fraction(between[-1])
    distance = max(Fraction(0), low - Fraction(value), Fraction(value) - high)
    return max(Fraction(0), 1 - distance / (2 * step + (high - low) / 4))


def reaches(share: Fraction, count: Fraction, min_expectation: Fraction) -> bool:
    """Whether a value with this share is expected among so many rows."""
    if count.denominator == 1:
        return 1 - (1 - share) ** int(count) >= min_expectation
    expectation = Fraction(1 - float(1 - share) ** float(count))
    if abs(expectation - min_expectation) < CLOSE:
        raise TooCloseError
    return expectation >= min_expectation


def rules(
    rows: Sequence[Row],
    quasi: Sequence[str],
    sensitive: str,
    min_expectation: Fraction,
    *,
    trees: Trees,
    min_confidence: Fraction = Fraction(1),
    max_attributes: int = 1,
    joined: str = "crisp",
    numbers: Collection[str] = (),
) -> dict[Rule, tuple[float, float, float]]:
    """Every rule with its count, expectation and confidence; ``numbers`` are the columns that can be met in part."""
    found: dict[Rule, tuple[float, float, float]] = {}
    for size in range(1, max_attributes + 1):
        for columns in combinations(quasi, size):
            for chosen in product(*(nodes(rows, column, trees) for column in columns)):
                found |= _about(rows, columns, chosen, sensitive, min_expectation, min_confidence, joined, numbers)
    return found


def _about(
    rows: Sequence[Row],
    columns: Sequence[str],
    chosen: Sequence[tuple[str, frozenset[Any]]],
    sensitive: str,
    min_expectation: Fraction,
    min_confidence: Fraction,
    joined: str,
    numbers: Collection[str],
) -> dict[Rule, tuple[float, float, float]]:
    def degrees(column: str, covered: frozenset[Any]) -> dict[Any, Fraction]:
        fuzzy = joined != "crisp" and column in numbers
        return {row[column]: membership(rows, column, covered, row[column], fuzzy=fuzzy) for row in rows}

    meets = [degrees(column, covered) for column, (_, covered) in zip(columns, chosen, strict=True)]
    conditions = frozenset(
        (column, label, frozenset(text(value) for value, degree in met.items() if degree > 0))
        for column, (label, _), met in zip(columns, chosen, meets, strict=True)
    )
    by_row = []
    for row in rows:
        parts = [met[row[column]] for column, met in zip(columns, meets, strict=True)]
        by_row.append(min(parts) if joined == "minimum" else prod(parts))
    total = sum(by_row, Fraction(0))
    made: dict[Rule, tuple[float, float, float]] = {}
    for value in {row[sensitive] for row in rows}:
        having = sum((d for d, row in zip(by_row, rows, strict=True) if row[sensitive] == value), Fraction(0))
        share = Fraction(sum(row[sensitive] == value for row in rows), len(rows))
        if joined != "crisp" and total and 0 < abs(1 - having / total - min_confidence) < CLOSE:
            raise TooCloseError
        if total and 1 - having / total >= min_confidence and reaches(share, total, min_expectation):
            expectation = 1.0 - float(1 - share) ** float(total)
            made[conditions, text(value)] = (float(total), expectation, float(1 - having / total))
    return made


def excluded(found: Collection[Rule], row: Row) -> set[str]:
    """The sensitive values that some rule says this row does not have."""
    return {
        value for conditions, value in found if all(text(row[column]) in values for column, _, values in conditions)
    }
