"""How likely each value is for a row, if all assignments that negative rules allow are equally likely; exact.

T. Li, N. Li: Injector, 2008, section V, counts the values that remain for a row; this module weighs them. A value that
occurs n times in a group is n slots, and an assignment gives each row one slot. Slots forbidden to the same kinds of
rows are interchangeable. So are rows with the same forbidden slots, and rows without any take what remains: only the
ways in which the other rows use up the few types of slots must be counted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from shoal.audit.bucketized.valid_values import ValidValues
from shoal.data.arrays import Int64
from shoal.release.bucketized import Bucketized

MOST_STEPS = 200_000
"""A group that would take more steps is not counted."""
ALL_STEPS = 10_000_000
"""After so many steps, only groups like earlier ones are counted."""


@dataclass(frozen=True, eq=False)
class Chances:
    """The likeliest value of each kind of row, by how likely it is."""

    largest: list[Fraction | None]
    """For each kind; None if there is no assignment, or the group was not counted."""
    uncounted: Int64
    """The groups that were not counted."""


@dataclass(frozen=True)
class Pattern:
    """A group without names: rows that cannot take some types of slots, and the slots."""

    limited: tuple[tuple[int, tuple[int, ...]], ...]
    """Kinds of rows with forbidden types: how many rows, and which types are forbidden."""
    free: int
    """How many rows can take every slot."""
    slots: tuple[tuple[int, int], ...]
    """For each type how many slots there are, and how many of them have its most frequent value."""

    @property
    def steps(self) -> int:
        """An upper bound on the work of counting."""
        rows = sum(size for size, _ in self.limited)
        return math.prod(min(rows, slots) + 1 for slots, _ in self.slots) * (rows + 1) * len(self.slots)


def likeliest(pattern: Pattern) -> tuple[list[Fraction], Fraction]:
    """For each kind with forbidden slots, and for the other rows, the chance of the likeliest value.

    Example:
        >>> one_woman = Pattern(((2, (0,)),), 1, ((1, 1), (2, 1)))  # two men cannot have the first of three values
        >>> [str(chance) for chance in likeliest(one_woman)[0]], str(likeliest(one_woman)[1])
        (['1/2'], '1')
    """
    types = range(len(pattern.slots))
    allowed = [[j for j in types if j not in cannot] for size, cannot in pattern.limited for _ in range(size)]
    ahead = [{tuple(slots for slots, _ in pattern.slots): 1}]
    for can in allowed:
        after: defaultdict[tuple[int, ...], int] = defaultdict(int)
        for left, ways in ahead[-1].items():
            for j in can:
                if left[j]:
                    after[_taken(left, j)] += ways * left[j]
        ahead.append(dict(after))
    # Rows that can take everything take the remaining slots in any order: the same number of ways, which cancels out.
    behind = dict.fromkeys(ahead[-1], 1)
    every = sum(ahead[-1].values())
    others = [
        Fraction(sum(ways * left[j] for left, ways in ahead[-1].items()), every * max(pattern.free, 1)) for j in types
    ]
    found: list[Fraction] = []
    row = len(allowed)
    for size, _ in reversed(pattern.limited):
        for _ in range(size):
            row -= 1
            taken, now = [0] * len(pattern.slots), {}
            for left, ways in ahead[row].items():
                total = 0
                for j in allowed[row]:
                    if left[j]:
                        part = left[j] * behind.get(_taken(left, j), 0)
                        total += part
                        taken[j] += ways * part
                now[left] = total
            behind = now
        found.append(_best([Fraction(part, every) for part in taken], pattern))
    return found[::-1], _best(others, pattern)


def _taken(left: tuple[int, ...], j: int) -> tuple[int, ...]:
    return (*left[:j], left[j] - 1, *left[j + 1 :])


def _best(chances: list[Fraction], pattern: Pattern) -> Fraction:
    """Slots of one type are equally likely, and a value is as likely as its slots together."""
    return max(
        chance * Fraction(most, slots) for chance, (slots, most) in zip(chances, pattern.slots, strict=True) if slots
    )


@dataclass
class _Counter:
    """Counts groups, equal ones once, while the work allows."""

    left: int = ALL_STEPS
    known: dict[Pattern, tuple[list[Fraction], Fraction]] = field(default_factory=dict)

    def count(self, pattern: Pattern) -> tuple[list[Fraction], Fraction] | None:
        """The chances of a group; None if that would take too much work."""
        if pattern not in self.known:
            if pattern.steps > min(MOST_STEPS, self.left):
                return None
            self.left -= pattern.steps
            self.known[pattern] = likeliest(pattern)
        return self.known[pattern]


def count_chances(release: Bucketized, valid: ValidValues) -> Chances:
    """The chance of the likeliest value of every row, over all assignments that the rules allow."""
    kinds = valid.kinds
    most = np.maximum.reduceat(release.bucket_counts, release.bucket_offsets[:-1]).tolist()
    shares = [Fraction(count, size) for count, size in zip(most, release.group_sizes.tolist(), strict=True)]
    largest: list[Fraction | None] = [shares[group] for group in kinds.group.tolist()]
    stuck = set(valid.unassignable.tolist())
    counter = _Counter()
    uncounted = []
    first_kind = np.searchsorted(kinds.group, np.arange(release.n_groups + 1)).tolist()
    counts, offsets, rows = release.bucket_counts.tolist(), release.bucket_offsets.tolist(), kinds.size.tolist()
    for group, forbidden in _by_group(kinds.group, kinds.forbidden_kind, kinds.forbidden_entry):
        members = range(first_kind[group], first_kind[group + 1])
        found = None
        if group not in stuck:
            entries = range(offsets[group], offsets[group + 1])
            pattern, order = _pattern(forbidden, members, rows, entries, counts)
            found = counter.count(pattern)
            if found is None:
                uncounted.append(group)
        for kind in members:
            largest[kind] = found[1] if found else None
        if found:
            for kind, chance in zip(order, found[0], strict=True):
                largest[kind] = chance
    return Chances(largest, np.array(uncounted, np.int64))


def _by_group(groups: Int64, kind: Int64, entry: Int64) -> list[tuple[int, list[tuple[int, int]]]]:
    """The forbidden entries of each group that has any, as kinds and entries."""
    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for group, one, other in zip(groups[kind].tolist(), kind.tolist(), entry.tolist(), strict=True):
        found[group].append((one, other))
    return list(found.items())


def _pattern(
    forbidden: list[tuple[int, int]], members: range, rows: list[int], entries: range, counts: list[int]
) -> tuple[Pattern, list[int]]:
    """A group without its names, and its limited kinds in the order of the pattern."""
    excluded: defaultdict[int, list[int]] = defaultdict(list)
    for kind, entry in forbidden:
        excluded[entry].append(kind)
    types: defaultdict[tuple[int, ...], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for entry in entries:
        who = tuple(sorted(excluded.get(entry, ())))
        slots, most = types[who]
        types[who] = (slots + counts[entry], max(most, counts[entry]))
    without: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for who, slots_of in types.items():
        for kind in who:
            without[kind].append(slots_of)
    # The order depends on numbers only, as far as they distinguish kinds, so that equal groups are counted once.
    order = sorted(without, key=lambda kind: (rows[kind], sorted(without[kind])))
    place = {kind: number for number, kind in enumerate(order)}
    ordered = sorted((tuple(sorted(place[kind] for kind in who)), slots_of) for who, slots_of in types.items())
    cannot: list[list[int]] = [[] for _ in order]
    for number, (whom, _) in enumerate(ordered):
        for at in whom:
            cannot[at].append(number)
    limited = tuple((rows[kind], tuple(cannot[place[kind]])) for kind in order)
    free = sum(rows[kind] for kind in members if kind not in place)
    return Pattern(limited, free, tuple(slots_of for _, slots_of in ordered)), order
