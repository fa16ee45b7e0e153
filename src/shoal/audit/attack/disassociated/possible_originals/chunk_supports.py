"""The smallest support in each chunk of a set of up to M items that occurs there.

Terrovitis et al., VLDB 2012, section 2 (k^m-anonymity), as a number for each chunk instead of one verdict for all: an
adversary who knows more than m items finds smaller supports, and these are needed for each chunk. A set of items that
occurs fewer than k times is in subrecords that do, and occurs at least as often as each of them.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.disassociated import km_wide
from shoal.audit.disassociated.km import Limits, itemsets_of
from shoal.audit.disassociated.km_masks import MAX_ROWS, settle
from shoal.data.arrays import Bools, Float64, Int64

_KEYS = float(2**62)
"""The keys of one block must fit into a machine word."""


def smallest_supports(trees: Trees, wanted: Bools, most: int, most_known: int, limits: Limits) -> Int64:
    """The smallest support of a set of 1..``most_known`` items that occurs in each chunk, capped at ``most``.

    Args:
        trees: The release.
        wanted: Which chunks to look at; the others get ``most``.
        most: Supports from here on need not be distinguished.
        most_known: The largest size of a set.
        limits: How much may be counted.

    Returns:
        One number for each chunk; zero where counting would have been too much work.
    """
    bags, domains, lengths = trees.bags, trees.domains, trees.bags.lengths
    smallest = np.full(trees.release.n_chunks, most, np.int64)
    np.minimum.at(smallest, domains.chunk, domains.support)
    smallest[~wanted] = most
    most_known = min(most_known, int(lengths.max(initial=1)))
    light = (bags.weight < smallest[bags.chunk]) & (lengths > 1) & wanted[bags.chunk]
    suspect = np.zeros(trees.release.n_chunks, bool)
    suspect[bags.chunk[light]] = True
    if most_known == 1 or not suspect.any():
        return smallest
    rows = np.flatnonzero(suspect[bags.chunk] & (lengths > 1))
    work = _work(trees, rows, most_known)
    wide = suspect & ((work > limits.chunk_itemsets) | (_cells(trees, most_known) > _KEYS / limits.block_itemsets))
    refused = suspect & ~wide & (np.cumsum(np.where(suspect & ~wide, work, 0.0)) > limits.total_itemsets)
    rows = rows[(suspect & ~wide & ~refused)[bags.chunk[rows]]]
    for size in range(2, most_known + 1):
        rows = rows[lengths[rows] >= size]
        _count(trees, rows, size, smallest, limits.block_itemsets)
    smallest[refused] = 0
    budget = Budget(limits.search_work)
    for chunk in np.flatnonzero(wide).tolist():
        smallest[chunk] = _searched(trees, chunk, int(smallest[chunk]), most_known, budget)
    return smallest


def _work(trees: Trees, rows: Int64, most_known: int) -> Float64:
    """How many occurrences of itemsets each chunk has."""
    lengths = trees.bags.lengths[rows]
    table = np.zeros(int(lengths.max(initial=0)) + 1)
    present = np.flatnonzero(np.bincount(lengths))
    table[present] = [itemsets_of(length, most_known) for length in present.tolist()]
    work = np.bincount(trees.bags.chunk[rows], weights=table[lengths], minlength=trees.release.n_chunks)
    return work.astype(np.float64)


def _cells(trees: Trees, most_known: int) -> Float64:
    """How many keys a chunk needs, so that the keys of all chunks of a block are different."""
    cells: Float64 = np.diff(trees.domains.offsets).astype(np.float64) ** most_known
    return cells


def _count(trees: Trees, rows: Int64, size: int, smallest: Int64, block: int) -> None:
    """Count the itemsets of one size, some chunks at a time, and lower the smallest supports."""
    if len(rows) == 0:
        return
    chunk = trees.bags.chunk[rows]
    lengths = trees.bags.lengths[rows]
    choices = np.array([math.comb(length, size) for length in range(int(lengths.max()) + 1)])
    done = np.cumsum(choices[lengths])
    last_of_chunk = np.flatnonzero(np.diff(chunk, append=-1))
    full = np.flatnonzero(np.diff(done[last_of_chunk] // block))
    edges = np.concatenate([[0], last_of_chunk[full] + 1, [len(rows)]])
    for start, end in itertools.pairwise(edges.tolist()):
        _count_block(trees, rows[start:end], size, smallest)


def _count_block(trees: Trees, rows: Int64, size: int, smallest: Int64) -> None:
    bags, domains = trees.bags, trees.domains
    chunk = bags.chunk[rows]
    new = np.diff(chunk, prepend=-1) != 0
    chunks = chunk[new]
    width = np.diff(domains.offsets)[chunks]
    start_of = np.cumsum(width**size) - width**size
    number = np.cumsum(new) - 1
    lengths = bags.lengths[rows]
    keys, weights = [], []
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        alike = np.flatnonzero(lengths == length)
        local = domains.local[bags.offsets[rows[alike]][:, None] + np.arange(length)].astype(np.int64)
        choices = _choices(length, size)
        key = local[:, choices[0]]
        for step in range(1, size):
            key = key * width[number[alike]][:, None] + local[:, choices[step]]
        keys.append((key + start_of[number[alike]][:, None]).ravel())
        weights.append(np.repeat(bags.weight[rows[alike]], key.shape[1]))
    every = np.concatenate(keys)
    order = np.argsort(every)
    every = every[order]
    first = np.flatnonzero(np.diff(every, prepend=-1))
    support = np.add.reduceat(np.concatenate(weights)[order], first)
    where = np.searchsorted(start_of, every[first], side="right") - 1
    np.minimum.at(smallest, chunks[where], support)


@lru_cache(maxsize=4096)
def _choices(length: int, size: int) -> Int64:
    """All ascending choices of ``size`` out of ``length`` places, one choice per column."""
    return np.array(list(itertools.combinations(range(length), size)), np.int64).reshape(-1, size).T


def _searched(trees: Trees, chunk: int, most: int, most_known: int, budget: Budget) -> int:
    """The smallest support in one chunk by search: each set found lowers the bound of the search."""
    start, end = (int(place) for place in trees.row_of_chunk[chunk : chunk + 2])
    offsets = trees.bags.offsets[start : end + 1]
    local = trees.domains.local[offsets[0] : offsets[-1]]
    n_items = int(trees.domains.offsets[chunk + 1] - trees.domains.offsets[chunk])
    search = settle if end - start <= MAX_ROWS else km_wide.search
    try:
        while found := search(
            offsets - offsets[0], local, n_items, trees.bags.weight[start:end], most, most_known, budget
        ):
            most = found[1]
    except OutOfBudget:
        return 0
    return most
