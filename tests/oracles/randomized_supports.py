"""Supports behind randomized rows by their definitions, in exact fractions, slowly. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

Row = frozenset[int]
Matrix = list[list[Fraction]]


def flip_matrix(keep: Fraction, size: int) -> Matrix:
    """Row i, column j: the chance that pattern j is turned into pattern i; a pattern is a number, item t its bit t."""
    patterns = range(2**size)
    flips = [[(i ^ j).bit_count() for j in patterns] for i in patterns]
    return [[keep ** (size - n) * (1 - keep) ** n for n in line] for line in flips]


def solved(matrix: Matrix, right: Sequence[Fraction]) -> list[Fraction]:
    """What the matrix turns into the right side, by Gauss and Jordan."""
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    n = len(lines)
    for column in range(n):
        pivot = next(at for at in range(column, n) if lines[at][column])
        lines[column], lines[pivot] = lines[pivot], lines[column]
        lines[column] = [value / lines[column][column] for value in lines[column]]
        for at in range(n):
            if at != column:
                factor = lines[at][column]
                lines[at] = [value - factor * other for value, other in zip(lines[at], lines[column], strict=True)]
    return [line[-1] for line in lines]


def fake_share(lengths: Iterable[tuple[int, Fraction]], size: int, n_items: int) -> Fraction:
    """The chance that a made-up row has the items 0, ..., size - 1: of all rows of each length, how many do."""
    wanted = set(range(size))
    total = Fraction(0)
    for length, share in lengths:
        rows = list(combinations(range(n_items), length))
        total += share * Fraction(sum(wanted <= set(row) for row in rows), len(rows))
    return total


def by_matrix(rows: Sequence[Row], items: Sequence[int], keep: Fraction, n_records: int, fake: Fraction) -> Fraction:
    """Equation 3 of the paper, and then the fake transactions that the set is expected in are taken off."""
    seen = [Fraction(0)] * 2 ** len(items)
    for row in rows:
        seen[sum(1 << t for t, item in enumerate(items) if item in row)] += 1
    everything = solved(flip_matrix(keep, len(items)), seen)[-1]
    return (everything - (len(rows) - n_records) * fake) / n_records


def worth(row: Row, items: Iterable[int], keep: Fraction) -> Fraction:
    """What a row counts: the product over the items of (there - flip) / (keep - flip)."""
    total = Fraction(1)
    for item in items:
        total *= ((item in row) - (1 - keep)) / (2 * keep - 1)
    return total


def estimate(rows: Sequence[Row], items: Sequence[int], keep: Fraction, n_records: int, fake: Fraction) -> Fraction:
    """The same, row by row."""
    return (sum(worth(row, items, keep) for row in rows) - (len(rows) - n_records) * fake) / n_records


def covariance(
    rows: Sequence[Row],
    items: Sequence[int],
    fewer: Sequence[int],
    keep: Fraction,
    n_records: int,
    shares: tuple[Fraction, Fraction],
) -> Fraction:
    """The estimated covariance of the supports of a set and of some of its items; of all of them, the variance."""
    fake, fake_fewer = shares
    flips = sum(worth(row, items, keep) * worth(row, fewer, keep) - worth(row, items, keep) for row in rows)
    return (flips + (len(rows) - n_records) * fake * (1 - fake_fewer)) / n_records**2


def true_variance(
    before: Sequence[Row], items: Sequence[int], keep: Fraction, n_records: int, fake: Fraction, n_fakes: int
) -> Fraction:
    """The variance of the estimate, from the rows before anything was flipped."""
    v = keep * (1 - keep) / (2 * keep - 1) ** 2
    total = Fraction(0)
    for row in before:
        held = len(row.intersection(items))
        total += (1 + v) ** held * v ** (len(items) - held) - (held == len(items))
    return (total + n_fakes * fake * (1 - fake)) / n_records**2


def outcomes(
    records: Sequence[Row], n_items: int, keep: Fraction, n_fakes: int, lengths: Sequence[tuple[int, Fraction]]
) -> Iterator[tuple[Fraction, list[Row], list[Row]]]:
    """All that can be published, each with its chance: the rows, and the rows before anything was flipped."""
    made_up = [
        (share / len(list(combinations(range(n_items), length))), frozenset(row))
        for length, share in lengths
        for row in combinations(range(n_items), length)
    ]
    cells = [(at, item) for at in range(len(records) + n_fakes) for item in range(n_items)]
    for drawn in product(made_up, repeat=n_fakes):
        before = [*records, *(row for _, row in drawn)]
        chance = Fraction(1)
        for share, _ in drawn:
            chance *= share
        for flipped in product((False, True), repeat=len(cells) if keep < 1 else 0):
            rows = [set(row) for row in before]
            likely = chance
            for (at, item), flip in zip(cells, flipped, strict=False):
                likely *= 1 - keep if flip else keep
                if flip:
                    rows[at] ^= {item}
            yield likely, [frozenset(row) for row in rows], before


def mined(supports: dict[Row, tuple[float, float]], threshold: float, *, upper: bool = False) -> dict[Row, float]:
    """Sets whose estimate reaches the threshold, if the estimates (or upper limits) of all proper subsets do.

    Supports are given of all sets, as (estimate, upper limit).
    """
    kept: set[Row] = {frozenset()}
    found = {}
    for items in sorted(supports, key=len):
        if not all(items - {item} in kept for item in items):
            continue
        share, high = supports[items]
        if share >= threshold or (upper and high >= threshold):
            kept.add(items)
        if share >= threshold:
            found[items] = share
    return found
