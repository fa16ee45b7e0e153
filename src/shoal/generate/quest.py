"""Generate baskets in which some items occur together: the IBM Quest model.

Reference: R. Agrawal and R. Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994, the section
on the generation of synthetic data. The defaults are those of the data set known as T10I4D100K.

First, patterns (itemsets) are drawn; then each basket is filled with damaged copies of patterns until it has the length
that was drawn for it. All of this works on arrays, block by block: the memory does not depend on the number of baskets,
and a longer run with the same seed begins with the shorter one.

Deviations from the paper:
    * No basket and no pattern is empty: their lengths are 1 + Poisson(mean - 1).
    * As in the paper, a pattern that does not fit is put in anyway in half of the cases, and otherwise kept for the
      next basket; but the first pattern of a basket always goes in. Baskets are therefore longer than requested if the
      mean length is not well above the mean length of patterns.
    * The length of a basket is counted before items of two of its patterns are merged. Baskets are therefore shorter
      than requested if the mean length is not well below the number of items.
    * A damaged copy with no items left is not drawn at all; the paper draws it and continues.
    * Corruption levels are clipped to [0, .999]: at 1 a pattern could never occur.
    * Items are numbered by how often the patterns make them occur: the most frequent have the simplest names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.transactions import Transactions
from shoal.generate.destination import Destination, destination
from shoal.generate.words import item_words
from shoal.limits import require_number, require_whole
from shoal.randomness import generator

N_ITEMS = 1_000
_MOST_ITEMS = 10_000_000
_LEAST_LEVEL = 1e-300  # replaces 0, which has no logarithm: nothing is ever left out at this level
_BLOCK_ITEMS = 400_000  # the approximate number of item codes made at a time: they stay in the processor's cache


class QuestOptions(TypedDict, total=False):
    """The keyword options of ``quest_blocks``, which ``quest`` and ``write_quest`` pass on."""

    mean_length: float
    n_items: int
    n_patterns: int
    mean_pattern: float
    correlation: float
    corruption: float
    corruption_variance: float
    seed: int | None


def quest(n_records: int = 100_000, **options: Unpack[QuestOptions]) -> Transactions:
    """Generate baskets in memory, in which some items occur together.

    Args:
        n_records: How many baskets (the paper's D).
        mean_length: Mean number of items of a basket (T).
        n_items: How many different items there are to choose from (N); rare ones may not occur.
        n_patterns: How many patterns, which are itemsets that tend to be bought together (L).
        mean_pattern: Mean number of items of a pattern (I).
        correlation: Mean share of a pattern's items that come from the pattern before it.
        corruption: Mean corruption level: items are left out of a copy of a pattern as long as a random
            number between 0 and 1 is below the pattern's level.
        corruption_variance: Variance of the corruption level between patterns.
        seed: For experiments: equal seeds, equal baskets.

    Returns:
        Exactly ``n_records`` records, none of them empty.

    Raises:
        InputError: A number is out of its range.

    Example:
        >>> baskets = quest(500, n_items=50, n_patterns=20, seed=1)
        >>> len(baskets), baskets.n_items <= 50
        (500, True)
    """
    blocks = list(quest_blocks(n_records, **options))
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in blocks])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = np.concatenate([codes for _, codes in blocks])
    words = item_words(options.get("n_items", N_ITEMS))
    return Transactions.from_codes(offsets, codes, pa.array(words, pa.string()))


def write_quest(target: Destination, n_records: int = 100_000, **options: Unpack[QuestOptions]) -> None:
    """Write any number of generated baskets as text, one in each line, items separated by blanks (FIMI).

    The baskets are those that ``quest`` generates with the same numbers, options and seed; memory does not grow
    with them. ``target`` is a file name (an existing file is overwritten), ``-`` for standard output, or an
    open binary file; the other arguments are those of ``quest``.

    Raises:
        InputError: A number is out of its range, or the file cannot be written.

    Example:
        >>> import io
        >>> text = io.BytesIO()
        >>> write_quest(text, 3, seed=1)
        >>> len(text.getvalue().splitlines())
        3
    """
    blocks = quest_blocks(n_records, **options)
    # Every word includes a blank; the last blank of a record then becomes the end of its line.
    words = pa.array([f"{word} " for word in item_words(options.get("n_items", N_ITEMS))], pa.large_string())
    with destination(target) as file:
        for offsets, codes in blocks:
            taken = words.take(pa.array(codes))
            _, where, data = taken.buffers()
            ends = np.frombuffer(where, np.int64, len(codes) + 1)[offsets]
            text = np.frombuffer(data, np.uint8, int(ends[-1])).copy()
            text[ends[1:] - 1] = ord("\n")
            file.write(text.data)


def quest_blocks(
    n_records: int = 100_000,
    *,
    mean_length: float = 10,
    n_items: int = N_ITEMS,
    n_patterns: int = 2_000,
    mean_pattern: float = 4,
    correlation: float = 0.5,
    corruption: float = 0.5,
    corruption_variance: float = 0.1,
    seed: int | None = None,
) -> Iterator[tuple[Int64, Int32]]:
    """Generate baskets block after block, as arrays of codes into ``words.item_words(n_items)``.

    The arguments are those of ``quest``.

    Returns:
        Pairs of offsets (from 0 in each block, one more than records) and codes, ascending inside a record.

    Raises:
        InputError: A number is out of its range; raised by this call, not by the first block.

    Example:
        >>> sum(len(offsets) - 1 for offsets, codes in quest_blocks(300, seed=1))
        300
    """
    require_whole("n_records", n_records, least=1)
    require_whole("n_items", n_items, least=1, most=_MOST_ITEMS)
    require_whole("n_patterns", n_patterns, least=1)
    require_number("mean_length", mean_length, least=1, most=n_items, most_name="n_items")
    require_number("mean_pattern", mean_pattern, least=1, most=n_items, most_name="n_items")
    require_number("correlation", correlation, least=0, most=1)
    require_number("corruption", corruption, least=0, most=1)
    require_number("corruption_variance", corruption_variance, least=0, most=1)
    rng = generator(seed)
    spread = math.sqrt(corruption_variance)
    patterns = _draw_patterns(rng, n_items, n_patterns, mean_pattern, correlation, corruption, spread)
    return _fill(rng, patterns, n_records, n_items, mean_length)


@dataclass(frozen=True)
class _Patterns:
    """The itemsets that baskets are made of, and how they are drawn and damaged."""

    starts: Int64
    """Where each pattern starts in ``items``; one more entry than there are patterns."""
    items: Int64
    corruption: Float64
    nothing_left: Float64
    """The probability that damage would leave nothing: corruption to the power of the pattern's size."""
    cumulated: Float64
    """Cumulative probabilities of the patterns of non-empty copies."""

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Int64, Int64]:
        """For n damaged copies: their patterns, and how many items are left (at least one)."""
        which = np.searchsorted(self.cumulated, rng.random(n), side="right")
        # The number of items left out is geometric, truncated so that one item is left: drawn by inversion.
        nothing = self.nothing_left[which]
        uniform = 1.0 - rng.random(n) * (1.0 - nothing)
        lost = np.floor(np.log(uniform) / np.log(self.corruption[which])).astype(np.int64)
        sizes = self.starts[which + 1] - self.starts[which]
        return which, sizes - np.minimum(lost, sizes - 1)


