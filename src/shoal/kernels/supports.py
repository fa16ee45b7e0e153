"""The number of records that hold given items if every chunk is placed at random: mean, variance and exact bounds.

A *source* is what can give items to the records of a leaf: one chunk of the leaf or of a joint above it, or one item of
its term chunk. Sources are placed independently, so that the chance that a record holds all wanted items and none of
the unwanted ones is a product over its sources; so is the chance for two records together. The subrecords of a chunk
that serve a query are its *hits*; where only unwanted items are asked of a chunk, its hits are what must not come, and
the source is *negated*. Records of different leaves depend on each other through shared chunks (``joint_supports``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Float64, Int32, Int64, UInt8
from shoal.kernels.compiling import F8_OUT, I4, I4_OUT, I8, I8_OUT, INT, U1_OUT, kernel, types
from shoal.kernels.joint_supports import (
    GROUPS,
    SHARED,
    WAYS,
    Groups,
    Shared,
    Ways,
    _add_shared,
    _find_group,
    _tree_moments,
    _tree_savings,
)

TERM = -1  # the chunk of an item in a term chunk; its region is then in how many records the model has it at most
OWN = -1  # the region of a leaf in its own chunks
MOST_ASKED = 62  # items a query may name


class Sources(NamedTuple):
    """The possible sources of each item; leaves are numbered tree after tree."""

    offsets: Int64
    """Where the sources of each item start; they are in the order of leaves."""
    first: Int32
    """The first leaf that gets the item from there."""
    beyond: Int32
    """The leaf after the last one; those of chunks that are not shared, and of term chunks, are for one leaf only."""
    chunk: Int32
    """The chunk that gives the item, or TERM."""
    entry: Int64
    """The item's entry in the chunk; for a term chunk, in how many records of the cluster the item may be."""
    region: Int64
    """Their region in the chunk, or OWN; for a term chunk, in how many records at most the model has the item."""
    records_upto: Int64
    """The records of all leaves before each."""
    squares_upto: Int64
    tree_beyond: Int64
    """The leaf after the last one of each leaf's tree."""
    post_offsets: Int64
    """Where the subrecords of each entry start, which ascend."""
    post_rows: Int32


class Desk(NamedTuple):
    """Room to work on the items that a query asks for, as many as the longest query has."""

    at: Int64
    """The source of each at or behind the leaf at hand."""
    entries: Int64
    here: Int64
    """The shared sources of the leaf at hand."""
    done: UInt8
    spare: Int32
    """As long as the longest list of hits."""


_DESK = types.NamedTuple([I8_OUT, I8_OUT, I8_OUT, U1_OUT, I4_OUT], Desk)
_SOURCES = types.NamedTuple([I8, I4, I4, I4, I8, I8, I8, I8, I8, I8, I4], Sources)


@kernel(INT, _SOURCES, I8, INT, INT, I4_OUT, INT, I4_OUT)
def _gather_hits(
    sources: Sources, entries: Int64, n_wanted: int, n_entries: int, hits: Int32, start: int, spare: Int32
) -> int:
    """Write from ``start`` on the subrecords with all wanted entries and no other; without wanted ones, with any other.

    The wanted entries come first. Returns the end.
    """
    rows = sources.post_rows
    end = start
    for e in range(n_entries):
        j, beyond = sources.post_offsets[entries[e]], sources.post_offsets[entries[e] + 1]
        out = start
        if e == 0:
            while j < beyond:
                hits[out] = rows[j]
                out += 1
                j += 1
        elif n_wanted > 0:
            for i in range(start, end):
                while j < beyond and rows[j] < hits[i]:
                    j += 1
                if (j < beyond and rows[j] == hits[i]) == (e < n_wanted):
                    hits[out] = hits[i]
                    out += 1
        else:
            for i in range(start, end):
                spare[i - start] = hits[i]
            i, n = 0, end - start
            while i < n or j < beyond:
                least = spare[i] if j == beyond or (i < n and spare[i] < rows[j]) else rows[j]
                hits[out] = least
                out += 1
                i += i < n and spare[i] == least
                j += j < beyond and rows[j] == least
        end = out
    return end


@kernel(INT, _SOURCES, I4, INT, INT, INT, I8_OUT)
def _next_leaf(sources: Sources, query_items: Int32, first: int, n_wanted: int, leaf: int, at: Int64) -> int:
    """The first leaf from ``leaf`` on that has sources for all wanted items; ``at`` moves to these."""
    n_leaves = len(sources.tree_beyond)
    w = 0
    while w < n_wanted and leaf < n_leaves:
        beyond = sources.offsets[query_items[first + w] + 1]
        while at[w] < beyond and sources.beyond[at[w]] <= leaf:
            at[w] += 1
        found = max(leaf, sources.first[at[w]]) if at[w] < beyond else n_leaves
        w = w + 1 if found == leaf else 0
        leaf = found
    return leaf


