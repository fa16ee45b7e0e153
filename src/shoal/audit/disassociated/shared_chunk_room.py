"""Whether the records below a joint cluster have room for its shared chunks, whatever an adversary assumes.

Terrovitis et al., VLDB 2012, sections 3 and 5. A record takes an item from a shared chunk only if its cluster's term
chunk could have held it: the item is in no record chunk of the cluster, and in no shared chunk between the two. Such an
item is *closed* to the clusters that have it elsewhere, a subrecord with an item that is closed somewhere is
*restricted*, and the clusters to which no item of the chunk is closed are *open*.

Property 1 requires a chunk with restricted subrecords to be k-anonymous. That is not enough for Guarantee 1: with k =
3, a shared chunk {a} four times and {b} three times over three clusters of three records, one of which has a in a
record chunk, leaves room for only two {b} in either of the others, since the four {a} need four of their six records.
It is enough that the open clusters can take all restricted subrecords and k others: then k copies of any subrecord fit
into any cluster that may take it, the remaining restricted ones into the open clusters, and the rest anywhere. If all
subrecords are restricted, no others need room.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.forest import Forest
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, chunk_place, item_name, records
from shoal.data.arrays import Bools, Int64
from shoal.release.disassociated import Disassociated

_MOST_OCCURRENCES = 20_000_000
"""How many occurrences of closed items may be processed together, for chunks with several of them."""


@dataclass(frozen=True, eq=False)
class SharedItems:
    """The items of all shared chunks, and what lies below each: positions ``first`` to ``beyond - 1`` of the forest."""

    entry: Int64
    """Which entries of the domains they are."""
    item: Int64
    chunk: Int64
    first: Int64
    beyond: Int64
    closed: Bools
    """Whether the item is closed to some cluster below."""
    open_records: Int64
    """How many records below it is open to."""
    occurrences: Occurrences


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The record and shared chunks in which items of shared chunks occur, by item and then by position."""

    keys: Int64
    """``item * number of clusters + position``, ascending."""
    below: Int64
    """How many positions the owner's subtree covers."""
    held: Int64
    """The records of the leaves below the owner."""

    def upto(self, item: Int64, position: Int64, n_clusters: int) -> Int64:
        """How many occurrences come before an item at a position."""
        return np.searchsorted(self.keys, item * n_clusters + position).astype(np.int64)

    def own_records(self, n_clusters: int) -> Int64:
        """For each occurrence, the records for which it is the nearest occurrence of the item, going up.

        Subtrees are nested or disjoint, so an occurrence's depth among those of its item is the number that began
        before it and did not end; the enclosing one is the last one before it of the depth above.
        """
        item, position = self.keys // n_clusters, self.keys % n_clusters
        # An item's positions take n_clusters + 1 numbers here, so an end is never the beginning of the next item.
        starts = item * (n_clusters + 1) + position
        ends = np.sort(starts + self.below)
        depth = np.arange(len(starts)) - np.searchsorted(ends, starts, side="right")
        own = self.held.copy()
        inside = np.flatnonzero(depth > 0)
        if len(inside) == 0:
            return own
        by_depth = np.lexsort((starts, depth))
        # Depth and place in one ascending number: the place of an occurrence is its rank by start.
        rank = depth[by_depth] * len(starts) + by_depth
        enclosing = by_depth[np.searchsorted(rank, (depth[inside] - 1) * len(starts) + inside) - 1]
        np.subtract.at(own, enclosing, self.held[inside])
        return own


def shared_items(release: Disassociated, forest: Forest, domains: Domains) -> SharedItems:
    """Find every item of every shared chunk, and how many records below it is closed to."""
    n_clusters = release.n_clusters
    entry = np.flatnonzero(release.chunk_shared[domains.chunk])
    item, chunk = domains.item[entry].astype(np.int64), domains.chunk[entry]
    owner = release.chunk_owner[chunk]
    first, beyond = forest.position[owner] + 1, forest.position[owner] + forest.below[owner]

    concerned = np.zeros(len(release.vocabulary), bool)
    concerned[item] = True
    relevant = np.flatnonzero(concerned[domains.item])
    place = release.chunk_owner[domains.chunk[relevant]]
    keys = domains.item[relevant].astype(np.int64) * n_clusters + forest.position[place]
    order = np.argsort(keys, kind="stable")
    place = place[order]
    occurrences = Occurrences(keys[order], forest.below[place], forest.leaf_records[place])

    start = occurrences.upto(item, first, n_clusters)
    end = occurrences.upto(item, beyond, n_clusters)
    sums = np.concatenate([[0], np.cumsum(occurrences.own_records(n_clusters))])
    open_records = forest.leaf_records[owner] - (sums[end] - sums[start])
    return SharedItems(entry, item, chunk, first, beyond, end > start, open_records, occurrences)


def check_items(release: Disassociated, domains: Domains, shared: SharedItems) -> Check:
    """No item of a shared chunk occurs more often than the clusters below could have held it in their term chunks."""
    support = domains.support[shared.entry]
    wrong = np.flatnonzero(support > shared.open_records)
    witness = None
    if len(wrong):
        at = wrong[0]
        name = item_name(release.vocabulary, int(shared.item[at]))
        witness = (
            f"{chunk_place(release, int(shared.chunk[at]))}: {name} occurs {int(support[at]):,} times, but only "
            f"{records(int(shared.open_records[at]))} below are in clusters whose term chunk could have held it"
        ) + and_more(len(wrong) - 1, "items")
    what = "enough records below a joint cluster are in clusters whose term chunks could have held each shared item"
    return decided("room for shared items", what, len(shared.entry), witness)


