"""Flipping items and making rows up, by the definitions: cell after cell, with exact fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def thresholds(keep_prob: float, number: int) -> list[Fraction]:
    """The chance that one of the first 1, 2, ... cells is flipped."""
    keep = Fraction(keep_prob)
    return [1 - keep**cells for cells in range(1, number + 1)]


def flipped_cells(numbers: list[int], bounds: list[int], n_cells: int) -> list[int]:
    """Which cells are flipped: each number says how many cells stay, until the cells are used up."""
    flips, cell = [], 0
    for number in numbers:
        gap = sum(bound <= number for bound in bounds)
        cell += gap
        if cell >= n_cells:
            return flips
        if gap < len(bounds):
            flips.append(cell)
            cell += 1
    raise AssertionError("not enough numbers")


def flipped_rows(rows: list[set[int]], n_items: int, flips: list[int]) -> list[set[int]]:
    """Rows after flipping cells, which are counted row by row."""
    turned = [set(row) for row in rows]
    for cell in flips:
        turned[cell // n_items] ^= {cell % n_items}
    return turned


def subset(size: int, of: int, numbers: list[int]) -> set[int]:
    """Floyd's random subset of the numbers below ``of``."""
    chosen: set[int] = set()
    for candidate, number in zip(range(of - size, of), numbers, strict=True):
        drawn = number % (candidate + 1)
        chosen.add(candidate if drawn in chosen else drawn)
    return chosen


def fake_share(size: int, n_items: int, lengths: list[tuple[int, float]]) -> Fraction:
    """The chance that a made-up row holds ``size`` given items."""
    shares = [(length, Fraction(share)) for length, share in lengths]
    holding = sum(
        share * comb(n_items - size, length - size) / comb(n_items, length)
        for length, share in shares
        if length >= size
    )
    return holding / sum(share for _, share in shares)
