"""Count every itemset of up to m items in every chunk, exactly.

Terrovitis et al., VLDB 2012, sections 2-3: a chunk is k^m-anonymous if every combination of at most m of its items that
occurs in it occurs in at least k of its subrecords.

Three facts keep the work small without any approximation. A distinct subrecord that occurs k times settles all its
itemsets, so a chunk of such subrecords needs no counting. An itemset of a chunk with d items has a number below C(d, j)
(its rank in the combinatorial number system), so most chunks are counted in one table, many chunks together. A chunk
with too many itemsets for that is settled by the few sets of subrecords that they occur in (`km_masks`), or searched if
it has many different subrecords (`km_wide`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.km_masks import MAX_ROWS, settle
from shoal.audit.disassociated.subrecords import Bags
from shoal.data.arrays import Bools, Float64, Int32, Int64


@dataclass(frozen=True)
class Limits:
    """How much work and memory one audit may take."""

    chunk_itemsets: int = 50_000
    """A chunk with more occurrences of itemsets than this is settled by masks or searched, not enumerated."""
    block_itemsets: int = 500_000
    """How many occurrences of itemsets are held in memory at a time."""
    table_cells: int = 4_000_000
    """The largest table of counters; beyond it, keys are sorted."""
    total_itemsets: int = 400_000_000
    """How many occurrences of itemsets may be enumerated in all."""
    search_work: int = 6_000_000_000
    """How many matrix cells the search of wide chunks may touch in all."""

    @classmethod
    def for_release(cls, n_chunks: int, n_occurrences: int) -> Limits:
        """The limits for a release of some size: the work may grow with the size, but not faster."""
        least = cls()
        return cls(
            total_itemsets=max(least.total_itemsets, 100 * n_occurrences),
            search_work=max(least.search_work, 1_000_000 * n_chunks),
        )


@dataclass(frozen=True)
class TooFew:
    """An itemset that occurs, but in fewer than k subrecords of its chunk."""

    chunk: int
    items: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class Counted:
    """The outcome: if nothing was found and nothing refused, every chunk is k^m-anonymous."""

    found: TooFew | None = None
    refused: str | None = None


_RANK_LIMIT = float(2**40)


def count_itemsets(bags: Bags, domains: Domains, wanted: Bools, k: int, m: int, limits: Limits) -> Counted:
    """Look in the chunks with the flag for an itemset of 1..m items that occurs fewer than k times."""
    # No subrecord has more items, and no chunk more subrecords: larger k and m change nothing, and would overflow.
    lengths = bags.lengths
    k, m = min(k, 2**62), min(m, int(lengths.max(initial=1)))
    single = np.flatnonzero((domains.support < k) & wanted[domains.chunk])
    if len(single):
        entry = int(single[0])
        item, count = int(domains.item[entry]), int(domains.support[entry])
        return Counted(TooFew(int(domains.chunk[entry]), (item,), count))
    # An itemset below k is only in subrecords that occur fewer than k times; single items were counted above.
    suspect = np.zeros(len(wanted), bool)
    suspect[bags.chunk[(bags.weight < k) & (lengths > 1)]] = True
    suspect &= wanted
    if m == 1 or not suspect.any():
        return Counted()
    rows = np.flatnonzero(suspect[bags.chunk] & (lengths > 1))
    work = np.bincount(
        bags.chunk[rows], weights=_work_by_length(lengths, m)[lengths[rows]], minlength=len(wanted)
    ).astype(np.float64)
    wide = suspect & ((work > limits.chunk_itemsets) | ~_ranks_fit(bags, domains, rows, work, m, limits))
    planned = np.cumsum(np.where(suspect & ~wide, work, 0.0))
    beyond = np.flatnonzero(suspect & ~wide & (planned > limits.total_itemsets))
    if len(beyond):
        suspect[beyond] = False
    rows = rows[(suspect & ~wide)[bags.chunk[rows]]]
    for size in range(2, int(min(m, lengths[rows].max(initial=0))) + 1):
        found = _count_size(bags, domains, rows[lengths[rows] >= size], size, k, limits)
        if found is not None:
            return Counted(found)
    if wide.any():
        searched = _search(bags, domains, np.flatnonzero(wide), k, m, limits)
        if searched.found is not None or searched.refused is not None:
            return searched
    if len(beyond):
        total = float(planned[-1])
        return Counted(
            refused=f"{len(beyond):,} chunks from chunk {int(beyond[0])} on; with m = {m} all chunks together have "
            f"{total:.1e} occurrences of itemsets, and at most {limits.total_itemsets:,} are counted"
        )
    return Counted()


def itemsets_of(length: int, m: int) -> float:
    """How many itemsets of 2..m items a subrecord has; counting stops at 1e18."""
    total, term = 0.0, float(length)
    for size in range(2, min(m, length) + 1):
        term = term * (length - size + 1) / size
        total += term
        if total > 1e18:
            return 1e18
    return total


def _work_by_length(lengths: Int64, m: int) -> Float64:
    present = np.flatnonzero(np.bincount(lengths))
    table = np.zeros(int(present[-1]) + 1)
    table[present] = [itemsets_of(length, m) for length in present.tolist()]
    return table


def _ranks_fit(bags: Bags, domains: Domains, rows: Int64, work: Float64, m: int, limits: Limits) -> Bools:
    """Whether the combinations of a chunk's domain can be numbered in 40 bits (true except for extreme domains)."""
    longest = np.zeros(len(work), np.int64)
    np.maximum.at(longest, bags.chunk[rows], np.minimum(bags.lengths[rows], m))
    longest[work > limits.chunk_itemsets] = 0
    size = np.diff(domains.offsets)
    ranks = np.ones(len(work))
    for step in range(int(longest.max(initial=0))):
        ranks = np.where(step < longest, ranks * np.maximum(size - step, 1) / (step + 1), ranks)
    return ranks < _RANK_LIMIT