def check_subrecords(release: Disassociated, bags: Bags, domains: Domains, shared: SharedItems) -> Check:
    """Open clusters can take all restricted subrecords of a shared chunk, and k others."""
    name = "room beside restricted subrecords"
    what = (
        "where an item of a shared chunk is closed to some clusters below (they have it elsewhere), the other clusters "
        "can take all subrecords with such items, and k others if there are any"
    )
    n_chunks = release.n_chunks
    strict = np.unique(shared.chunk[shared.closed])
    open_records = open_records_of(release, shared)
    if open_records is None:
        why = f"more than {_MOST_OCCURRENCES:,} occurrences of items closed to some clusters would have to be examined"
        return not_checked(name, what, why)
    subrecords = np.bincount(bags.chunk, weights=bags.weight, minlength=n_chunks).astype(np.int64)
    restricted = restricted_subrecords(bags, domains, shared, n_chunks)
    k = min(release.promise.k, 2**61)
    needed = restricted + np.where(subrecords > restricted, k, 0)
    wrong = strict[needed[strict] > open_records[strict]]
    witness = None
    if len(wrong):
        chunk = int(wrong[0])
        witness = (
            f"{chunk_place(release, chunk)}: {int(restricted[chunk]):,} of its {int(subrecords[chunk]):,} subrecords "
            "can go to some clusters only; the clusters that can take all of them have "
            f"{records(int(open_records[chunk]))}, fewer than {int(needed[chunk]):,}"
        ) + and_more(len(wrong) - 1, "chunks")
    return decided(name, what, len(strict), witness)


def open_records_of(release: Disassociated, shared: SharedItems) -> Int64 | None:
    """The records of the clusters to which no item of a chunk is closed, for chunks with closed items; -1 for others.

    None if too many occurrences would have to be examined.
    """
    n_chunks = release.n_chunks
    closed_items = np.bincount(shared.chunk[shared.closed], minlength=n_chunks)
    looked_at = shared.closed & (closed_items[shared.chunk] > 1)
    spans = _spans(shared, looked_at, release.n_clusters)
    if int((spans[1] - spans[0]).sum()) > _MOST_OCCURRENCES:
        return None
    open_records = np.full(n_chunks, -1, np.int64)
    alone = shared.closed & ~looked_at
    open_records[shared.chunk[alone]] = shared.open_records[alone]
    several = np.flatnonzero(closed_items > 1)
    open_records[several] = release.cluster_size[release.chunk_owner[several]]
    np.subtract.at(open_records, *_covered(shared, looked_at, spans, release.n_clusters))
    return open_records


def restricted_subrecords(bags: Bags, domains: Domains, shared: SharedItems, n_chunks: int) -> Int64:
    """How many subrecords of each chunk have an item that is closed somewhere."""
    closed_entry = np.zeros(len(domains.item), bool)
    closed_entry[shared.entry[shared.closed]] = True
    some = np.zeros(n_chunks, bool)
    some[shared.chunk[shared.closed]] = True
    rows = np.flatnonzero(some[bags.chunk])
    if len(rows) == 0:
        return np.zeros(n_chunks, np.int64)
    lengths = bags.lengths[rows]
    starts = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(bags.offsets[rows] - starts, lengths)
    entry = domains.local[places] + np.repeat(domains.offsets[bags.chunk[rows]], lengths)
    hit = np.logical_or.reduceat(closed_entry[entry], starts)
    counted: Int64 = np.bincount(bags.chunk[rows[hit]], weights=bags.weight[rows[hit]], minlength=n_chunks).astype(
        np.int64
    )
    return counted


def _spans(shared: SharedItems, looked_at: Bools, n_clusters: int) -> tuple[Int64, Int64]:
    item, first, beyond = shared.item[looked_at], shared.first[looked_at], shared.beyond[looked_at]
    return shared.occurrences.upto(item, first, n_clusters), shared.occurrences.upto(item, beyond, n_clusters)


def _covered(shared: SharedItems, looked_at: Bools, spans: tuple[Int64, Int64], n_clusters: int) -> tuple[Int64, Int64]:
    """For chunks with several closed items: the subtrees that have any of them, none inside another, and their records.

    Returns pairs of a chunk and the records of one such subtree.
    """
    start, end = spans
    lengths = end - start
    chunk = np.repeat(shared.chunk[looked_at], lengths)
    place = np.arange(int(lengths.sum())) + np.repeat(start - (np.cumsum(lengths) - lengths), lengths)
    position = shared.occurrences.keys[place] % n_clusters
    below, held = shared.occurrences.below[place], shared.occurrences.held[place]
    order = np.lexsort((-below, position, chunk))
    chunk, position, below, held = chunk[order], position[order], below[order], held[order]
    begin = chunk * (n_clusters + 1) + position
    reached = np.maximum.accumulate(begin + below) if len(begin) else begin
    outermost = np.ones(len(begin), bool)
    outermost[1:] = begin[1:] >= reached[:-1]
    return chunk[outermost], held[outermost]
