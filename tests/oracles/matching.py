"""Assignments of sensitive values to the rows of a group, by trying all of them: the definitions, word for word.

A group is a list of sets, one a row, of the values that the row cannot take, and a list of values, one a row, in any
order. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

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


def count_valid(excluded: Sequence[int], counts: Sequence[int]) -> list[int]:
    """For each row the number of its valid values; a set is a number with a bit a value, of which there are counts.

    The same as by trying all assignments: a value is valid for a row if what the rows before it may use up, the value,
    and what the rows after it may use up, can be all values together. What is used up is a number with a byte a value.
    """
    every = [(1 << v, 1 << 8 * v, 255 << 8 * v, count << 8 * v) for v, count in enumerate(counts)]
    before = [{0}]
    for cannot in excluded:
        free = [(one, byte, full) for bit, one, byte, full in every if not cannot & bit]
        before.append({used + one for used in before[-1] for one, byte, full in free if used & byte != full})
    after = {sum(full for *_, full in every)} & before[-1]
    valid = [0] * len(excluded)
    for row in range(len(excluded) - 1, -1, -1):
        steps = [
            (used, one)
            for used in before[row]
            for bit, one, *_ in every
            if not excluded[row] & bit and used + one in after
        ]
        valid[row] = len({one for _, one in steps})
        after = {used for used, _ in steps}
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