def _count_size(bags: Bags, domains: Domains, rows: Int64, size: int, k: int, limits: Limits) -> TooFew | None:
    """Count the itemsets of one size, a block of chunks at a time."""
    if len(rows) == 0:
        return None
    lengths = bags.lengths
    chunk = bags.chunk[rows]
    table = np.zeros(int(lengths[rows].max()) + 1)
    table[size:] = [math.comb(length, size) for length in range(size, len(table))]
    new_chunk = np.flatnonzero(np.diff(chunk, prepend=-1))
    done = np.cumsum(table[lengths[rows]])
    last_of_chunk = np.append(new_chunk[1:], len(rows)) - 1
    block = done[last_of_chunk] // limits.block_itemsets
    edges = np.append(new_chunk[np.flatnonzero(np.diff(block, prepend=-1.0))], len(rows))
    largest = int(np.diff(domains.offsets)[chunk].max())
    places = [_binomials(largest, step + 1) for step in range(size)]
    for start, end in itertools.pairwise(edges.tolist()):
        found = _count_block(bags, domains, rows[start:end], size, k, places, limits)
        if found is not None:
            return found
    return None


def _count_block(
    bags: Bags, domains: Domains, rows: Int64, size: int, k: int, places: list[Int64], limits: Limits
) -> TooFew | None:
    chunk = bags.chunk[rows]
    new_chunk = np.diff(chunk, prepend=-1) != 0
    chunks = chunk[new_chunk]
    cells = _choose(np.diff(domains.offsets)[chunks], places)
    start_of = np.cumsum(cells) - cells
    base = start_of[np.cumsum(new_chunk) - 1]
    keys, weights = _keys(bags, domains, rows, base, size, places)
    n_cells = int(cells.sum())
    if n_cells <= min(limits.table_cells, max(8 * len(keys), 1_000_000)):
        counts = np.bincount(keys, weights=weights, minlength=n_cells)
        few = np.flatnonzero((counts < k) & (counts > 0))
        key, count = (int(few[0]), int(counts[few[0]])) if len(few) else (-1, 0)
    else:
        order = np.argsort(keys)
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.add.reduceat(weights[order], first)
        few = np.flatnonzero(counts < k)
        key, count = (int(keys[first[few[0]]]), int(counts[few[0]])) if len(few) else (-1, 0)
    if key < 0:
        return None
    at = int(np.searchsorted(start_of, key, side="right")) - 1
    members = _combination(key - int(start_of[at]), size, places)
    domain = domains.item[int(domains.offsets[chunks[at]]) :]
    return TooFew(int(chunks[at]), tuple(int(domain[member]) for member in members), count)


