"""Randomized rows by enumeration: every set of items that a row can become, with its chance as a fraction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations

Row = frozenset[int]
Chances = dict[Row, Fraction]


def subsets(n_items: int) -> list[Row]:
    """All sets of items."""
    return [frozenset(s) for s in chain.from_iterable(combinations(range(n_items), k) for k in range(n_items + 1))]


def flipped(row: Row, n_items: int, keep: Fraction) -> Chances:
    """What a row becomes when each item is kept as it is, there or not, with that chance."""
    out = {}
    for other in subsets(n_items):
        changed = len(row ^ other)
        out[other] = keep ** (n_items - changed) * (1 - keep) ** changed
    return out


def cut(row: Row, most: int) -> Chances:
    """What is left of a row of which only so many items are kept, by chance."""
    kept = [frozenset(s) for s in combinations(sorted(row), min(most, len(row)))]
    return {part: Fraction(1, len(kept)) for part in kept}


def made_up(lengths: Mapping[int, Fraction], n_items: int) -> Chances:
    """A row of a length drawn by these shares, its items drawn evenly."""
    rows = subsets(n_items)
    of_length = {length: [row for row in rows if len(row) == length] for length in lengths}
    return {row: share / len(of_length[n]) for n, share in lengths.items() for row in of_length[n]}


def mixture(parts: Iterable[tuple[Fraction, Chances]]) -> Chances:
    """Chances of chances."""
    out: Chances = {}
    for share, chances in parts:
        for row, chance in chances.items():
            out[row] = out.get(row, Fraction(0)) + share * chance
    return out


def then_flipped(chances: Chances, n_items: int, keep: Fraction) -> Chances:
    """The same rows after flips."""
    return mixture((chance, flipped(row, n_items, keep)) for row, chance in chances.items())


def lengths(chances: Chances, n_items: int) -> list[Fraction]:
    """The chances of 0, 1, ... items."""
    return [sum((p for row, p in chances.items() if len(row) == k), Fraction(0)) for k in range(n_items + 1)]


def at_least(chances: Sequence[Fraction], count: int) -> Fraction:
    """How likely so many or more of independent trials succeed."""
    exactly = [Fraction(1)]
    for p in chances:
        longer = [*exactly, Fraction(0)]
        exactly = [longer[k] * (1 - p) + (longer[k - 1] * p if k else 0) for k in range(len(longer))]
    return sum(exactly[max(count, 0) :], Fraction(0))


def sum_at_least(rows: Sequence[Chances], weights: Sequence[int], total: int) -> Fraction:
    """How likely the weights of all items of independent rows add up to so much or more."""
    sums = {0: Fraction(1)}
    for chances in rows:
        longer: dict[int, Fraction] = {}
        for before, chance in sums.items():
            for row, p in chances.items():
                after = before + sum(weights[item] for item in row)
                longer[after] = longer.get(after, Fraction(0)) + chance * p
        sums = longer
    return sum((chance for value, chance in sums.items() if value >= total), Fraction(0))


def independent_given_length(frequencies: Sequence[Fraction], lengths: Sequence[Fraction]) -> Chances:
    """Rows of these lengths; of one length, as likely as items drawn independently with these frequencies."""
    n = len(frequencies)
    out: Chances = {}
    for row in subsets(n):
        p = Fraction(1)
        for item in range(n):
            p *= frequencies[item] if item in row else 1 - frequencies[item]
        out[row] = p
    totals = [sum(p for row, p in out.items() if len(row) == k) for k in range(n + 1)]
    return {row: p / totals[len(row)] * lengths[len(row)] if totals[len(row)] else p for row, p in out.items()}


def removed(scored: Sequence[tuple[float, bool]], kept: Fraction) -> Fraction:
    """The share of fake transactions below the score at which that share of real ones is kept, ties kept in parts."""
    reals, fakes = sum(real for _, real in scored), sum(not real for _, real in scored)
    wanted, stay = kept * reals, Fraction(0)
    for score in sorted({score for score, _ in scored}, reverse=True):
        here = [real for other, real in scored if other == score]
        if wanted <= 0:
            break
        part = min(Fraction(1), wanted / sum(here)) if any(here) else Fraction(1)
        stay += part * (len(here) - sum(here))
        wanted -= part * sum(here)
    return 1 - stay / fakes


def average_privacy(fakes: Fraction, people: int) -> Fraction:
    """Equation 13 of Mohaisen et al., with the 1 / N that it lacks."""
    terms = (Fraction(people - i) / (fakes * people + people - i) for i in range(people))
    return 1 - sum(terms, Fraction(0)) / people
