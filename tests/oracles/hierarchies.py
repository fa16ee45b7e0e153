"""What a hierarchy and a group of rows are, written down from their definitions. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

Row = tuple[str, ...]


def faults(rows: Sequence[Row]) -> list[str]:
    """Everything that keeps these rows from being a tree with all leaves at one depth."""
    found = []
    if len({len(row) for row in rows}) != 1:
        found.append("ragged")
    if len({row[-1] for row in rows}) != 1:
        found.append("several roots")
    paths: dict[str, set[Row]] = {}
    parents: dict[tuple[int, str], set[str]] = {}
    for row in rows:
        paths.setdefault(row[0], set()).add(row)
        for level in range(len(row) - 1):
            parents.setdefault((level, row[level]), set()).add(row[level + 1])
    found += [f"two paths: {leaf}" for leaf, ways in paths.items() if len(ways) > 1]
    found += [f"two parents: {node}" for node, above in parents.items() if len(above) > 1]
    return found


def partition(rows: Sequence[Row], level: int) -> set[frozenset[str]]:
    """The sets of leaves that become one at a level."""
    blocks: dict[str, set[str]] = {}
    for row in rows:
        blocks.setdefault(row[level], set()).add(row[0])
    return {frozenset(block) for block in blocks.values()}


def is_coarser(above: set[frozenset[str]], below: set[frozenset[str]]) -> bool:
    """Whether every set of the lower level lies inside one set of the upper level."""
    return all(sum(low <= high for high in above) == 1 for low in below)


def leaves_below(rows: Sequence[Row], level: int) -> Counter[str]:
    """How many leaves lie below each label of a level."""
    return Counter(row[level] for row in {row[0]: row for row in rows}.values())


def holds(label: str, number: str) -> bool:
    """Whether the number lies in the interval that the label describes."""
    value = Fraction(number)
    if label == "*":
        return True
    if label.startswith("< "):
        return value < Fraction(label[2:])
    if label.startswith(">= "):
        return value >= Fraction(label[3:])
    low, high = label.removeprefix("[").removesuffix(")").split(", ")
    return Fraction(low) <= value < Fraction(high)


def group_sizes(rows: Iterable[tuple[object, ...]]) -> list[int]:
    """The sizes of the groups of equal rows, ascending."""
    return sorted(Counter(rows).values())
