"""Which occurrences to suppress so that more items fit into the first chunk of a cluster (Liu, Feng, Zhu 2022, 5.1).

An itemset of up to m items is problematic when it occurs, but in fewer than k records; one is minimal when no part of
it is problematic (MPI). They are eliminated one by one: an item of one is suppressed in the records that hold the
whole set, if no other set falls below k that way; else one of its items is set aside, whole, for another chunk.

The candidates of a cluster (its items in at least k records) are numbered as in ``vertical``; the records that still
hold candidate c are a bit mask of ``words`` words.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.bits import BITS, common_ones, fill_masks, ones
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, U1, U1_OUT, Int32, Int64, UInt8, kernel, types
from shoal.kernels.keys import sort_keys

# How many problematic itemsets of a cluster are held at a time, and how many words of masks may be looked at. Bounds on
# time and memory, not on safety: an item that brings more is set aside, and so is what the work does not suffice for.
MPI_CAP = 512
WORK = 1 << 26


@kernel(INT, I8, U1, INT, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT, I8_OUT, I8_OUT, INT, I8_OUT)
def _find_problems(
    left: Int64,
    aside: UInt8,
    c: int,
    words: int,
    k: int,
    m: int,
    chain: Int64,
    meet: Int64,
    members: Int64,
    sizes: Int64,
    where: Int64,
    found: int,
    work: Int64,
) -> int:
    """Append the MPIs of candidate c with earlier ones; returns how many there are in all, or -1 at a cap."""
    for w in range(words):
        meet[w] = left[c * words + w]
    depth = 0
    chain[0] = -1
    while depth >= 0:
        chain[depth] += 1
        other = chain[depth]
        if depth > m - 2 or other >= c:
            depth -= 1
            continue
        if aside[other]:
            continue
        count = 0
        for w in range(words):
            both = meet[depth * words + w] & left[other * words + w]
            meet[(depth + 1) * words + w] = both
            count += ones(both)
        work[0] -= words
        if count >= k:
            depth += 1
            chain[depth] = other
            continue
        if count == 0:
            continue
        # Without its last member the set is not problematic, or it would not have been reached: ask for the others.
        minimal = True
        for without in range(depth + 1):
            rest = 0
            for w in range(words):
                both = left[other * words + w]
                for d in range(depth):
                    if d != without:
                        both &= left[chain[d] * words + w]
                if without < depth:
                    both &= left[c * words + w]
                rest += ones(both)
            minimal = minimal and rest >= k
        work[0] -= words * (depth + 1) * (depth + 1)
        if not minimal:
            continue
        if found == MPI_CAP or work[0] < 0:
            return -1
        for d in range(depth + 1):
            members[found * m + d] = chain[d]
        members[found * m + depth + 1] = c
        sizes[found] = depth + 2
        for w in range(words):
            where[found * words + w] = meet[(depth + 1) * words + w]
        found += 1
    return found if work[0] >= 0 else -1


@kernel(INT, I8, U1, INT, INT, INT, I8, INT, INT, INT, I8_OUT, I8_OUT, I8_OUT)
def _can_be_spared(
    left: Int64,
    aside: UInt8,
    n: int,
    words: int,
    v: int,
    where: Int64,
    p: int,
    k: int,
    m: int,
    chain: Int64,
    meet: Int64,
    work: Int64,
) -> int:
    """Whether every set with v that is not problematic keeps k records when v leaves those of MPI p (definition 8)."""
    lost, held = 0, 0
    for w in range(words):
        meet[w] = left[v * words + w]
        held += ones(meet[w])
        lost += ones(where[p * words + w])
    if held - lost < k:
        return 0
    depth = 0
    chain[0] = -1
    while depth >= 0:
        chain[depth] += 1
        other = chain[depth]
        if depth > m - 2 or other >= n:
            depth -= 1
            continue
        if aside[other] or other == v:
            continue
        lost, held = 0, 0
        for w in range(words):
            both = meet[depth * words + w] & left[other * words + w]
            meet[(depth + 1) * words + w] = both
            held += ones(both)
            lost += ones(both & where[p * words + w])
        work[0] -= words
        # A set that loses nothing, or that was problematic before, stays what it is, and so do all sets around it.
        if lost > 0 and held >= k:
            if held - lost < k or work[0] < 0:
                return 0
            depth += 1
            chain[depth] = other
    return 1


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
                    if work[0] >= 0 and _can_be_spared(left, aside, n, words, v, where, p, k, m, chain, meet, work):
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


@kernel(types.Tuple((I4_OUT, I4_OUT, INT)), I8, I4, I8, I8, INT, U1, INT, INT, U1_OUT)
def suppress_clusters(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    bounds: Int64,
    n_items: int,
    sensitive: UInt8,
    k: int,
    m: int,
    struck: UInt8,
) -> tuple[Int32, Int32, int]:
    """Mark in ``struck`` the occurrences to suppress in the clusters rows[bounds[p]:bounds[p + 1]].

    Returns: how many items of each cluster were set aside, these items, and in how many clusters a cap was met.
    """
    n_clusters = len(bounds) - 1
    total, widest, largest, longest = 0, 0, 0, 0
    for p in range(n_clusters):
        width = 0
        for i in range(bounds[p], bounds[p + 1]):
            length = offsets[rows[i] + 1] - offsets[rows[i]]
            width += length
            longest = max(longest, length)
        total += width
        widest = max(widest, width)
        largest = max(largest, bounds[p + 1] - bounds[p])
    m = min(m, longest)  # no larger set occurs
    max_words = largest // BITS + 1
    max_candidates = min(widest // k, n_items) + 1
    out_aside = np.zeros(n_clusters, np.int32)
    out_items = np.empty(total // k, np.int32)
    n_aside, n_cut = 0, 0

    support = np.zeros(n_items, np.int64)
    place = np.full(n_items, -1, np.int64)
    domain = np.empty(min(widest, n_items), np.int64)
    keys = np.empty(max_candidates, np.int64)
    held = np.empty(max_candidates, np.int64)
    left = np.empty(max_candidates * max_words, np.int64)
    aside = np.empty(max_candidates, np.uint8)
    chain = np.empty(m + 1, np.int64)
    meet = np.empty((m + 1) * max_words, np.int64)
    members = np.empty(MPI_CAP * m, np.int64)
    sizes = np.empty(MPI_CAP, np.int64)
    where = np.empty(MPI_CAP * max_words, np.int64)
    spared = np.empty(MPI_CAP * m, np.int64)
    degree = np.empty(max_candidates, np.int64)
    stale = np.empty(max_candidates, np.int64)
    work = np.empty(1, np.int64)
    for p in range(n_clusters):
        start, end = bounds[p], bounds[p + 1]
        words = (end - start) // BITS + 1
        n_domain, n = 0, 0
        for i in range(start, end):
            for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                item = items[j]
                if support[item] == 0:
                    domain[n_domain] = item
                    n_domain += 1
                support[item] += 1
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
            more = _find_problems(left, aside, c, words, k, m, chain, meet, members, sizes, where, found, work)
            if more < 0:
                aside[c] = 1
                cut = True
            else:
                found = more
        if found > 0:
            _eliminate(
                *(left, aside, keys, held, n, words, k, m, chain, meet, members, sizes, where, spared, degree, stale),
                found,
                work,
            )
            for i in range(start, end):
                bit = i - start
                for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                    c = place[items[j]]
                    if c >= 0 and not aside[c]:
                        struck[j] = not (left[c * words + bit // BITS] >> (bit % BITS)) & 1
        n_cut += cut or work[0] < 0
        for c in range(n):
            place[keys[c]] = -1
            if aside[c]:
                out_items[n_aside] = keys[c]
                n_aside += 1
                out_aside[p] += 1
    return out_aside, out_items[:n_aside].copy(), n_cut