def _keys(
    bags: Bags, domains: Domains, rows: Int64, base: Int64, size: int, places: list[Int64]
) -> tuple[Int64, Float64]:
    """The number of each itemset of each subrecord, and how often that subrecord occurs."""
    lengths = bags.lengths[rows]
    keys: list[Int64] = []
    weights: list[Float64] = []
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        alike = np.flatnonzero(lengths == length)
        local = domains.local[bags.offsets[rows[alike]][:, None] + np.arange(length)]
        chosen = _combinations(length, size)
        key = base[alike][:, None] + places[0][local][:, chosen[0]]
        for step in range(1, size):
            key += places[step][local][:, chosen[step]]
        keys.append(key.ravel())
        weights.append(np.repeat(bags.weight[rows[alike]].astype(np.float64), key.shape[1]))
    return np.concatenate(keys), np.concatenate(weights)


def _combinations(length: int, size: int) -> Int32:
    """All ascending choices of ``size`` out of ``length`` places, one choice a column."""
    chosen = np.arange(length, dtype=np.int32)[None, :]
    for step in range(1, size):
        # Extend every choice by each later place that leaves room for the rest.
        last = chosen[-1]
        room = np.maximum(length - (size - 1 - step) - 1 - last, 0)
        start = np.cumsum(room) - room
        later = np.arange(int(room.sum())) - np.repeat(start, room) + np.repeat(last, room) + 1
        chosen = np.concatenate([np.repeat(chosen, room, axis=1), later[None, :].astype(np.int32)])
    return chosen


def _binomials(count: int, size: int) -> Int64:
    """C(x, size) for x = 0..count; entries that could not be used (beyond 2^62) are cut there."""
    return np.array([min(math.comb(x, size), 2**62) for x in range(count + 1)], np.int64)


def _choose(domain_size: Int64, places: list[Int64]) -> Int64:
    cells: Int64 = places[-1][domain_size]
    return cells


def _combination(rank: int, size: int, places: list[Int64]) -> list[int]:
    """The ascending combination with a given number."""
    members: list[int] = []
    for step in range(size - 1, -1, -1):
        member = int(np.searchsorted(places[step], rank, side="right")) - 1
        members.append(member)
        rank -= int(places[step][member])
    return members[::-1]


def _search(bags: Bags, domains: Domains, chunks: Int64, k: int, m: int, limits: Limits) -> Counted:
    """Settle or search the wide chunks one after the other, out of one budget."""
    budget = Budget(limits.search_work)
    for chunk in chunks.tolist():
        start, end = (int(place) for place in np.searchsorted(bags.chunk, [chunk, chunk + 1]))
        offsets = bags.offsets[start : end + 1]
        local = domains.local[offsets[0] : offsets[-1]]
        first, last = int(domains.offsets[chunk]), int(domains.offsets[chunk + 1])
        try:
            found = _way(end - start)(offsets - offsets[0], local, last - first, bags.weight[start:end], k, m, budget)
        except OutOfBudget:
            longest = int(np.diff(offsets).max())
            sets = itemsets_of(longest, m)
            many = f"{sets:.1e}" if sets < 1e18 else "more than 1e18"
            return Counted(
                refused=f"chunk {chunk} has {end - start:,} different subrecords, the longest with {longest:,} items; "
                f"with m = {m} that one alone has {many} itemsets, and the search used up its work limit"
            )
        if found is not None:
            members, count = found
            return Counted(TooFew(chunk, tuple(int(domains.item[first + member]) for member in members), count))
    return Counted()


def _way(rows: int) -> Callable[[Int64, Int32, int, Int64, int, int, Budget], tuple[list[int], int] | None]:
    """By masks if a chunk has few different subrecords, else by search."""
    if rows <= MAX_ROWS:
        return settle
    from shoal.audit.disassociated.km_wide import search  # SciPy loads only when it is needed

    return search
