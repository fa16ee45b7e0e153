"""The chance to pick a row and to name a value, by groups that are looked through one by one. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction


def groups_of(keys: Sequence[Hashable], values: Sequence[Hashable]) -> list[list[Hashable]]:
    """The values of the rows that have the same key."""
    found: dict[Hashable, list[Hashable]] = {}
    for key, value in zip(keys, values, strict=True):
        found.setdefault(key, []).append(value)
    return list(found.values())


def picking(groups: Sequence[Sequence[Hashable]], k: int) -> tuple[Fraction, Fraction, Fraction]:
    """For each row one in the rows of its group: the highest, the mean, and the share of rows above 1 / k."""
    chances = [Fraction(1, len(group)) for group in groups for _ in group]
    return (
        max(chances),
        sum(chances) / len(chances),
        Fraction(sum(chance > Fraction(1, k) for chance in chances), len(chances)),
    )


def naming(groups: Sequence[Sequence[Hashable]]) -> tuple[Fraction, Fraction]:
    """Whoever names the most frequent value of the group: how often that is right, at best, and over all rows."""
    right = [max(Counter(group).values()) for group in groups]
    rows = [len(group) for group in groups]
    highest = max(Fraction(often, number) for often, number in zip(right, rows, strict=True))
    return highest, Fraction(sum(right), sum(rows))
