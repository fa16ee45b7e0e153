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
