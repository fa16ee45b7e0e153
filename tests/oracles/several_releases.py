"""What several releases of one table leave possible together, by trying all tables, and rows, one after the other.

A table is a multiset of people, each a description and a value. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product

from tests.oracles.recoding import Tree, is_recoded

Table = frozenset[tuple[tuple[str, str], int]]
Bucket = tuple[Sequence[str], Sequence[str]]
"""The descriptions of the people of a group, and their values in any order."""
Possible = dict[str, set[str]]


def tables(release: Sequence[Bucket]) -> set[Table]:
    """All tables that have these groups: in each, the values are dealt to the people in all ways."""
    deals = [
        {tuple(sorted(zip(people, dealt, strict=True))) for dealt in permutations(values)} for people, values in release
    ]
    return {frozenset(Counter(pair for group in chosen for pair in group).items()) for chosen in product(*deals)}


def possible_values(releases: Sequence[Sequence[Bucket]]) -> Possible:
    """For each description the values that somebody with it has in some table that has the groups of all releases."""
    common = set.intersection(*(tables(release) for release in releases))
    found: Possible = {person: set() for people, _ in releases[0] for person in people}
    for table in common:
        for (person, value), _ in table:
            found[person].add(value)
    return found


def common_values(releases: Sequence[Sequence[Bucket]]) -> Possible:
    """For each description the values that in every release are in some group with such a person."""
    everybody = {person for people, _ in releases[0] for person in people}
    return {
        person: set.intersection(
            *({value for people, values in release if person in people for value in values} for release in releases)
        )
        for person in everybody
    }


def recoded_values(
    people: Sequence[str],
    values: Sequence[str],
    releases: Sequence[tuple[Sequence[Sequence[str]], int, Sequence[Tree]]],
) -> Possible:
    """For each description the values that somebody with it has in some table of these people.

    Each release is its rows (a description's node and a value's node), how many are suppressed, and its trees.
    """
    found: Possible = {person: set() for person in people}
    for given in product(values, repeat=len(people)):
        rows = list(zip(people, given, strict=True))
        if all(is_recoded(shown, suppressed, rows, trees) for shown, suppressed, trees in releases):
            for person, value in rows:
                found[person].add(value)
    return found


def surely_made_up(first: Sequence[frozenset[int]], other: Sequence[frozenset[int]], records: int) -> int:
    """How many rows of the first release are real in no choice of real rows that both releases may have.

    Of equal rows nobody can tell which are real: so many of them are made up in every choice.
    """
    kinds = sorted(set(first), key=sorted)
    choices: Iterator[tuple[int, ...]] = product(*(range(first.count(kind) + 1) for kind in kinds))
    most = [0] * len(kinds)
    for choice in choices:
        if sum(choice) == records and all(n <= other.count(kind) for n, kind in zip(choice, kinds, strict=True)):
            most = [max(pair) for pair in zip(most, choice, strict=True)]
    return sum(first.count(kind) - real for kind, real in zip(kinds, most, strict=True))


Bits = tuple[int, ...]


def _chance(shown: Bits, true: Bits, keep: Fraction) -> Fraction:
    chance = Fraction(1)
    for one, other in zip(shown, true, strict=True):
        chance *= keep if one == other else 1 - keep
    return chance


def _records(shares: Sequence[Fraction]) -> dict[Bits, Fraction]:
    """All records of independent items of these frequencies."""
    found = {}
    for bits in product((0, 1), repeat=len(shares)):
        chance = Fraction(1)
        for bit, share in zip(bits, shares, strict=True):
            chance *= share if bit else 1 - share
        found[bits] = chance
    return found


def link_weights(
    row: Bits, others: Sequence[Bits], shares: Sequence[Fraction], keeps: tuple[Fraction, Fraction]
) -> list[Fraction]:
    """How likely each row of another release is the same person's, all of them being equally likely before."""
    records = _records(shares)

    def weight(other: Bits) -> Fraction:
        together = sum(p * _chance(row, true, keeps[0]) * _chance(other, true, keeps[1]) for true, p in records.items())
        return together / sum(p * _chance(other, true, keeps[1]) for true, p in records.items())

    weights = [weight(other) for other in others]
    return [one / sum(weights) for one in weights]


def item_beliefs(seen: Sequence[tuple[Bits, Fraction]], shares: Sequence[Fraction]) -> list[Fraction]:
    """How sure one is of each item of a person, of whom these rows are known, each with the chance that a bit stays."""
    records = _records(shares)
    weights: Mapping[Bits, Fraction] = {
        true: _product([p, *(_chance(row, true, keep) for row, keep in seen)]) for true, p in records.items()
    }
    total = sum(weights.values())
    return [sum(w for true, w in weights.items() if true[item]) / total for item in range(len(shares))]


def _product(factors: Sequence[Fraction]) -> Fraction:
    total = Fraction(1)
    for factor in factors:
        total *= factor
    return total
