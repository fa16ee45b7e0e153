"""How many records hold given items when every chunk is placed at random: mean, variance and bounds, in closed form.

A *source* is what can give items to the records of a leaf: one chunk of the leaf or of a joint above it, or one item of
its term chunk. Sources are placed independently, so that the chance that a record holds all wanted items and none of
the unwanted ones is a product over its sources; so is the chance for two records together. The subrecords of a chunk
that serve a query are its *hits*; where only unwanted items are asked of a chunk, its hits are what must not come, and
the source is *negated*.

Records of different leaves depend on each other only through shared chunks. Leaves of a tree that draw on the same
shared chunks for the same items are a *group*, of which only sums are kept.

Subrecords of a chunk that may go to the same leaves are a *class*; leaves that may take the same are a *region*. For a
record of region r, ``one[c, r]`` is the chance to get a subrecord of class c; for two records, ``two[c, r, d, q]`` that
the one, in r, gets one of class c and the other, in q, one of class d. Most chunks have one class and one region.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.compiling import F8, F8_OUT, FLOAT, I4, I4_OUT, I8, I8_OUT, INT, Float64, Int32, Int64, kernel, types

TERM = -1  # the chunk of an item in a term chunk; its region is then in how many records the model has it at most
OWN = -1  # the region of a leaf in its own chunks

# Columns of the shared sources of a tree: which chunk, for which of the items asked (as bits), in which region; where
# its hits are. Then sums over the leaves that draw on it: records, those it can reach, the fewest that it serves.
_CHUNK, _ASKED, _REGION, _NEGATED, _START, _END, _RECORDS, _REACHED, _LEAST, _COLUMNS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
MOST_ASKED = 62  # items a query may name


@kernel(INT, I8, I4, I8, INT, INT, I4_OUT, INT, I4_OUT)
def _gather_hits(
    post_offsets: Int64,
    post_rows: Int32,
    entries: Int64,
    n_wanted: int,
    n_entries: int,
    hits: Int32,
    start: int,
    spare: Int32,
) -> int:
    """Write from ``start`` on the subrecords with all wanted entries and no other; without wanted ones, with any other.

    The wanted entries come first; the subrecords of an entry ascend. Returns the end.
    """
    end = start
    for e in range(n_entries):
        j, beyond = post_offsets[entries[e]], post_offsets[entries[e] + 1]
        out = start
        if e == 0:
            while j < beyond:
                hits[out] = post_rows[j]
                out += 1
                j += 1
        elif n_wanted > 0:
            for i in range(start, end):
                while j < beyond and post_rows[j] < hits[i]:
                    j += 1
                if (j < beyond and post_rows[j] == hits[i]) == (e < n_wanted):
                    hits[out] = hits[i]
                    out += 1
        else:
            for i in range(start, end):
                spare[i - start] = hits[i]
            i, n = 0, end - start
            while i < n or j < beyond:
                least = spare[i] if j == beyond or (i < n and spare[i] < post_rows[j]) else post_rows[j]
                hits[out] = least
                out += 1
                if i < n and spare[i] == least:
                    i += 1
                if j < beyond and post_rows[j] == least:
                    j += 1
        end = out
    return end


@kernel(FLOAT, I8, INT, I4, I8, I8, I8, I8, I8, F8)
def _chance(
    shared: Int64,
    a: int,
    hits: Int32,
    row_class: Int64,
    class_offsets: Int64,
    class_size: Int64,
    n_regions: Int64,
    one_offsets: Int64,
    one: Float64,
) -> float:
    """The chance that a record of its region gets from shared source ``a`` what is asked."""
    at = a * _COLUMNS
    chunk = shared[at + _CHUNK]
    first = class_offsets[chunk]
    chance = 0.0
    for i in range(shared[at + _START], shared[at + _END]):
        c = row_class[hits[i]]
        place = one_offsets[chunk] + (c - first) * n_regions[chunk] + shared[at + _REGION]
        chance += one[place] / class_size[c]
    return 1.0 - chance if shared[at + _NEGATED] else chance


@kernel(FLOAT, I8, INT, INT, FLOAT, FLOAT, I4, I8, I8, I8, I8, I8, F8)
def _chance_of_both(
    shared: Int64,
    a: int,
    b: int,
    chance_a: float,
    chance_b: float,
    hits: Int32,
    row_class: Int64,
    class_offsets: Int64,
    class_size: Int64,
    n_regions: Int64,
    two_offsets: Int64,
    two: Float64,
) -> float:
    """The chance that two different records get from one chunk, which is source a for one and b for the other."""
    at, bt = a * _COLUMNS, b * _COLUMNS
    chunk = shared[at + _CHUNK]
    first, n_classes = class_offsets[chunk], class_offsets[chunk + 1] - class_offsets[chunk]
    regions = n_regions[chunk]
    chance = 0.0
    for c in range(n_classes):
        for d in range(n_classes):
            # Ordered pairs of different hits: one subrecord does not go to two records.
            ways = 0
            in_b, common = 0, 0
            j = shared[bt + _START]
            for i in range(shared[bt + _START], shared[bt + _END]):
                in_b += row_class[hits[i]] == first + d
            for i in range(shared[at + _START], shared[at + _END]):
                while j < shared[bt + _END] and hits[j] < hits[i]:
                    j += 1
                if row_class[hits[i]] == first + c:
                    common = c == d and j < shared[bt + _END] and hits[j] == hits[i]
                    ways += in_b - common
            pairs = class_size[first + c] * (class_size[first + d] - (c == d))
            if ways > 0:
                left = c * regions + shared[at + _REGION]
                right = d * regions + shared[bt + _REGION]
                chance += ways / pairs * two[two_offsets[chunk] + left * n_classes * regions + right]
    # By inclusion and exclusion where one of the two must not get it.
    if shared[at + _NEGATED] and shared[bt + _NEGATED]:
        return chance - 1.0 + chance_a + chance_b
    if shared[at + _NEGATED]:
        return chance_b - chance
    if shared[bt + _NEGATED]:
        return chance_a - chance
    return chance


@kernel(
    types.UniTuple(FLOAT, 2),
    *(I8, F8, I8, INT, INT, F8, F8, F8, I4, I8),
    *(I8, I8, I8, I8, F8),
)
def _tree_moments(
    shared: Int64,
    chances: Float64,
    members: Int64,
    n_groups: int,
    widest: int,
    weight: Float64,
    squares: Float64,
    pairs: Float64,
    hits: Int32,
    row_class: Int64,
    class_offsets: Int64,
    class_size: Int64,
    n_regions: Int64,
    two_offsets: Int64,
    two: Float64,
) -> tuple[float, float]:
    """The mean and the variance of how many records of a tree serve the query.

    ``members`` has the shared sources of each group; its leaves' records times their chance of all else sum up to
    ``weight``, the squares of that to ``squares``, and the pairs of records of one leaf that serve to ``pairs``.
    """
    total, square = 0.0, 0.0
    for g in range(n_groups):
        for h in range(g, n_groups):
            # Either draws on what the other does not have as if alone; what both have gives less to two than twice.
            chance, both = 1.0, 1.0
            for i in range(g * widest, (g + 1) * widest):
                a, partner = members[i], -1
                if a < 0:
                    break
                chance *= chances[a]
                for j in range(h * widest, (h + 1) * widest):
                    b = members[j]
                    if b >= 0 and shared[b * _COLUMNS + _CHUNK] == shared[a * _COLUMNS + _CHUNK]:
                        partner = b
                if partner < 0:
                    both *= chances[a]
                else:
                    both *= _chance_of_both(
                        *(shared, a, partner, chances[a], chances[partner], hits, row_class),
                        *(class_offsets, class_size, n_regions, two_offsets, two),
                    )
            for j in range(h * widest, (h + 1) * widest):
                b = members[j]
                if b < 0:
                    break
                alone = True
                for i in range(g * widest, (g + 1) * widest):
                    a = members[i]
                    if a >= 0 and shared[b * _COLUMNS + _CHUNK] == shared[a * _COLUMNS + _CHUNK]:
                        alone = False
                if alone:
                    both *= chances[b]
            if g == h:
                total += weight[g] * chance
                square += (pairs[g] + weight[g] * weight[g] - squares[g]) * both
            else:
                square += 2 * weight[g] * weight[h] * both
    return total, max(0.0, total + square - total * total)


@kernel(types.UniTuple(INT, 2), I8, INT, I8, INT, INT, I8_OUT, I8, I8, I8, INT, INT)
def _tree_savings(
    shared: Int64,
    n_shared: int,
    members: Int64,
    n_groups: int,
    widest: int,
    most: Int64,
    class_offsets: Int64,
    class_size: Int64,
    open_records: Int64,
    failing: int,
    high: int,
) -> tuple[int, int]:
    """What is known beyond the single leaves, since a chunk that several of them draw on has its hits only once.

    ``members`` has the shared sources of each group, ``most`` the most records of its leaves that can serve the query.
    Returns the fewer records that may fail to, and the fewer that can serve; the latter add up where they concern
    different groups.
    """
    for a in range(n_shared):
        at = a * _COLUMNS
        chunk = shared[at + _CHUNK]
        earlier, alike = False, True
        records, reached, least = 0, 0, 0
        for b in range(n_shared):
            bt = b * _COLUMNS
            if shared[bt + _CHUNK] == chunk:
                earlier = earlier or b < a
                alike = alike and shared[bt + _ASKED] == shared[at + _ASKED]
                records += shared[bt + _RECORDS]
                reached += shared[bt + _REACHED]
                least += shared[bt + _LEAST]
        if earlier:
            continue
        n_hits = shared[at + _END] - shared[at + _START]
        if alike and shared[at + _NEGATED]:
            failing -= max(0, records - n_hits - least)
        elif alike and open_records[chunk] >= 0:
            failing -= max(0, n_hits - (open_records[chunk] - reached) - least)
        if not alike:
            n_hits = 0
            for c in range(class_offsets[chunk], class_offsets[chunk + 1]):
                n_hits += class_size[c]
        together, limited = 0, True
        for fill in range(2):
            for g in range(n_groups):
                for i in range(widest):
                    b = members[g * widest + i]
                    if b >= 0 and shared[b * _COLUMNS + _CHUNK] == chunk:
                        if fill:
                            most[g] = -1
                        else:
                            limited = limited and most[g] >= 0 and not shared[b * _COLUMNS + _NEGATED]
                            together += max(0, most[g])
            if not limited or together <= n_hits:
                break
            if fill:
                high -= together - n_hits
    return failing, high


@kernel(
    types.void,
    *(I8, I4, I8, I8, I4, I4, I4, I8, I8, I8, I8, I8, I8, I4),
    *(I8, I8, I8, I8, I8, F8, I8, F8, I8, INT),
    *(F8_OUT, F8_OUT, I8_OUT, I8_OUT),
)
def estimate_supports(
    query_offsets: Int64,
    query_items: Int32,
    query_wanted: Int64,
    source_offsets: Int64,
    source_first: Int32,
    source_beyond: Int32,
    source_chunk: Int32,
    source_entry: Int64,
    source_region: Int64,
    records_upto: Int64,
    squares_upto: Int64,
    tree_beyond: Int64,
    post_offsets: Int64,
    post_rows: Int32,
    row_class: Int64,
    class_offsets: Int64,
    class_size: Int64,
    n_regions: Int64,
    one_offsets: Int64,
    one: Float64,
    two_offsets: Int64,
    two: Float64,
    open_records: Int64,
    once: int,
    mean: Float64,
    variance: Float64,
    least: Int64,
    most: Int64,
) -> None:
    """For each query, how many records hold its first ``query_wanted`` items and none of its others.

    The sources of item i are source_offsets[i]:source_offsets[i + 1], in the order of leaves: for which leaves; the
    chunk, the entry of the item in it, and their region or OWN; or TERM, how many records of the leaf may hold the
    item, and how many at most in the model. OWN and TERM are for one leaf only. The subrecords of an entry are its
    postings. A term-chunk item is in one record of its leaf if ``once``, else in a number that is uniform from one on.
    """
    n_leaves = len(tree_beyond)
    most_leaves, longest, widest, leaf = 1, 1, 1, 0
    while leaf < n_leaves:
        most_leaves = max(most_leaves, tree_beyond[leaf] - leaf)
        leaf = tree_beyond[leaf]
    for e in range(len(post_offsets) - 1):
        longest = max(longest, post_offsets[e + 1] - post_offsets[e])
    for q in range(len(query_wanted)):
        widest = max(widest, query_offsets[q + 1] - query_offsets[q])
    longest *= widest  # a union may be as long as all its parts
    at = np.empty(widest, np.int64)
    entries = np.empty(widest, np.int64)
    done = np.empty(widest, np.uint8)
    members_here = np.empty(widest, np.int64)
    spare = np.empty(longest, np.int32)
    hits = np.empty(4 * longest, np.int32)
    shared = np.empty(64 * _COLUMNS, np.int64)
    chances = np.empty(64, np.float64)
    members = np.empty(most_leaves * widest, np.int64)
    weight = np.empty(most_leaves, np.float64)
    squares = np.empty(most_leaves, np.float64)
    pairs = np.empty(most_leaves, np.float64)
    group_most = np.empty(most_leaves, np.int64)

    for q in range(len(query_wanted)):
        first, n_asked, n_wanted = query_offsets[q], query_offsets[q + 1] - query_offsets[q], query_wanted[q]
        for w in range(n_asked):
            at[w] = source_offsets[query_items[first + w]]
        n_shared, n_groups, n_hits, low, high, failing, records = 0, 0, 0, 0, 0, 0, 0
        tree_end = -1
        leaf = 0
        while True:
            # The next leaf that has sources for all wanted items.
            w = 0
            while w < n_wanted and leaf < n_leaves:
                beyond = source_offsets[query_items[first + w] + 1]
                while at[w] < beyond and source_beyond[at[w]] <= leaf:
                    at[w] += 1
                found = max(leaf, source_first[at[w]]) if at[w] < beyond else n_leaves
                w = w + 1 if found == leaf else 0
                leaf = found

            if tree_end >= 0 and leaf >= tree_end:
                for a in range(n_shared):
                    chances[a] = _chance(
                        shared, a, hits, row_class, class_offsets, class_size, n_regions, one_offsets, one
                    )
                total, spread = _tree_moments(
                    *(shared, chances, members, n_groups, widest, weight, squares, pairs, hits, row_class),
                    *(class_offsets, class_size, n_regions, two_offsets, two),
                )
                mean[q] += total
                variance[q] += spread
                failing, high = _tree_savings(
                    *(shared, n_shared, members, n_groups, widest, group_most, class_offsets, class_size),
                    *(open_records, failing, high),
                )
                least[q] += max(low, records - failing)
                most[q] += high
                n_shared, n_groups, n_hits, low, high, failing, records = 0, 0, 0, 0, 0, 0, 0
            if leaf == n_leaves:
                break

            # What this leaf can get its items from, chunk by chunk, and term-chunk items one by one; and which leaves
            # after it get them from the same.
            tree_end = tree_beyond[leaf]
            leaf_end = tree_end
            for w in range(n_asked):
                beyond = source_offsets[query_items[first + w] + 1]
                while at[w] < beyond and source_beyond[at[w]] <= leaf:
                    at[w] += 1
                done[w] = at[w] == beyond or source_first[at[w]] > leaf
                if at[w] < beyond:
                    leaf_end = min(leaf_end, source_first[at[w]] if done[w] else source_beyond[at[w]])
            size = records_upto[leaf_end] - records_upto[leaf]
            size_squares = squares_upto[leaf_end] - squares_upto[leaf]
            chance, pair, slack, served, n_members = 1.0, 1.0, 0, size, 0
            for w in range(n_asked):
                if done[w]:
                    continue
                chunk, region, negated = source_chunk[at[w]], source_region[at[w]], w >= n_wanted
                expected, expected_pairs = 0.0, 0.0
                if chunk == TERM:
                    lowest, highest = 1, source_entry[at[w]]
                    expected = 1.0 if once else (region + 1) / 2
                    expected_pairs = 0.0 if once else (region * region - 1) / 3
                else:
                    n_entries, n_wanted_here, asked = 0, 0, 0
                    for v in range(w, n_asked):
                        if not done[v] and source_chunk[at[v]] == chunk:
                            done[v] = 1
                            entries[n_entries] = source_entry[at[v]]
                            n_entries += 1
                            n_wanted_here += v < n_wanted
                            asked |= 1 << v
                    start, end, known = 0, 0, -1
                    for a in range(n_shared if region != OWN else 0):
                        if shared[a * _COLUMNS + _CHUNK] == chunk and shared[a * _COLUMNS + _ASKED] == asked:
                            if known < 0 or shared[a * _COLUMNS + _REGION] == region:
                                known = a
                    if known >= 0:
                        start, end = shared[known * _COLUMNS + _START], shared[known * _COLUMNS + _END]
                    elif n_entries == 1 and region == OWN:  # their number is all that counts
                        end = post_offsets[entries[0] + 1] - post_offsets[entries[0]]
                    else:
                        if n_hits + longest > len(hits):
                            more_hits = np.empty(2 * len(hits) + longest, np.int32)
                            for i in range(n_hits):
                                more_hits[i] = hits[i]
                            hits = more_hits
                        start = n_hits
                        end = _gather_hits(
                            post_offsets, post_rows, entries, n_wanted_here, n_entries, hits, start, spare
                        )
                    if region == OWN:
                        lowest = highest = end - start
                        expected, expected_pairs = 1.0 * highest, 1.0 * highest * (highest - 1)
                    else:
                        n_hits = max(n_hits, end)
                        highest = 0
                        for i in range(start, end):
                            c = row_class[hits[i]] - class_offsets[chunk]
                            highest += one[one_offsets[chunk] + c * n_regions[chunk] + region] > 0
                        lowest = 0
                        if highest > 0 and open_records[chunk] >= 0:
                            lowest = max(0, highest - (open_records[chunk] - size))
                        if known < 0 or shared[known * _COLUMNS + _REGION] != region:
                            if n_shared == len(chances):
                                more = np.empty(2 * len(shared), np.int64)
                                for i in range(len(shared)):
                                    more[i] = shared[i]
                                shared = more
                                chances = np.empty(2 * n_shared, np.float64)
                            known = n_shared
                            n_shared += 1
                            row = known * _COLUMNS
                            shared[row + _CHUNK] = chunk
                            shared[row + _ASKED] = asked
                            shared[row + _REGION] = region
                            shared[row + _NEGATED] = negated
                            shared[row + _START] = start
                            shared[row + _END] = end
                            shared[row + _RECORDS] = 0
                            shared[row + _REACHED] = 0
                            shared[row + _LEAST] = 0
                        row = known * _COLUMNS
                        shared[row + _RECORDS] += size
                        shared[row + _REACHED] += size if highest > 0 else 0
                        highest = min(highest, size)
                        shared[row + _LEAST] += size - highest if negated else lowest
                        members_here[n_members] = known
                        n_members += 1
                if chunk == TERM or region == OWN:
                    expected /= size
                    expected_pairs /= max(1, size * (size - 1))
                    chance *= 1.0 - expected if negated else expected
                    pair *= 1.0 - 2 * expected + expected_pairs if negated else expected_pairs
                slack += highest if negated else size - lowest
                served = min(served, size - lowest if negated else highest)

            for i in range(n_members, widest):
                members_here[i] = -1
            g = 0
            while g < n_groups:
                same = True
                for i in range(widest):
                    same = same and members[g * widest + i] == members_here[i]
                if same:
                    break
                g += 1
            if g == n_groups:
                for i in range(widest):
                    members[g * widest + i] = members_here[i]
                weight[g], squares[g], pairs[g], group_most[g] = 0.0, 0.0, 0.0, 0
                n_groups += 1
            weight[g] += size * chance
            squares[g] += size_squares * chance * chance
            pairs[g] += (size_squares - size) * pair
            group_most[g] += served
            low += max(0, size - slack)
            high += served
            failing += slack
            records += size
            leaf = leaf_end
