"""Utility of releases of tables by their definitions: Li and Li, Injector, 2008, sections VI.C and VI.D.

Standard library only. A counter is a function ``count(left, right)``: the expected number of rows whose columns have
one of the values that ``left`` (column to values) allows, and one of the sensitive values ``right``; None: any.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from tests.oracles.table_counts import Group, Row
from tests.oracles.table_counts import count as over_permutations

Left = Mapping[str, Collection[Any]]
Counter = Callable[[Left, Collection[Any] | None], Fraction]
Rule = tuple[tuple[tuple[str, Any], ...], Any]


def of_rows(rows: Sequence[Row], sensitive: str) -> Counter:
    """Counts of a table."""

    def count(left: Left, right: Collection[Any] | None) -> Fraction:
        return Fraction(
            sum(
                all(row[c] in vs for c, vs in left.items()) and (right is None or row[sensitive] in right)
                for row in rows
            )
        )

    return count


def of_groups(groups: Sequence[Group], sensitive: str) -> Counter:
    """Means over all permutations of the values of each group, one group at a time."""

    def count(left: Left, right: Collection[Any] | None) -> Fraction:
        def meets(row: Row) -> bool:
            return all(row[c] in vs for c, vs in left.items()) and (right is None or row[sensitive] in right)

        return sum((over_permutations([group], sensitive, meets)[1] for group in groups), Fraction(0))

    return count


def of_generalized(rows: Sequence[Row], sensitive: str, below: Mapping[str, Mapping[str, Sequence[Any]]]) -> Counter:
    """A row is, in equal parts, every row that its nodes allow; ``below`` has the leaves of each label."""

    def count(left: Left, right: Collection[Any] | None) -> Fraction:
        total = Fraction(0)
        for row in rows:
            columns = list(below)
            ways = list(product(*(below[column][row[column]] for column in columns)))
            hits = sum(all(way[columns.index(c)] in vs for c, vs in left.items()) for way in ways)
            if right is None or row[sensitive] in right:
                total += Fraction(hits, len(ways))
        return total

    return count


def interesting(
    count: Counter,
    domains: Mapping[str, Sequence[Any]],
    secrets: Sequence[Any],
    max_attributes: int,
    least: int,
    min_conviction: Fraction,
) -> Iterator[Rule]:
    """All rules X => Y with enough rows and conviction."""
    n = count({}, None)
    for left, right in possible(domains, secrets, max_attributes):
        both = count({c: [v] for c, v in left}, [right])
        if both < least:
            continue
        x, y = count({c: [v] for c, v in left}, None), count({}, [right])
        conviction = (x / n) * (1 - y / n) / ((x - both) / n) if x != both else None
        if conviction is None or conviction >= min_conviction:
            yield left, right


def possible(domains: Mapping[str, Sequence[Any]], secrets: Sequence[Any], max_attributes: int) -> Iterator[Rule]:
    for size in range(1, max_attributes + 1):
        for columns in combinations(domains, size):
            for values in product(*(domains[column] for column in columns)):
                yield from ((tuple(zip(columns, values, strict=True)), secret) for secret in secrets)


def confidence(count: Counter, rule: Rule) -> Fraction:
    left = {c: [v] for c, v in rule[0]}
    rows = count(left, None)
    return count(left, [rule[1]]) / rows if rows else Fraction(0)


def confidence_error(original: Counter, release: Counter, rules: Collection[Rule]) -> Fraction | None:
    """The mean relative error of the confidences of the original's rules."""
    if not rules:
        return None
    truths = {rule: confidence(original, rule) for rule in rules}
    errors = (abs(confidence(release, rule) - truth) / truth for rule, truth in truths.items())
    return sum(errors, Fraction(0)) / len(rules)
