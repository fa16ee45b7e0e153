"""In what share of the records given items are, estimated from a randomized release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from shoal.analyse.randomized.estimates import Chance, Estimate, Estimates, classes_of, level_sums
from shoal.data.arrays import Int32, Int64
from shoal.data.transactions import codes_of
from shoal.errors import Infeasible, InputError
from shoal.kernels.compiling import announced
from shoal.mining.occurrences import occurrences
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run

MOST_ITEMS = 20
"""More flipped items cannot be undone together: no release has the rows for it, and sums would not fit a number."""
MOST_SUBSETS = 20_000_000


def estimated_support(release: Randomized, items: Iterable[str]) -> Estimate:
    """In what share of the records of the original all of the items are, with its standard error and an interval.

    Args:
        release: what was published.
        items: the items that a record must hold.

    Raises:
        InputError: an item is not in the release, or nothing is asked.

    Example:
        >>> import shoal
        >>> again = shoal.Run(chance=1)
        >>> release = shoal.fakes(shoal.read([{"tea", "milk"}] * 4 + [{"tea"}]), fakes=1, fake_length=1, run=again)
        >>> estimated_support(release, {"tea", "milk"})
        Estimate(estimate=0.8, error=0.0, low=0.8, high=0.8)
    """
    return estimated_supports(release, [items])[0]


def estimated_supports(
    release: Randomized,
    itemsets: Iterable[Iterable[str]],
    *,
    run: Run = DEFAULT_RUN,
) -> Estimates:
    """The same for many itemsets at once.

    ``run`` says how it runs (:class:`shoal.Run`).
    """
    wanted = [sorted(frozenset(items)) for items in itemsets]
    offsets = np.concatenate([[0], np.cumsum([len(items) for items in wanted])]).astype(np.int64)
    codes = codes_of(release.vocabulary, [name for items in wanted for name in items], "the release")
    return estimate(release, offsets, codes, run=run)


def estimate(
    release: Randomized,
    offsets: Int64,
    items: Int32,
    *,
    run: Run = DEFAULT_RUN,
) -> Estimates:
    """The same for itemsets of codes: itemset i is ``items[offsets[i]:offsets[i + 1]]``, in which none comes twice.

    Each set and each of its subsets is counted once, however many itemsets have it; without flips, the sets alone.

    Raises:
        InputError: an itemset is empty, or has too many items to undo flips.
        Infeasible: together they have too many subsets.
    """
    sizes = np.diff(offsets)
    chance = Chance.of(release)
    most = MOST_ITEMS if chance.depth is None else release.n_items
    if len(sizes) and not 1 <= sizes.min() <= sizes.max() <= most:
        raise InputError(f"each query must name 1 to {most:,} items, not {sizes.min():,} or {sizes.max():,}")
    asked = {
        int(size): np.sort(items[offsets[:-1][sizes == size][:, None] + np.arange(size)], axis=1)
        for size in np.unique(sizes)
    }
    found = [np.empty(len(sizes)) for _ in range(4)]
    for size, answers, number in _level_by_level(release, chance, asked, run):
        at = np.flatnonzero(sizes == size)
        for column, values in zip(found, (answers.estimate, answers.error, answers.low, answers.high), strict=True):
            column[at] = values[number]
    return Estimates(*found)


class _Asked(NamedTuple):
    """The sets of one size that must be counted, in lexicographic order."""

    sets: Int32
    numbers: Int64
    """Which of them was asked for, for each question of this size."""
    without: Int64
    """For each set and each of its items, the number of the set of the level below without it."""


def _level_by_level(
    release: Randomized, chance: Chance, asked: dict[int, Int32], run: Run
) -> Iterator[tuple[int, Estimates, Int64]]:
    """For each size, estimates of the sets of this size, and which of them was asked for."""
    levels = _closed(asked, chance.depth)
    codes = np.unique(np.concatenate([np.empty(0, np.int32), *(sets.ravel() for sets in asked.values())]))
    if not len(codes):
        return
    with announced(lambda: run.report("compile", 0, 1)):
        rows = occurrences(release.offsets, release.items, release.supports, codes)
        sums = np.full((1, 1), release.n_rows, np.int64)
        for size, level in sorted(levels.items()):
            counts = rows.count(level.sets, run)
            sums = level_sums(counts, level.without, sums, chance.depth)
            yield size, chance.estimates(classes_of(sums, size), size), level.numbers


def _closed(asked: dict[int, Int32], depth: int | None) -> dict[int, _Asked]:
    """The sets that were asked for, and all of their subsets unless sets alone are enough, by size."""
    levels: dict[int, _Asked] = {}
    for size in range(max(asked, default=0), 0, -1):
        wanted = asked.get(size, np.empty((0, size), np.int32))
        above = levels.get(size + 1) if depth is None else None
        subsets = _subsets(above.sets) if above else wanted[:0]
        sets, numbers = _distinct(np.concatenate([wanted, subsets]))
        if above:
            levels[size + 1] = above._replace(without=numbers[len(wanted) :].reshape(above.sets.shape))
        # Without one of its items, a set of one item is the empty set, of which there is one.
        levels[size] = _Asked(sets, numbers[: len(wanted)], np.zeros(sets.shape, np.int64))
    return {size: level for size, level in levels.items() if len(level.sets)}


def _subsets(sets: Int32) -> Int32:
    """All sets without one of their items, set after set."""
    if sets.size > MOST_SUBSETS:
        raise Infeasible(
            f"these itemsets have more than {MOST_SUBSETS:,} subsets of {sets.shape[1] - 1} items: ask for fewer at a "
            "time, or for shorter ones"
        )
    left = [np.delete(sets, place, axis=1) for place in range(sets.shape[1])]
    return np.stack(left, axis=1).reshape(-1, sets.shape[1] - 1)


def _distinct(sets: Int32) -> tuple[Int32, Int64]:
    """The different ones in lexicographic order, and which of them each one is."""
    order = np.lexsort(sets.T[::-1])
    inorder = sets[order]
    new = np.ones(len(sets), bool)
    new[1:] = np.any(inorder[1:] != inorder[:-1], axis=1)
    numbers = np.empty(len(sets), np.int64)
    numbers[order] = np.cumsum(new) - 1
    return inorder[new], numbers
