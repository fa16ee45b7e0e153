"""Whether a release that promises no certain links has any (the cover problem).

A link is certain if, in every possible original, all records of a cluster that hold one item also hold another. In a
release that passes the other checks, subrecords can be placed freely wherever their items are open, so links are
certain only in these cases:

* both items are in one chunk, and every subrecord there that holds the first holds the second;
* the second is in all records of a cluster that may hold other items: by its record chunk, or because a shared chunk
  has it as often as there are records below to which it is open.

A term-chunk item may be in one record only, so nothing implies it. If an item of a shared chunk is closed to some
clusters (they have it elsewhere), a subrecord counts for an item only if every cluster that could take the item could
take the subrecord, and the open clusters need one record more than the restricted subrecords take. That is sufficient,
and not always necessary.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.implied_items import MOST_WORDS, TooWide, implied_items
from shoal.audit.disassociated.shared_chunk_room import SharedItems, open_records_of, restricted_subrecords
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, chunk_place, item_name, records
from shoal.data.arrays import Bools
from shoal.release.disassociated import Disassociated


def check_links(release: Disassociated, bags: Bags, domains: Domains, shared: SharedItems) -> list[Check]:
    """No item is in all records of a cluster that may hold others, and none implies another inside a chunk."""
    return [
        _check_common_items(release, domains, shared),
        _check_implied_items(release, bags, domains, shared),
        _check_room(release, bags, domains, shared),
    ]


def _check_common_items(release: Disassociated, domains: Domains, shared: SharedItems) -> Check:
    owner = release.chunk_owner[domains.chunk]
    could = release.cluster_size[owner]
    could[shared.entry] = shared.open_records
    wrong = np.flatnonzero(_may_hold_others(release, domains)[owner] & (domains.support >= could))
    witness = None
    if len(wrong):
        at = int(wrong[0])
        witness = (
            f"{chunk_place(release, int(domains.chunk[at]))}: {item_name(release.vocabulary, int(domains.item[at]))} "
            f"is in all {records(int(could[at]))} that could hold it, so every other item there implies it"
            + and_more(len(wrong) - 1, "items")
        )
    what = "no item is in all the records of a cluster that may hold other items"
    return decided("links to common items", what, len(domains.item), witness)


def _may_hold_others(release: Disassociated, domains: Domains) -> Bools:
    """Which clusters may hold more than one item; joint clusters, and the clusters below them, always count."""
    items = np.bincount(release.chunk_owner[domains.chunk], minlength=release.n_clusters)
    items += np.diff(release.term_offsets)
    several: Bools = (items > 1) | (release.cluster_parent >= 0) | ~release.is_leaf
    return several


def _check_implied_items(release: Disassociated, bags: Bags, domains: Domains, shared: SharedItems) -> Check:
    name, what = "links inside chunks", "in no chunk does an item occur only together with another one"
    try:
        implied = implied_items(bags, domains, _counted(bags, domains, shared))
    except TooWide:
        why = f"chunks are so wide that more than {MOST_WORDS:,} words of masks would have to be intersected"
        return not_checked(name, what, why)
    wrong = np.flatnonzero(implied.others)
    witness = None
    if len(wrong):
        at = int(wrong[0])
        item, other = (item_name(release.vocabulary, int(domains.item[e])) for e in (at, implied.first[at]))
        witness = f"{chunk_place(release, int(domains.chunk[at]))}: {item} occurs only together with {other}"
        witness += and_more(len(wrong) - 1, "items")
    return decided(name, what, len(domains.item), witness)


def _counted(bags: Bags, domains: Domains, shared: SharedItems) -> Bools | None:
    """For each occurrence, whether all clusters to which its item is open could take the subrecord."""
    if not shared.closed.any():
        return None
    closed = np.zeros(len(domains.item), bool)
    closed[shared.entry[shared.closed]] = True
    row = np.repeat(np.arange(len(bags.chunk)), bags.lengths)
    here = closed[domains.offsets[bags.chunk[row]] + domains.local]
    restricting = np.bincount(row[here], minlength=len(bags.chunk))
    counted: Bools = restricting[row] <= here
    return counted


def _check_room(release: Disassociated, bags: Bags, domains: Domains, shared: SharedItems) -> Check:
    """If items are closed to some clusters: one record of an open cluster needs nothing of the chunk."""
    name = "links through restricted subrecords"
    what = (
        "where an item of a shared chunk is closed to some clusters below, the other clusters have more records than "
        "the chunk has subrecords with such items, and all clusters more records than it has subrecords"
    )
    strict = np.unique(shared.chunk[shared.closed])
    open_records = open_records_of(release, shared)
    if open_records is None:
        return not_checked(name, what, "too many occurrences of items that are closed to some clusters")
    restricted = restricted_subrecords(bags, domains, shared, release.n_chunks)
    subrecords = np.bincount(bags.chunk, weights=bags.weight, minlength=release.n_chunks).astype(np.int64)
    size = release.cluster_size[release.chunk_owner]
    wrong = strict[(restricted[strict] >= open_records[strict]) | (subrecords[strict] >= size[strict])]
    witness = None
    if len(wrong):
        chunk = int(wrong[0])
        witness = (
            f"{chunk_place(release, chunk)}: {int(restricted[chunk]):,} of its {int(subrecords[chunk]):,} subrecords "
            "can go to some clusters only; the clusters that can take all of them have "
            f"{records(int(open_records[chunk]))}, all clusters below {records(int(size[chunk]))}"
        ) + and_more(len(wrong) - 1, "chunks")
    return decided(name, what, len(strict), witness)
