"""The cover problem: what a cluster says of all its people, and so of whoever holds an item of its term chunk.

Two forms. (a) An item that every record of a leaf holds in every possible original: whoever holds a term-chunk item
there holds it too. (b) Liu, Feng, Zhu 2022 (conclusions): an item of a chunk all of whose subrecords are the whole
domain of the chunk, so that whoever holds it holds all the others. Both are attribute disclosure: k^m-anonymity is
about finding a record and does not cover them; a release may promise that there are none.

Where items were suppressed in records, a record may have held more items of its cluster's chunks than it shows. What
all records show, all held: form (a) stays as it is. Form (b) is certain then only if nobody can have lost the item who
lacks another one: every record that does not show the item shows all the others of the chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.audit.attack.disassociated.places import Places
from shoal.audit.attack.finding import Finding, Row, Value
from shoal.audit.disassociated import subrecords
from shoal.audit.disassociated.domains import Domains, number_items
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.wording import item_name
from shoal.release.disassociated import Disassociated

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_EXAMPLES, _NAMED = 3, 3
"""How many examples a finding has, and how many items each names."""


@dataclass(frozen=True, eq=False)
class CertainLinks:
    """What is certain of people although nobody was found."""

    leaf: Int64
    """Form (a): the leaf, by its cluster number, ascending,"""
    covering: Int64
    """and an item that all its records hold in every possible original."""
    chunk: Int64
    """Form (b): the chunk, ascending,"""
    item: Int64
    """and an item that occurs there only together with all the others of the chunk,"""
    certain: Bools
    """and whether whoever holds the item holds those for certain: always, unless items were suppressed."""


def certain_links(release: Disassociated) -> CertainLinks:
    """Find both forms in a release whose structure holds.

    Form (a) is found by counting: an item is certain where its subrecords are as many as the records that could take
    them. For a record chunk these are the records of the leaf; for a shared chunk, those of the leaves below in which
    the item has no place further down.

    Raises:
        TooManyPlaces: joints are nested so deeply that what the leaves may hold does not fit in memory.
    """
    _, bags = subrecords.read(release)
    domains = number_items(bags, release.n_chunks, len(release.vocabulary))
    owner = release.chunk_owner[domains.chunk]
    certain = ~release.chunk_shared[domains.chunk] & (domains.support == release.cluster_size[owner])
    leaf, covering = owner[certain], domains.item[certain].astype(np.int64)
    if release.chunk_shared.any():
        above = _certain_from_above(release, domains)
        leaf, covering = np.concatenate([leaf, above[0]]), np.concatenate([covering, above[1]])
    order = np.lexsort((covering, leaf))
    whole = _only_in_the_whole_domain(bags, domains)
    certain = _nobody_else_can_have_lost_it(release, bags, domains)
    return CertainLinks(
        leaf[order], covering[order], domains.chunk[whole], domains.item[whole].astype(np.int64), certain[whole]
    )


def _certain_from_above(release: Disassociated, domains: Domains) -> tuple[Int64, Int64]:
    """The leaves whose records must all take an item from a shared chunk, and the item."""
    places = Places.of(release, domains)
    shared = np.flatnonzero(np.append(release.chunk_shared, False)[places.chunk])
    item, leaf = np.divmod(places.keys[shared], max(len(places.leaves), 1))
    n_items = len(release.vocabulary)
    entry = np.searchsorted(domains.chunk * n_items + domains.item, places.chunk[shared] * n_items + item)
    size = release.cluster_size[places.leaves]
    # Numbers of records stay far below 2^53: a float sum of them is exact.
    room = np.bincount(entry, weights=size[leaf], minlength=len(domains.chunk))
    certain = domains.support[entry] == room[entry]
    return places.leaves[leaf[certain]], item[certain]


def _only_in_the_whole_domain(bags: Bags, domains: Domains) -> Bools:
    size = np.diff(domains.offsets)
    whole = bags.lengths == size[bags.chunk]
    times = np.bincount(bags.chunk[whole], weights=bags.weight[whole], minlength=len(size))
    only: Bools = (size[domains.chunk] > 1) & (domains.support == times[domains.chunk])
    return only


def _nobody_else_can_have_lost_it(release: Disassociated, bags: Bags, domains: Domains) -> Bools:
    """Whether every record that does not show an item of a chunk shows all its others, or nothing was suppressed.

    Asked of items that occur with all the others only: then a subrecord of all items but one lacks just the one that it
    does not show. In a shared chunk all records below count, also those that cannot hold the item: no more is said to
    be certain than is.
    """
    if not release.dropped.suppressed_instances:
        return np.ones(len(domains.chunk), bool)
    size = np.diff(domains.offsets)
    but_one = np.flatnonzero(bags.lengths == size[bags.chunk] - 1)
    # The one item that such a subrecord lacks: what remains of the sum of the domain's items.
    total = np.bincount(domains.chunk, weights=domains.item, minlength=len(size))
    shown = np.diff(np.concatenate([[0], np.cumsum(bags.items, dtype=np.int64)])[bags.offsets])
    lacking = (total.astype(np.int64)[bags.chunk] - shown)[but_one]
    n_items = max(len(release.vocabulary), 1)
    entry = np.searchsorted(domains.chunk * n_items + domains.item, bags.chunk[but_one] * n_items + lacking)
    with_the_others = np.bincount(entry, weights=bags.weight[but_one], minlength=len(domains.chunk))
    lacks = release.cluster_size[release.chunk_owner[domains.chunk]] - domains.support
    certain: Bools = with_the_others >= lacks
    return certain


def attack_cover(release: Disassociated) -> tuple[Finding, Finding]:
    """How much of a release is certain of somebody's attributes: form (a), then form (b)."""
    links = certain_links(release)
    return _covered_clusters(release, links), _covered_chunks(release, links)