@kernel(types.void, I8, I4, I8, _SOURCES, WAYS, INT, _DESK, SHARED, GROUPS, F8_OUT, F8_OUT, I8_OUT, I8_OUT)
def estimate_supports(
    query_offsets: Int64,
    query_items: Int32,
    query_wanted: Int64,
    sources: Sources,
    ways: Ways,
    once: int,
    desk: Desk,
    shared: Shared,
    groups: Groups,
    mean: Float64,
    variance: Float64,
    least: Int64,
    most: Int64,
) -> None:
    """For each query, how many records hold its first ``query_wanted`` items and none of its others.

    A term-chunk item is in one record of its leaf if ``once``, else in a number that is uniform from one on.
    """
    at, entries, done, here, spare = desk.at, desk.entries, desk.done, desk.here, desk.spare
    longest, widest = len(spare), len(at)
    hits = np.empty(4 * longest, np.int32)
    for q in range(len(query_wanted)):
        first, n_asked, n_wanted = query_offsets[q], query_offsets[q + 1] - query_offsets[q], query_wanted[q]
        for w in range(n_asked):
            at[w] = sources.offsets[query_items[first + w]]
        n_shared, n_groups, n_hits, low, high, failing, records = 0, 0, 0, 0, 0, 0, 0
        tree_end = -1
        leaf = 0
        while True:
            leaf = _next_leaf(sources, query_items, first, n_wanted, leaf, at)
            if tree_end >= 0 and leaf >= tree_end:
                total, spread = _tree_moments(ways, shared, groups, n_groups, widest, hits)
                mean[q] += total
                variance[q] += spread
                failing, high = _tree_savings(ways, shared, n_shared, groups, n_groups, widest, failing, high)
                least[q] += max(low, records - failing)
                most[q] += high
                n_shared, n_groups, n_hits, low, high, failing, records = 0, 0, 0, 0, 0, 0, 0
            if leaf == len(sources.tree_beyond):
                break

            # Which leaves after this one get all that is asked from where it does.
            tree_end = sources.tree_beyond[leaf]
            leaf_end = tree_end
            for w in range(n_asked):
                beyond = sources.offsets[query_items[first + w] + 1]
                while at[w] < beyond and sources.beyond[at[w]] <= leaf:
                    at[w] += 1
                done[w] = at[w] == beyond or sources.first[at[w]] > leaf
                if at[w] < beyond:
                    leaf_end = min(leaf_end, sources.first[at[w]] if done[w] else sources.beyond[at[w]])
            size = sources.records_upto[leaf_end] - sources.records_upto[leaf]
            squares = sources.squares_upto[leaf_end] - sources.squares_upto[leaf]

            # Their sources, chunk by chunk, and term-chunk items one by one.
            chance, pair, slack, served, n_here = 1.0, 1.0, 0, size, 0
            for w in range(n_asked):
                if done[w]:
                    continue
                chunk, region, negated = sources.chunk[at[w]], sources.region[at[w]], w >= n_wanted
                expected, expected_pairs, own = 1.0, 0.0, True
                if chunk == TERM:
                    lowest, highest = 1, sources.entry[at[w]]
                    if not once:
                        expected, expected_pairs = (region + 1) / 2, (region * region - 1) / 3
                else:
                    n_entries, n_wanted_here, asked = 0, 0, 0
                    for v in range(w, n_asked):
                        if not done[v] and sources.chunk[at[v]] == chunk:
                            done[v] = 1
                            entries[n_entries] = sources.entry[at[v]]
                            n_entries += 1
                            n_wanted_here += v < n_wanted
                            asked |= 1 << v
                    own = region == OWN
                    a = 0
                    while not own and a < n_shared:
                        if shared.chunk[a] == chunk and shared.asked[a] == asked and shared.region[a] == region:
                            break
                        a += 1
                    if own and n_entries == 1:  # their number is all that counts
                        lowest = highest = sources.post_offsets[entries[0] + 1] - sources.post_offsets[entries[0]]
                    elif own or a == n_shared:
                        if n_hits + longest > len(hits):
                            more = np.empty(2 * len(hits) + longest, np.int32)
                            for i in range(n_hits):
                                more[i] = hits[i]
                            hits = more
                        end = _gather_hits(sources, entries, n_wanted_here, n_entries, hits, n_hits, spare)
                        lowest = highest = end - n_hits
                        if not own:
                            _add_shared(ways, shared, a, chunk, asked, region, negated, hits, n_hits, end)
                            n_shared += 1
                            n_hits = end
                    if own:
                        expected, expected_pairs = 1.0 * highest, 1.0 * highest * (highest - 1)
                    else:
                        here[n_here] = a
                        n_here += 1
                        highest = shared.reach[a]
                        lowest = 0
                        if highest > 0 and ways.records[chunk] >= 0:
                            lowest = max(0, highest - (ways.records[chunk] - size))
                        shared.records[a] += size
                        shared.reached[a] += size if highest > 0 else 0
                        highest = min(highest, size)
                        shared.least[a] += size - highest if negated else lowest
                if own:
                    expected /= size
                    expected_pairs /= max(1, size * (size - 1))
                    chance *= 1.0 - expected if negated else expected
                    pair *= 1.0 - 2 * expected + expected_pairs if negated else expected_pairs
                slack += highest if negated else size - lowest
                served = min(served, size - lowest if negated else highest)

            for w in range(n_here, widest):
                here[w] = -1
            g = _find_group(groups, n_groups, here)
            n_groups = max(n_groups, g + 1)
            groups.weight[g] += size * chance
            groups.squares[g] += squares * chance * chance
            groups.pairs[g] += (squares - size) * pair
            groups.most[g] += served
            low += max(0, size - slack)
            high += served
            failing += slack
            records += size
            leaf = leaf_end
