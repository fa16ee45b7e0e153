"""Chances of reconstruction and spreads of estimates, by looking at every case: Bayes' rule and nothing else."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product


def round_trip(value: int, support: Fraction, keep: Fraction) -> Fraction:
    """A bit is published, and guessed back at random, with the chances that the published bit leaves by Bayes' rule."""
    prior = {1: support, 0: 1 - support}
    total = Fraction(0)
    for shown in (0, 1):
        chance = {bit: keep if bit == shown else 1 - keep for bit in (0, 1)}
        evidence = sum(prior[bit] * chance[bit] for bit in (0, 1))
        if evidence:
            total += chance[value] * prior[value] * chance[value] / evidence
    return total


def mean_round_trip(value: int, supports: list[Fraction], keep: Fraction) -> Fraction:
    """The mean over all bits of that value: items have as many ones as records that hold them."""
    weights = [support if value else 1 - support for support in supports]
    trips = [round_trip(value, support, keep) for support in supports]
    return sum((w * t for w, t in zip(weights, trips, strict=True)), Fraction(0)) / sum(weights)


def picked(records: int, fakes: Fraction, filtered: Fraction = Fraction(0)) -> Fraction:
    """The mean chance that the next row that is picked is real, while all real ones are picked, one after the other."""
    left = (1 - filtered) * fakes * records
    chances = [Fraction(real) / (left + real) for real in range(records, 0, -1)]
    return sum(chances, Fraction(0)) / records


def _weights(bits: tuple[int, ...], keep: Fraction) -> tuple[Fraction, Fraction]:
    """The mean and the mean square of the product of undone bits, over all ways to flip these."""
    mean = square = Fraction(0)
    for flips in product((0, 1), repeat=len(bits)):
        chance, weight = Fraction(1), Fraction(1)
        for bit, flip in zip(bits, flips, strict=True):
            chance *= 1 - keep if flip else keep
            weight *= ((bit ^ flip) - (1 - keep)) / (2 * keep - 1)
        mean += chance * weight
        square += chance * weight * weight
    return mean, square


def variance(
    rows: list[tuple[int, ...]], keep: Fraction, n_fakes: int, lengths: dict[int, Fraction], n_items: int
) -> Fraction:
    """The variance of the estimated support of the first items, given real rows (their bits of these items)."""
    size = len(rows[0])
    total = Fraction(0)
    for row in rows:
        mean, square = _weights(row, keep)
        total += square - mean * mean
    if n_fakes:
        mean = square = Fraction(0)
        for length, share in lengths.items():
            drawn = list(combinations(range(n_items), length))
            for items in drawn:
                one = _weights(tuple(int(item in items) for item in range(size)), keep)
                mean += share * one[0] / len(drawn)
                square += share * one[1] / len(drawn)
        total += n_fakes * (square - mean * mean)
    return total / len(rows) ** 2