def _covered_clusters(release: Disassociated, links: CertainLinks) -> Finding:
    n_leaves = int(np.count_nonzero(release.is_leaf))
    covered = np.zeros(release.n_clusters, bool)
    covered[links.leaf] = True
    cluster = np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))
    linked = covered[cluster]
    affected = len(np.unique(cluster[linked]))
    free = np.zeros(len(release.vocabulary), bool)
    free[release.term_items[~linked]] = True
    somewhere = np.unique(release.term_items[linked])
    sentence = (
        f"In {affected:,} of {n_leaves:,} clusters ({_share(affected, n_leaves):.0%}) all people hold some item in "
        "common, so that whoever holds an item of the term chunk there holds that one too, for certain; this is "
        + _covered(release)
    )
    numbers: dict[str, Value | Sequence[Row]] = {
        "clusters": n_leaves,
        "clusters_with_an_item_in_all_records": int(np.count_nonzero(covered)),
        "clusters_where_it_links_term_items": affected,
        "affected_clusters_share": _share(affected, n_leaves),
        "linked_pairs_of_cluster_and_term_item": int(np.count_nonzero(linked)),
        "linked_pairs_share": _share(int(np.count_nonzero(linked)), len(linked)),
        "items_linked_somewhere": len(somewhere),
        "items_linked_in_every_term_chunk_that_has_them": int(np.count_nonzero(~free[somewhere])),
        "items_that_all_records_of_a_cluster_hold": len(np.unique(links.covering)),
        "for_example": _linked_examples(release, links),
    }
    return Finding("cover", sentence, numbers, release.links is not None and affected > 0)


def _covered_chunks(release: Disassociated, links: CertainLinks) -> Finding:
    """Form (b), in chunks; a leaf is affected by its own chunks and by those of the joints above it."""
    leaf = release.is_leaf
    n_leaves = int(np.count_nonzero(leaf))
    chunks = np.unique(links.chunk[links.certain])
    affected = np.zeros(release.n_clusters, bool)
    affected[release.chunk_owner[chunks]] = True
    parent = release.cluster_parent
    above = np.where(parent < 0, np.arange(release.n_clusters), parent)
    while (above != above[above]).any() or (affected[above] & ~affected).any():
        affected |= affected[above]
        above = above[above]
    n_affected = int(np.count_nonzero(affected & leaf))
    sentence = (
        f"In {n_affected:,} of {n_leaves:,} clusters ({_share(n_affected, n_leaves):.0%}) some item occurs in its "
        "chunk only together with all the chunk's other items, so that whoever holds it holds those too, for certain; "
        "this is " + _covered(release)
    )
    numbers: dict[str, Value | Sequence[Row]] = {
        "clusters": n_leaves,
        "affected_clusters": n_affected,
        "affected_clusters_share": _share(n_affected, n_leaves),
        "chunks": release.n_chunks,
        "affected_chunks": len(chunks),
        "affected_chunks_share": _share(len(chunks), release.n_chunks),
        "pairs_of_chunk_and_item": int(np.count_nonzero(links.certain)),
        "different_items": len(np.unique(links.item[links.certain])),
        "pairs_in_doubt_because_items_were_suppressed": int(np.count_nonzero(~links.certain)),
        "for_example": _covered_examples(release, links),
    }
    return Finding("cover inside chunks", sentence, numbers, release.links is not None and len(chunks) > 0)


def _covered(release: Disassociated) -> str:
    return "attribute disclosure, which " + (
        "the promise does not cover." if release.links is None else "this release promises there is none of."
    )


def _linked_examples(release: Disassociated, links: CertainLinks) -> list[Row]:
    """The first clusters of which a term chunk is linked to an item, with their names."""
    terms = np.diff(release.term_offsets)
    rows: list[Row] = []
    for at in np.flatnonzero(terms[links.leaf] > 0)[:_EXAMPLES].tolist():
        leaf = int(links.leaf[at])
        codes = release.term_items[release.term_offsets[leaf] : release.term_offsets[leaf + 1]].tolist()
        rows.append(
            {
                "cluster": leaf,
                "in_all_records": item_name(release.vocabulary, int(links.covering[at])),
                "linked_to_it": _names(release, codes),
            }
        )
    return rows


def _covered_examples(release: Disassociated, links: CertainLinks) -> list[Row]:
    """The first items that occur only with all the others of their chunk, with their names."""
    rows: list[Row] = []
    shown = np.flatnonzero(links.certain)[:_EXAMPLES]
    for chunk, item in zip(links.chunk[shown].tolist(), links.item[shown].tolist(), strict=True):
        start, end = release.subrecord_offsets[release.chunk_offsets[[chunk, chunk + 1]]].tolist()
        others = sorted(set(release.items[start:end].tolist()) - {item})
        rows.append(
            {
                "cluster": int(release.chunk_owner[chunk]),
                "item": item_name(release.vocabulary, item),
                "comes_only_with": _names(release, others),
            }
        )
    return rows


def _names(release: Disassociated, codes: list[int]) -> str:
    shown = ", ".join(item_name(release.vocabulary, code) for code in codes[:_NAMED])
    return shown + (f" and {len(codes) - _NAMED:,} more" if len(codes) > _NAMED else "")


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
