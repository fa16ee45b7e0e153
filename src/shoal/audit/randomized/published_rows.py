"""How often items and lengths occur in the rows of a randomized release, compared with the promised chances.

Rows are independent of each other, given the original, and real ones have individual chances: their expectation is
bounded from the folder alone, and known with the original. Fake transactions all have the same chances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.audit.budget import Budget
from shoal.audit.tail_bounds import FALSE_ALARM, IN_WORDS, too_few, too_many
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, item_name
from shoal.data.arrays import Float64, Int64
from shoal.promises import Randomization
from shoal.release.randomized import Randomized

_MOST_WORK = 1e9
"""The limit on computing the chances of lengths, in about a quarter of the products."""
_NEGLIGIBLE = 140.0
"""Chances below e to the power of minus this count as zero."""
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Bounds:
    """The expected number of real rows: at least, and at most."""

    least: Float64
    most: Float64


@dataclass(frozen=True, eq=False)
class Lengths:
    """How many real rows are expected to have 0, 1, ... items; at most how many have so many or fewer; and more."""

    exactly: Bounds
    up_to: Float64
    above: Float64


def count_items(release: Randomized) -> Int64:
    """How many rows hold each item."""
    counts = np.zeros(release.n_items, np.int64)
    for first in range(0, len(release.items), _BLOCK):  # by blocks: counting casts its input
        counts += np.bincount(release.items[first : first + _BLOCK], minlength=release.n_items)
    return counts


def item_chance(promise: Randomization, n_items: int) -> float:
    """The chance that a given item is in a fake transaction as published."""
    share = sum(length * share for length, share in promise.fake_lengths) / n_items
    return 1 - promise.keep_prob + (2 * promise.keep_prob - 1) * share


def length_chances(shares: dict[int, float], n_items: int, keep_prob: float) -> Float64:
    """The chances of 0, 1, ... items in a published row whose lengths before flips have these shares.

    Raises:
        OutOfBudget: There are too many lengths of too many items.

    Example:
        >>> length_chances({1: 1.0}, 2, 0.75).round(4).tolist()
        [0.1875, 0.625, 0.1875]
    """
    chances = np.zeros(n_items + 1)
    if keep_prob == 1:
        chances[list(shares)] = list(shares.values())
        return chances
    lengths = np.array(list(shares), np.int64)
    Budget(_MOST_WORK).spend(float(_window(lengths, keep_prob) @ _window(n_items - lengths, keep_prob)))
    for length, share in shares.items():
        kept, start = _binomial(length, keep_prob)
        put, put_start = _binomial(n_items - length, 1 - keep_prob)
        both = np.convolve(kept, put)
        chances[start + put_start : start + put_start + len(both)] += share * both
    return chances


def _window(trials: Int64, p: float) -> Float64:
    """The distance from the mean that successes keep except with a negligible chance (Bernstein's inequality)."""
    third = _NEGLIGIBLE / 3
    reach: Float64 = np.ceil(third + np.sqrt(third**2 + 2 * _NEGLIGIBLE * trials * p * (1 - p)))
    return np.minimum(trials, reach) + 1.0


def _binomial(n: int, p: float) -> tuple[Float64, int]:
    """The non-negligible chances of successes in n trials, and the number of successes of the first."""
    reach = int(_window(np.array([n]), p)[0])
    mode = min(int((n + 1) * p), n)
    first, last = max(mode - reach, 0), min(mode + reach, n)
    k = np.arange(first + 1, last + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k) + np.log(p) - np.log1p(-p))])
    chances = np.exp(logs - logs.max())
    return chances / chances.sum(), first


def lengths_from_folder(release: Randomized) -> Lengths:
    """Real rows without the original: they had an item, and no more than there are, or are allowed."""
    n, keep, real = release.n_items, release.promise.keep_prob, release.n_records
    longest = n if release.privacy is None else min(n, release.privacy.max_basket)
    shortest_rows = real * length_chances({1: 1.0}, n, keep)
    longest_rows = real * length_chances({longest: 1.0}, n, keep)
    some = Bounds(np.zeros(n + 1), np.full(n + 1, float(real)))
    return Lengths(some, up_to(shortest_rows), above(longest_rows))


