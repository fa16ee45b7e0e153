"""Dependences between the leaves of a tree: shared chunks go to several of them, each subrecord to one.

Leaves of a tree that draw on the same shared chunks for the same items are a *group*, of which only sums are kept.

Subrecords of a chunk that may go to the same leaves are a *class*; leaves that may take the same are a *region*. For a
record of region r, ``one[c, r]`` is the chance to get a subrecord of class c; for two records, ``two[c, r, d, q]`` that
the one, in r, gets one of class c and the other, in q, one of class d. Most chunks have one class and one region.
"""

from __future__ import annotations

from typing import NamedTuple

from shoal.kernels.arrays import Float64, Int32, Int64
from shoal.kernels.compiling import F8, F8_OUT, FLOAT, I4, I8, I8_OUT, INT, kernel, types


class Ways(NamedTuple):
    """How the subrecords of all chunks can be placed."""

    row_class: Int64
    """The class of each subrecord: which clusters it can go to."""
    offsets: Int64
    """Where the classes of each chunk start."""
    size: Int64
    """How many subrecords each class has."""
    n_regions: Int64
    one_offsets: Int64
    one: Float64
    two_offsets: Int64
    two: Float64
    records: Int64
    """To how many records the subrecords of a chunk can go, or -1 if this differs between them."""


class Shared(NamedTuple):
    """The shared sources of a tree, one after the other."""

    chunk: Int64
    asked: Int64
    """For which of the items asked, as bits."""
    region: Int64
    negated: Int64
    start: Int64
    """Where its hits are."""
    end: Int64
    reach: Int64
    """How many of these can go to the region."""
    records: Int64
    """The records of the leaves that draw on it."""
    reached: Int64
    """Those among them that it can reach."""
    least: Int64
    """The fewest that it serves."""
    chance: Float64
    """That a record of the region gets from it what is asked."""


class Groups(NamedTuple):
    """The groups of a tree."""

    members: Int64
    """The shared sources of each group, then -1, as many as a query may ask for items."""
    weight: Float64
    """The records of its leaves times their chance of all else, summed up."""
    squares: Float64
    """The squares of that, summed up."""
    pairs: Float64
    """The pairs of records of one leaf times their chance of all else, summed up."""
    most: Int64
    """The most records of its leaves that can serve the query."""


WAYS = types.NamedTuple([I8, I8, I8, I8, I8, F8, I8, F8, I8], Ways)
SHARED = types.NamedTuple([*[I8_OUT] * 10, F8_OUT], Shared)
GROUPS = types.NamedTuple([I8_OUT, F8_OUT, F8_OUT, F8_OUT, I8_OUT], Groups)


@kernel(types.void, WAYS, SHARED, INT, INT, INT, INT, INT, I4, INT, INT)
def _add_shared(
    ways: Ways,
    shared: Shared,
    a: int,
    chunk: int,
    asked: int,
    region: int,
    negated: int,
    hits: Int32,
    start: int,
    end: int,
) -> None:
    """Write shared source ``a``, on which no leaf draws so far."""
    shared.chunk[a], shared.asked[a], shared.region[a], shared.negated[a] = chunk, asked, region, negated
    shared.start[a], shared.end[a] = start, end
    shared.records[a], shared.reached[a], shared.least[a] = 0, 0, 0
    chance, reach = 0.0, 0
    for i in range(start, end):
        c = ways.row_class[hits[i]]
        one = ways.one[ways.one_offsets[chunk] + (c - ways.offsets[chunk]) * ways.n_regions[chunk] + region]
        chance += one / ways.size[c]
        reach += one > 0
    shared.reach[a] = reach
    shared.chance[a] = 1.0 - chance if negated else chance


@kernel(INT, GROUPS, INT, I8)
def _find_group(groups: Groups, n_groups: int, here: Int64) -> int:
    """The group that draws on these sources; behind all groups, if there is none so far, it begins with nothing."""
    widest = len(here)
    g = 0
    while g < n_groups:
        same = True
        for i in range(widest):
            same = same and groups.members[g * widest + i] == here[i]
        if same:
            return g
        g += 1
    for i in range(widest):
        groups.members[g * widest + i] = here[i]
    groups.weight[g], groups.squares[g], groups.pairs[g], groups.most[g] = 0.0, 0.0, 0.0, 0
    return g


@kernel(INT, SHARED, GROUPS, INT, INT, INT)
def _member(shared: Shared, groups: Groups, g: int, widest: int, chunk: int) -> int:
    """The source that a chunk is for a group, or -1."""
    for i in range(g * widest, (g + 1) * widest):
        a = groups.members[i]
        if a >= 0 and shared.chunk[a] == chunk:
            return int(a)
    return -1


