"""Which occurrences to suppress so that more items fit into the first chunk of a cluster (Liu, Feng, Zhu 2022, 5.1).

An itemset of up to m items is problematic when it occurs, but in fewer than k records; one is minimal when no part of
it is problematic (MPI). They are eliminated one by one: an item of one is suppressed in the records that hold the
whole set, if no other set falls below k that way; else one of its items is set aside, whole, for another chunk.

The candidates of a cluster (its items in at least k records) are numbered as in ``vertical``; the records that still
hold candidate c are a bit mask of ``words`` words.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64, UInt8
from shoal.kernels.bits import BITS, common_ones, fill_masks, ones
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, U1, U1_OUT, kernel, types
from shoal.kernels.keys import sort_keys

# How many problematic itemsets of a cluster are held at a time, and how many words of masks may be looked at. Bounds on
# time and memory, not on safety: an item that brings more is set aside, and so is what the work does not suffice for.
MPI_CAP = 512
WORK = 1 << 26
# What becomes of an occurrence, if it does not just stay: it is suppressed, or its item goes to another chunk.
STRUCK, ASIDE = 1, 2


@kernel(INT, I8, U1, INT, INT, INT, INT, INT, I8, INT, *[I8_OUT] * 5, INT, I8_OUT)
def _walk(
    left: Int64,
    aside: UInt8,
    c: int,
    end: int,
    words: int,
    k: int,
    m: int,
    gone: Int64,
    at: int,
    chain: Int64,
    meet: Int64,
    members: Int64,
    sizes: Int64,
    where: Int64,
    found: int,
    work: Int64,
) -> int:
    """Walk over the sets of up to m candidates with c, as far as they are in k records, in one of two ways.

    ``end`` is c: append the MPIs of c with earlier candidates (``gone`` is ``left`` at c); returns how many there are
    in all, or -1 at a cap. ``end`` is the number of candidates: whether every set that is in k records keeps k when c
    leaves those of mask ``at`` of ``gone`` (definition 8); returns -1 if not, or if the work does not suffice.
    """
    for w in range(words):
        meet[w] = left[c * words + w]
    depth = 0
    chain[0] = -1
    while depth >= 0:
        chain[depth] += 1
        other = chain[depth]
        if depth > m - 2 or other >= end:
            depth -= 1
            continue
        if aside[other] or other == c:
            continue
        lost, held = 0, 0
        for w in range(words):
            both = meet[depth * words + w] & left[other * words + w]
            meet[(depth + 1) * words + w] = both
            held += ones(both)
            lost += ones(both & gone[at * words + w])
        work[0] -= words
        if lost == 0 or (held < k and end > c):
            continue  # it stays what it is, and so do all sets around it
        if held >= k:
            if (held - lost < k and end > c) or work[0] < 0:
                return -1
            depth += 1
            chain[depth] = other
            continue
        # Problematic. Without its last member it was not, or it would not have been reached: ask for the others.
        chain[depth + 1] = c
        minimal = True
        for without in range(depth + 2):
            rest = 0
            for w in range(words):
                both = -1
                for d in range(depth + 2):
                    if d != without:
                        both &= left[chain[d] * words + w]
                rest += ones(both)
            minimal = minimal and rest >= k
        work[0] -= words * (depth + 2) * (depth + 2)
        if minimal:
            if found == MPI_CAP or work[0] < 0:
                return -1
            for d in range(depth + 2):
                members[found * m + d] = chain[d]
            sizes[found] = depth + 2
            for w in range(words):
                where[found * words + w] = meet[(depth + 1) * words + w]
            found += 1
    return found


@kernel(INT, I8, INT, INT, INT)
def _contains(members: Int64, first: int, end: int, v: int) -> int:
    for at in range(first, end):
        if members[at] == v:
            return 1
    return 0


@kernel(types.void, I8_OUT, U1_OUT, I8, I8_OUT, INT, INT, INT, INT, *[I8_OUT] * 8, INT, I8_OUT)
def _eliminate(
    left: Int64,
    aside: UInt8,
    names: Int64,
    support: Int64,
    n: int,
    words: int,
    k: int,
    m: int,
    chain: Int64,
    meet: Int64,
    members: Int64,
    sizes: Int64,
    where: Int64,
    spared: Int64,
    degree: Int64,
    stale: Int64,
    found: int,
    work: Int64,
) -> None:
    """Suppress or set aside, the best anonymity gain first, until no MPI is left (algorithm 3).

    Gain: MPIs eliminated for each occurrence that goes; ties: the item in fewer records, then the first item.
    """
    for c in range(n):
        stale[c] = 1
    while found > 0:
        for c in range(n):
            degree[c] = 0
        for p in range(found):
            for at in range(p * m, p * m + sizes[p]):
                degree[members[at]] += 1
        best, best_p, best_gain, best_loss, locally = -1, -1, 0, 1, False
        for p in range(found):
            some = False
            times = 0
            for w in range(words):
                times += ones(where[p * words + w])
            for at in range(p * m, p * m + sizes[p]):
                v = members[at]
                if stale[v]:
                    # How many MPIs go when the member is suppressed; 0: it must not be.
                    spared[at] = 0
                    room = chain, meet, members, sizes, where
                    if (
                        support[v] - times >= k
                        and work[0] >= 0
                        and _walk(left, aside, v, n, words, k, m, where, p, *room, 0, work) == 0
                    ):
                        for other in range(found):
                            beyond = 1 - _contains(members, other * m, other * m + sizes[other], v)
                            for w in range(words):
                                beyond |= where[other * words + w] & ~where[p * words + w]
                            spared[at] += beyond == 0
                        work[0] -= found
                some = some or spared[at] > 0
            for at in range(p * m, p * m + sizes[p]):
                v = members[at]
                gain, loss = degree[v], support[v]
                if some:
                    gain, loss = spared[at], times
                ahead = gain * best_loss - best_gain * loss
                if ahead == 0 and gain > 0:
                    ahead = support[best] - support[v]
                    if ahead == 0:
                        ahead = names[best] - names[v]
                if ahead > 0:
                    best, best_p, best_gain, best_loss, locally = v, p, gain, loss, some
        for w in range(words):
            meet[w] = where[best_p * words + w] if locally else left[best * words + w]
        # What is known of an item changes only where it stood in records that lose something.
        for c in range(n):
            stale[c] = common_ones(left, c, meet, 0, words)
        for w in range(words):
            left[best * words + w] &= ~meet[w]
        if locally:
            support[best] -= best_loss
        else:
            aside[best] = 1
        kept = 0
        for p in range(found):
            lost = _contains(members, p * m, p * m + sizes[p], best)
            remains = 0
            for w in range(words):
                where[kept * words + w] = where[p * words + w] & ~(meet[w] * lost)
                remains |= where[kept * words + w]
            sizes[kept] = sizes[p]
            for i in range(m):
                members[kept * m + i] = members[p * m + i]
                spared[kept * m + i] = spared[p * m + i]
            kept += remains != 0
        found = kept


def suppress_clusters(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    bounds: Int64,
    n_items: int,
    sensitive: UInt8,
    k: int,
    m: int,
    fates: UInt8,
) -> int:
    """Mark in ``fates`` the occurrences to suppress in the clusters rows[bounds[p]:bounds[p + 1]], and those set aside.

    Returns in how many clusters a cap was met.
    """
    chosen = rows[bounds[0] : bounds[-1]]
    lengths = offsets[chosen + 1] - offsets[chosen]
    m = min(m, int(lengths.max()))  # no larger set occurs
    widest = int(np.add.reduceat(lengths, bounds[:-1] - bounds[0]).max())
    words = int(np.diff(bounds).max()) // BITS + 1
    n = min(widest, n_items) + 1
    sizes = (n * words, n, n, n, n, n, m + 1, (m + 1) * words, MPI_CAP * m, MPI_CAP, MPI_CAP * words, MPI_CAP * m, 1)
    room = [np.empty(size, np.int64) for size in sizes]
    support, place = np.zeros(n_items, np.int64), np.full(n_items, -1, np.int64)
    return search_clusters(
        offsets, items, rows, bounds, sensitive, k, m, fates, support, place, np.zeros(n, np.uint8), *room
    )


@kernel(INT, I8, I4, I8, I8, U1, INT, INT, U1_OUT, I8_OUT, I8_OUT, U1_OUT, *[I8_OUT] * 13)
def search_clusters(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    bounds: Int64,
    sensitive: UInt8,
    k: int,
    m: int,
    fates: UInt8,
    support: Int64,
    place: Int64,
    aside: UInt8,
    left: Int64,
    keys: Int64,
    held: Int64,
    degree: Int64,
    stale: Int64,
    domain: Int64,
    chain: Int64,
    meet: Int64,
    members: Int64,
    sizes: Int64,
    where: Int64,
    spared: Int64,
    work: Int64,
) -> int:
    """The same, with room to work in: what is counted by item, by candidate, by depth and by MPI."""
    n_cut, n_items = 0, len(support)
    for p in range(len(bounds) - 1):
        start, end = bounds[p], bounds[p + 1]
        words = (end - start) // BITS + 1
        n_domain, n = 0, 0
        for i in range(start, end):
            for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                if support[items[j]] == 0:
                    domain[n_domain] = items[j]
                    n_domain += 1
                support[items[j]] += 1
        for d in range(n_domain):
            item = domain[d]
            if not sensitive[item] and support[item] >= k:
                keys[n] = (end - start - support[item]) * n_items + item
                n += 1
            support[item] = 0
        if n < 2:
            continue
        sort_keys(keys, n)
        for c in range(n):
            held[c] = end - start - keys[c] // n_items
            keys[c] %= n_items
            place[keys[c]] = c
            aside[c] = 0
        fill_masks(offsets, items, rows, start, end, place, n, words, left)
        work[0] = WORK
        found, cut = 0, False
        for c in range(1, n):
            more = _walk(left, aside, c, c, words, k, m, left, c, chain, meet, members, sizes, where, found, work)
            found = max(more, found)
            if more < 0:
                aside[c] = 1
                cut = True
        _eliminate(
            *(left, aside, keys, held, n, words, k, m, chain, meet, members, sizes, where, spared, degree, stale),
            *(found, work),
        )
        n_cut += cut or work[0] < 0
        for i in range(start, end):
            bit = i - start
            for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                c = place[items[j]]
                if c >= 0:
                    stays = (left[c * words + bit // BITS] >> (bit % BITS)) & 1
                    fates[j] = ASIDE if aside[c] else 1 - stays
        for c in range(n):
            place[keys[c]] = -1
    return n_cut