def lengths_from_counts(counts: Int64, release: Randomized) -> Lengths:
    """The expectation of real rows, of which so many had 0, 1, ... items before flips."""
    shares = {int(length): float(counts[length]) for length in np.flatnonzero(counts)}
    expected = length_chances(shares, release.n_items, release.promise.keep_prob)
    return Lengths(Bounds(expected, expected), up_to(expected), above(expected))


def up_to(chances: npt.NDArray[Any]) -> Float64:
    """How many have so many items or fewer."""
    return np.cumsum(chances).astype(np.float64)


def above(chances: npt.NDArray[Any]) -> Float64:
    """How many have more items; summed from the end, where the numbers are small."""
    return np.append(np.cumsum(chances[::-1])[::-1][1:], 0).astype(np.float64)


def check_items(release: Randomized, counts: Int64, real: Bounds, name: str, what: str) -> Check:
    """Every item is in no fewer and no more rows than chance explains."""
    chance = item_chance(release.promise, release.n_items)
    few = too_few(*_against(release, counts, real.least, chance))
    many = too_many(*_against(release, counts, real.most, chance))
    witness = None
    unlikely = np.minimum(few, many)
    failing = np.flatnonzero(unlikely * 2 * release.n_items < FALSE_ALARM)
    if len(failing):
        at = int(failing[np.argmin(unlikely[failing])])
        low, high = (_expected(release, bound[at], chance) for bound in (real.least, real.most))
        witness = (
            f"{item_name(release.vocabulary, at)} is in {counts[at]:,} of {release.n_rows:,} rows, and "
            f"{_range(low, high)} are expected: the chance of so {'few' if few[at] < many[at] else 'many'} is "
            f"{_below(unlikely[at])}" + and_more(len(failing) - 1, "items")
        )
    return decided(name, f"{what} ({IN_WORDS})", release.n_items, witness)


def check_lengths(release: Randomized, real: Lengths, name: str, what: str) -> Check:
    """No length, range of lengths up to it, or range above it has fewer or more rows than chance explains."""
    n = release.n_items
    fake = length_chances(dict(release.promise.fake_lengths), n, release.promise.keep_prob)
    counts = np.bincount(release.lengths, minlength=n + 1).astype(np.int64)
    tests = {
        ("have {} items", "few"): (counts, real.exactly.least, fake),
        ("have {} items", "many"): (counts, real.exactly.most, fake),
        ("have at most {} items", "many"): (up_to(counts), real.up_to, up_to(fake)),
        ("have more than {} items", "many"): (above(counts), real.above, above(fake)),
    }
    bounds = {
        (kind, side): (too_few if side == "few" else too_many)(*_against(release, *test))
        for (kind, side), test in tests.items()
    }
    worst = min(bounds, key=lambda test: float(bounds[test].min()))
    at = int(np.argmin(bounds[worst]))
    witness = None
    if bounds[worst][at] * len(tests) * (n + 1) < FALSE_ALARM:
        found, expected, chance = (float(part[at]) for part in tests[worst])
        witness = (
            f"{int(found):,} of {release.n_rows:,} rows {worst[0].format(f'{at:,}')}, and at "
            f"{'least' if worst[1] == 'few' else 'most'} {_number(_expected(release, expected, chance))} are expected: "
            f"the chance of so {worst[1]} is {_below(float(bounds[worst][at]))}"
        )
    return decided(name, f"{what} ({IN_WORDS})", n + 1, witness)


def _against(
    release: Randomized, counts: npt.NDArray[Any], real: Float64, fake: Float64 | float
) -> tuple[npt.NDArray[Any], int, npt.NDArray[Any]]:
    """Counts, the number of trials, and their mean chance; certain contributions of real rows are subtracted first."""
    if release.promise.keep_prob == 1:
        return counts - np.rint(real), release.n_fakes, np.asarray(fake)
    return counts, release.n_rows, (real + release.n_fakes * np.asarray(fake)) / release.n_rows


def _expected(release: Randomized, real: float, chance: float) -> float:
    return real + release.n_fakes * chance


def _range(low: float, high: float) -> str:
    return _number(low) if low == high else f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _below(chance: float) -> str:
    return f"below {max(chance, 1e-300):.0e}"