@kernel(FLOAT, WAYS, SHARED, INT, INT, I4)
def _chance_of_both(ways: Ways, shared: Shared, a: int, b: int, hits: Int32) -> float:
    """The chance that two different records get from one chunk, which is source a for one and b for the other."""
    chunk = shared.chunk[a]
    first, n_classes = ways.offsets[chunk], ways.offsets[chunk + 1] - ways.offsets[chunk]
    regions = ways.n_regions[chunk]
    chance = 0.0
    for c in range(n_classes):
        for d in range(n_classes):
            # Ordered pairs of different hits: one subrecord does not go to two records.
            pairs, in_b = 0, 0
            j = shared.start[b]
            for i in range(shared.start[b], shared.end[b]):
                in_b += ways.row_class[hits[i]] == first + d
            for i in range(shared.start[a], shared.end[a]):
                while j < shared.end[b] and hits[j] < hits[i]:
                    j += 1
                if ways.row_class[hits[i]] == first + c:
                    pairs += in_b - (c == d and j < shared.end[b] and hits[j] == hits[i])
            if pairs > 0:
                of = ways.size[first + c] * (ways.size[first + d] - (c == d))
                left = c * regions + shared.region[a]
                right = d * regions + shared.region[b]
                chance += pairs / of * ways.two[ways.two_offsets[chunk] + left * n_classes * regions + right]
    # By inclusion and exclusion where one of the two must not get it.
    if shared.negated[a] and shared.negated[b]:
        chance += shared.chance[a] + shared.chance[b] - 1.0
    elif shared.negated[a]:
        chance = shared.chance[b] - chance
    elif shared.negated[b]:
        chance = shared.chance[a] - chance
    return chance


@kernel(types.UniTuple(FLOAT, 2), WAYS, SHARED, GROUPS, INT, INT, I4)
def _tree_moments(
    ways: Ways, shared: Shared, groups: Groups, n_groups: int, widest: int, hits: Int32
) -> tuple[float, float]:
    """The mean and the variance of the number of records of a tree that serve the query."""
    total, square = 0.0, 0.0
    for g in range(n_groups):
        for h in range(g, n_groups):
            # Either draws on what the other does not have as if alone; what both have gives less to two than twice.
            chance, both = 1.0, 1.0
            for i in range(g * widest, (g + 1) * widest):
                a = groups.members[i]
                if a < 0:
                    break
                chance *= shared.chance[a]
                b = _member(shared, groups, h, widest, shared.chunk[a])
                both *= shared.chance[a] if b < 0 else _chance_of_both(ways, shared, a, b, hits)
            for i in range(h * widest, (h + 1) * widest):
                b = groups.members[i]
                if b >= 0 and _member(shared, groups, g, widest, shared.chunk[b]) < 0:
                    both *= shared.chance[b]
            if g == h:
                total += groups.weight[g] * chance
                square += (groups.pairs[g] + groups.weight[g] * groups.weight[g] - groups.squares[g]) * both
            else:
                square += 2 * groups.weight[g] * groups.weight[h] * both
    return total, max(0.0, total + square - total * total)


@kernel(types.UniTuple(INT, 2), WAYS, SHARED, INT, GROUPS, INT, INT, INT, INT)
def _tree_savings(
    ways: Ways, shared: Shared, n_shared: int, groups: Groups, n_groups: int, widest: int, failing: int, high: int
) -> tuple[int, int]:
    """What is known beyond the single leaves, since a chunk that several of them draw on has its hits only once.

    Returns the fewer records that may fail to serve, and the fewer that can; the latter add up where they concern
    different groups.
    """
    for a in range(n_shared):
        chunk = shared.chunk[a]
        earlier, alike = False, True
        records, reached, least = 0, 0, 0
        for b in range(n_shared):
            if shared.chunk[b] == chunk:
                earlier = earlier or b < a
                alike = alike and shared.asked[b] == shared.asked[a]
                records += shared.records[b]
                reached += shared.reached[b]
                least += shared.least[b]
        if earlier:
            continue
        n_hits = shared.end[a] - shared.start[a]
        if alike and shared.negated[a]:
            failing -= max(0, records - n_hits - least)
        elif alike and ways.records[chunk] >= 0:
            failing -= max(0, n_hits - (ways.records[chunk] - reached) - least)
        if not alike:
            n_hits = 0
            for c in range(ways.offsets[chunk], ways.offsets[chunk + 1]):
                n_hits += ways.size[c]
        together, limited = 0, True
        for g in range(n_groups):
            b = _member(shared, groups, g, widest, chunk)
            if b >= 0:
                limited = limited and groups.most[g] >= 0 and not shared.negated[b]
                together += groups.most[g]
        if limited and together > n_hits:
            high -= together - n_hits
            for g in range(n_groups):
                if _member(shared, groups, g, widest, chunk) >= 0:
                    groups.most[g] = -1
    return failing, high