def _draw_patterns(
    rng: np.random.Generator,
    n_items: int,
    n_patterns: int,
    mean_pattern: float,
    correlation: float,
    corruption: float,
    spread: float,
) -> _Patterns:
    sizes = np.minimum(_lengths(rng, _poisson_cumulated(mean_pattern), n_patterns), n_items)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    shares = np.minimum(rng.standard_exponential(n_patterns) * correlation, 1.0)
    weights = rng.standard_exponential(n_patterns)
    levels = np.clip(corruption + spread * rng.standard_normal(n_patterns), _LEAST_LEVEL, 0.999)

    drawn: list[Int64] = []
    previous = np.empty(0, np.int64)
    for size, share in zip(sizes.tolist(), shares.tolist(), strict=True):
        kept = rng.permutation(previous)[: round(share * size)]
        fresh = rng.choice(n_items - len(kept), size - len(kept), replace=False, shuffle=False)
        for taken in np.sort(kept).tolist():  # skip items that are in already: the others stay equally likely
            fresh += fresh >= taken
        previous = np.concatenate([kept, fresh])
        drawn.append(previous)
    items = np.concatenate(drawn)

    # A copy with nothing left is skipped; the weight of a pattern is therefore that of its other copies.
    nothing_left = levels**sizes
    chances = weights * (1.0 - nothing_left)
    cumulated = np.cumsum(chances)
    cumulated /= cumulated[-1]
    # How many items a copy keeps on average, empty copies counted: size - (c + c^2 + ... + c^size).
    kept_items = sizes - levels * (1.0 - nothing_left) / (1.0 - levels)
    frequency = np.bincount(items, np.repeat(weights * kept_items / sizes, sizes), minlength=n_items)
    rank = np.empty(n_items, np.int64)
    rank[np.argsort(-frequency, kind="stable")] = np.arange(n_items)
    return _Patterns(starts, rank[items], levels, nothing_left, cumulated)


