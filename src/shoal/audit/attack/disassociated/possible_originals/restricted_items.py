"""What each leaf can take from shared chunks of several items, if some items are closed to some leaves.

A record takes a subrecord whole, so an item that is open to a leaf may still be in no subrecord that the leaf can take,
or only in ones that hold another item, too. If all items of a chunk are open, or there is only one, its domain is
enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.disassociated.people.leaves_of_items import MOST_ENTRIES, Places, TooManyPlaces, spread
from shoal.audit.disassociated.domains import Domains, number_items
from shoal.audit.disassociated.implied_items import implied_items
from shoal.audit.disassociated.subrecords import Bags
from shoal.data.arrays import Bools, Int32, Int64
from shoal.release.disassociated import Disassociated


@dataclass(frozen=True, eq=False)
class Restricted:
    """Items that leaves can take from restricted chunks, one entry for each leaf, chunk and item."""

    chunks: Bools
    """Which chunks are restricted."""
    possible: Bools
    """For each entry of the places, whether the leaf can take the item; always where the chunk is not restricted."""
    leaf: Int64
    """The cluster number of a leaf,"""
    entry: Int64
    """an item of a restricted chunk that it can take, by its entry in the domains,"""
    implied: Int64
    """and how many other items all subrecords with it hold that the leaf can take."""


def restricted_chunks(release: Disassociated, bags: Bags, domains: Domains, places: Places) -> Restricted:
    """Examine all subrecords of such chunks, for all leaves below; a chunk that the places leave out is open to all.

    Raises:
        TooManyPlaces: there are too many pairs of a subrecord and a leaf.
        TooWide: chunks are so wide that it would take too long.
    """
    n_items, n_leaves = len(release.vocabulary), max(len(places.leaves), 1)
    width = np.diff(domains.offsets)
    below = np.bincount(places.above_joint, minlength=release.n_clusters)[release.chunk_owner]
    in_chunk = np.flatnonzero(places.chunk >= 0)
    placed = np.bincount(places.chunk[in_chunk], minlength=release.n_chunks)
    chunks = release.chunk_shared & (width > 1) & (placed > 0) & (placed < width * below)
    here = in_chunk[chunks[places.chunk[in_chunk]]]
    entry, leaf = places.in_domain[here], places.keys[here] % n_leaves
    by_entry = np.argsort(entry, kind="stable")
    first = np.searchsorted(entry[by_entry], np.arange(len(domains.item) + 1))

    # Each leaf that can take a subrecord is open to each of its items.
    row = np.flatnonzero(chunks[bags.chunk])
    at, owner = spread(bags.offsets[row], bags.lengths[row])
    occurring = domains.offsets[bags.chunk[row[owner]]] + domains.local[at]
    counts = np.diff(first)[occurring]
    if int(counts.sum()) > MOST_ENTRIES:
        raise TooManyPlaces
    place, of = spread(first[occurring], counts)
    pair, open_items = np.unique(row[owner[of]] * n_leaves + leaf[by_entry[place]], return_counts=True)
    pair = pair[open_items == bags.lengths[pair // n_leaves]]

    # What a leaf can take of a chunk is treated as a separate chunk.
    row, taker = np.divmod(pair, n_leaves)
    own, number = np.unique(bags.chunk[row] * n_leaves + taker, return_inverse=True)
    order = np.argsort(number.reshape(-1), kind="stable")
    row, number = row[order], number.reshape(-1)[order]
    at, _ = spread(bags.offsets[row], bags.lengths[row])
    offsets = np.concatenate([[0], np.cumsum(bags.lengths[row])])
    taken = Bags(number, bags.weight[row], offsets, bags.items[at])
    domain = number_items(taken, len(own), n_items)
    chunk, taker = np.divmod(own[domain.chunk], n_leaves)
    possible = np.ones(len(places.keys), bool)
    possible[here] = np.isin(entry * n_leaves + leaf, _entries(domains, chunk, domain.item, n_items) * n_leaves + taker)
    return Restricted(
        chunks,
        possible,
        places.leaves[taker],
        _entries(domains, chunk, domain.item, n_items),
        implied_items(taken, domain).others,
    )


def _entries(domains: Domains, chunk: Int64, item: Int32, n_items: int) -> Int64:
    return np.searchsorted(domains.chunk * n_items + domains.item, chunk * n_items + item).astype(np.int64)