def _fill(
    rng: np.random.Generator, patterns: _Patterns, n_records: int, n_items: int, mean_length: float
) -> Iterator[tuple[Int64, Int32]]:
    """Fill baskets with damaged copies.

    A basket takes consecutive copies of an endless sequence, so its first copy determines it. Each copy gets a
    length and a coin, in case a basket starts with it: the end of that basket can be computed for all copies
    together, and the real baskets are found by going from the end of one to the next.
    """
    length_table = _poisson_cumulated(mean_length)
    per_block = max(_BLOCK_ITEMS * (len(patterns.starts) - 1) // len(patterns.items), 1)
    which = left = wanted = np.empty(0, np.int64)
    anyway = np.empty(0, bool)
    while n_records:
        new_which, new_left = patterns.draw(rng, per_block)
        which, left = np.concatenate([which, new_which]), np.concatenate([left, new_left])
        wanted = np.concatenate([wanted, _lengths(rng, length_table, per_block)])
        anyway = np.concatenate([anyway, rng.random(per_block) < 0.5])
        bounds = _bounds(left, wanted, anyway)
        used = int(bounds[-1])
        if used:
            bases = np.arange(len(bounds)) * n_items
            keys = _pick(rng, patterns, which[:used], left[:used], np.repeat(bases[:-1], np.diff(bounds)))
            keys.sort()
            keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
            # Cut to the requested number only now: the draws above must not depend on it.
            offsets = np.searchsorted(keys, bases)[: n_records + 1]
            codes = keys[: offsets[-1]] - np.repeat(bases[: len(offsets) - 1], np.diff(offsets))
            n_records -= len(offsets) - 1
            yield offsets.astype(np.int64), codes.astype(np.int32)
        which, left, wanted, anyway = which[used:], left[used:], wanted[used:], anyway[used:]


def _bounds(left: Int64, wanted: Int64, anyway: Bools) -> Int64:
    """Where baskets start in the sequence of copies, and the end of the last one that is known to be complete."""
    n = len(left)
    filled = np.cumsum(left)
    goal = filled - left + wanted
    last = np.searchsorted(filled, goal)  # the copy with which the goal is reached or passed
    complete = last < n
    fits = filled[np.minimum(last, n - 1)] == goal
    # The first copy always goes in: no basket is empty, and each ends after it starts.
    after = np.maximum(last + (fits | anyway), np.arange(1, n + 1))
    jump = np.append(np.where(complete, after, n + 1), [n + 1, n + 1])
    # Doubling: `jump` goes 1, 2, 4, ... baskets ahead, `bounds` holds the first 1, 2, 4, ...
    bounds = np.zeros(1, np.int64)
    while bounds[-1] <= n:
        bounds = np.concatenate([bounds, jump[bounds]])
        jump = jump[jump]
    return bounds[bounds <= n]


def _pick(rng: np.random.Generator, patterns: _Patterns, which: Int64, left: Int64, base: Int64) -> Int64:
    """Choose which items of each copy are left, every subset equally likely; returns base + item, unordered.

    Place after place, an item is taken with the probability (items to take) / (places left).
    """
    place = patterns.starts[which]
    to_come = patterns.starts[which + 1] - place
    to_take = left
    picked: list[Int64] = []
    while len(place):
        take = rng.random(len(place)) * to_come < to_take
        picked.append(base[take] + patterns.items[place[take]])
        to_take = to_take - take
        going_on = np.flatnonzero(to_take)
        place, to_come = place[going_on] + 1, to_come[going_on] - 1
        to_take, base = to_take[going_on], base[going_on]
    return np.concatenate(picked)


def _poisson_cumulated(mean: float) -> Float64:
    """Cumulative probabilities of 0, 1, 2, ... for a Poisson number with mean ``mean - 1``."""
    rate = mean - 1.0
    if rate == 0:
        return np.ones(1)
    reach = np.arange(math.ceil(rate + 10 * math.sqrt(rate) + 30))
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(reach[1:]))])
    return np.cumsum(np.exp(reach * math.log(rate) - rate - log_factorials))


def _lengths(rng: np.random.Generator, cumulated: Float64, n: int) -> Int64:
    """Draw lengths of 1 + Poisson; by inversion, because the streams of NumPy's own Poisson may change."""
    # The last entry is not searched: rounding may make it less than 1.
    return 1 + np.searchsorted(cumulated[:-1], rng.random(n), side="right")
