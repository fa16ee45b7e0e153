"""The cover problem: what a release says with certainty about everyone who holds some item.

A link is certain if, in every possible original, all records of a cluster that hold one item also hold another. Across
chunks: an item that every record of a leaf holds is implied by every other item there. Inside a chunk: an item whose
subrecords all hold another one implies that one (Liu, Feng, Zhu 2022, conclusions, ask for all the others of the
chunk). Both are attribute disclosure: k^m-anonymity is about finding a record and does not cover them; a release may
promise that there are none.

If items were suppressed in records, a record may have held more items of its cluster's chunks than it shows. Items that
all records show, all held: links across chunks remain. Inside a chunk the first item may have been suppressed in a
record that lacks the second, unless the second is in all records.

A record takes a subrecord of a shared chunk whole: if items are closed to some leaves, only the subrecords that the
others can take count for them (``restricted.py``). In chunks with several different subrecords of that kind, which
Shoal does not publish, some links may be missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.audit.attack.disassociated.people.leaves_of_items import Meeting, Places, spread
from shoal.audit.attack.disassociated.possible_originals.restricted_items import Restricted, restricted_chunks
from shoal.audit.attack.finding import Finding, Row, Value
from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.implied_items import implied_items
from shoal.audit.disassociated.numbered_items import numbered
from shoal.audit.residual import Residual
from shoal.audit.wording import item_name
from shoal.data.arrays import Bools, Int64
from shoal.release.disassociated import Disassociated

_EXAMPLES, _NAMED = 3, 3
"""How many examples a finding shows, and how many items each names."""


@dataclass(frozen=True, eq=False)
class CertainLinks:
    """Attributes that are certain although no record was found."""

    leaf: Int64
    """Across chunks: the leaf, by its cluster number, ascending,"""
    covering: Int64
    """and an item that all its records hold in every possible original."""
    others: Int64
    """For each leaf of these, how many other items its records may hold: each implies the covering one."""
    chunk: Int64
    """Inside chunks: the chunk, ascending,"""
    item: Int64
    """an item that occurs there only together with others,"""
    implied: Int64
    """how many others these are,"""
    certain: Int64
    """and how many of them are certain for everyone who holds the item: all, unless items were suppressed."""
    inside: Bools
    """For each cluster, whether it is a leaf with such a certain link in its chunks or in shared ones above it."""
    worst: Int64
    """For each chunk and item of these, the leaf that the link applies to, if items are closed to some; or -1."""


def certain_links(release: Disassociated) -> CertainLinks:
    """Find all certain links in a release with a valid structure.

    Items that all records of a leaf hold are found by counting: an item is certain if it has as many subrecords as
    there are records that could take them. For a record chunk these are the records of the leaf; for a shared chunk,
    those of the leaves below in which the item has no place further down.

    Raises:
        TooManyPlaces: joints are nested so deeply that the index of what the leaves may hold does not fit in memory.
        TooWide: chunks are so wide that it would take too long.
    """
    _, bags, domains = numbered(release)
    owner = release.chunk_owner[domains.chunk]
    everywhere = domains.support == release.cluster_size[owner]
    own = everywhere & ~release.chunk_shared[domains.chunk]
    leaf, covering = owner[own], domains.item[own].astype(np.int64)
    may_hold = np.bincount(owner, minlength=release.n_clusters) + np.diff(release.term_offsets)
    implied, worst = implied_items(bags, domains).others, np.full(len(domains.item), -1, np.int64)
    restricted = None
    if release.chunk_shared.any():
        meeting = Meeting.of(release, domains)
        places = Places.of(release, domains, meeting)
        restricted = restricted_chunks(release, bags, domains, places)
        for above in (
            _certain_from_above(release, domains, places, restricted.possible),
            _certain_in_open(
                places, owner, domains, everywhere & release.chunk_shared[domains.chunk] & ~meeting.entries
            ),
        ):
            leaf, covering = np.concatenate([leaf, above[0]]), np.concatenate([covering, above[1]])
        may_hold = _may_hold(release, owner, meeting, places, restricted.possible)
        implied[restricted.chunks[domains.chunk]] = 0
        np.maximum.at(implied, restricted.entry, restricted.implied)
        most = (restricted.implied > 0) & (restricted.implied == implied[restricted.entry])
        worst[restricted.entry[most]] = restricted.leaf[most]
    order = np.lexsort((covering, leaf))
    certain = implied
    if release.dropped.suppressed_instances:
        in_chunk = np.bincount(domains.chunk[everywhere], minlength=release.n_chunks)
        certain = in_chunk[domains.chunk] - everywhere
    found = np.flatnonzero(implied)
    return CertainLinks(
        *(leaf[order], covering[order], may_hold[leaf[order]] - 1),
        *(domains.chunk[found], domains.item[found].astype(np.int64), implied[found], certain[found]),
        *(_leaves_inside(release, domains, certain, restricted), worst[found]),
    )


def _leaves_inside(release: Disassociated, domains: Domains, certain: Int64, restricted: Restricted | None) -> Bools:
    """The leaves with a certain link in their own chunks or in those of the joints above them."""
    linked = certain > 0
    affected = np.zeros(release.n_clusters, bool)
    if restricted is not None:
        linked &= ~restricted.chunks[domains.chunk]
    affected[release.chunk_owner[domains.chunk[linked]]] = True
    parent = release.cluster_parent
    above = np.where(parent < 0, np.arange(release.n_clusters), parent)
    while (above != above[above]).any() or (affected[above] & ~affected).any():
        affected |= affected[above]
        above = above[above]
    if restricted is not None:
        here = (restricted.implied > 0) & (certain[restricted.entry] > 0)
        affected[restricted.leaf[here]] = True
    inside: Bools = affected & release.is_leaf
    return inside


def _certain_from_above(
    release: Disassociated, domains: Domains, places: Places, possible: Bools
) -> tuple[Int64, Int64]:
    """The leaves whose records must all take an item from a shared chunk, and the item."""
    shared = np.flatnonzero(np.append(release.chunk_shared, False)[places.chunk] & possible)
    entry, leaf = places.in_domain[shared], places.keys[shared] % max(len(places.leaves), 1)
    size = release.cluster_size[places.leaves]
    # Numbers of records are far below 2^53: a float sum of them is exact.
    room = np.bincount(entry, weights=size[leaf], minlength=len(domains.chunk))
    certain = domains.support[entry] == room[entry]
    return places.leaves[leaf[certain]], domains.item[entry[certain]].astype(np.int64)


def _certain_in_open(places: Places, owner: Int64, domains: Domains, certain: Bools) -> tuple[Int64, Int64]:
    """The leaves below a joint cluster all of whose records hold an item that is open to all of them, and the item."""
    entry = np.flatnonzero(certain)
    entry = entry[np.argsort(owner[entry], kind="stable")]
    first = np.searchsorted(owner[entry], places.above_joint)
    place, pair = spread(first, np.searchsorted(owner[entry], places.above_joint, side="right") - first)
    return places.leaves[places.above_leaf[pair]], domains.item[entry[place]].astype(np.int64)


def _may_hold(release: Disassociated, owner: Int64, meeting: Meeting, places: Places, possible: Bools) -> Int64:
    """How many items the records of each leaf may hold: its own, those of open shared chunks, and what is indexed."""
    terms = np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))[~meeting.terms]
    alone = np.bincount(np.concatenate([owner[~meeting.entries], terms]), minlength=release.n_clusters)
    held = alone.copy()
    np.add.at(held, places.leaves[places.above_leaf], alone[places.above_joint])
    indexed = places.keys[possible] % max(len(places.leaves), 1)
    held[places.leaves] += np.bincount(indexed, minlength=len(places.leaves))
    return held.astype(np.int64)


def attack_cover(release: Disassociated) -> tuple[Finding, Finding]:
    """How many attributes a release makes certain: across chunks, then inside chunks."""
    links = certain_links(release)
    return _covered_clusters(release, links), _covered_chunks(release, links)


def residuals(release: Disassociated, links: CertainLinks) -> tuple[Residual | None, Residual | None]:
    """The shares of clusters with certain links, across and inside chunks, unless the release promises none."""
    if release.links is not None:
        return None, None
    n_leaves = int(np.count_nonzero(release.is_leaf))
    across, inside = len(np.unique(links.leaf[links.others > 0])), int(np.count_nonzero(links.inside))
    return (
        Residual(_share(across, n_leaves), "clusters", "have an item that everyone there holds for certain"),
        Residual(_share(inside, n_leaves), "clusters", "have an item whose holders hold another one for certain"),
    )


def _covered_clusters(release: Disassociated, links: CertainLinks) -> Finding:
    n_leaves = int(np.count_nonzero(release.is_leaf))
    linking = links.others > 0
    affected = len(np.unique(links.leaf[linking]))
    covered = np.zeros(release.n_clusters, bool)
    covered[links.leaf] = True
    cluster = np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))
    linked = covered[cluster]
    sentence = (
        f"In {affected:,} of {n_leaves:,} clusters ({_share(affected, n_leaves):.0%}) all people have some item in "
        "common, so anyone who holds another item there certainly holds that one, too; this is " + _covered(release)
    )
    numbers: dict[str, Value | Sequence[Row]] = {
        "clusters": n_leaves,
        "clusters_with_an_item_in_all_records": len(np.unique(links.leaf)),
        "affected_clusters": affected,
        "affected_clusters_share": _share(affected, n_leaves),
        "certain_links": int(links.others.sum()),
        "linked_pairs_of_cluster_and_term_item": int(np.count_nonzero(linked)),
        "linked_pairs_share": _share(int(np.count_nonzero(linked)), len(linked)),
        "items_that_all_records_of_a_cluster_hold": len(np.unique(links.covering)),
        "for_example": _common_examples(release, links),
    }
    broken = release.links is not None and affected > 0
    return Finding("cover", sentence, numbers, broken, residuals(release, links)[0])


def _covered_chunks(release: Disassociated, links: CertainLinks) -> Finding:
    """Links inside chunks; a leaf is affected by its own chunks and by those of the joints above it."""
    n_leaves = int(np.count_nonzero(release.is_leaf))
    certain = links.certain > 0
    chunks = np.unique(links.chunk[certain])
    n_affected = int(np.count_nonzero(links.inside))
    sentence = (
        f"In {n_affected:,} of {n_leaves:,} clusters ({_share(n_affected, n_leaves):.0%}) some item occurs in its "
        "chunk only together with another one, so anyone who holds it certainly holds that one, too; this is "
    ) + _covered(release)
    numbers: dict[str, Value | Sequence[Row]] = {
        "clusters": n_leaves,
        "affected_clusters": n_affected,
        "affected_clusters_share": _share(n_affected, n_leaves),
        "chunks": release.n_chunks,
        "affected_chunks": len(chunks),
        "affected_chunks_share": _share(len(chunks), release.n_chunks),
        "certain_links": int(links.certain.sum()),
        "different_items": len(np.unique(links.item[certain])),
        "links_in_doubt_because_items_were_suppressed": int((links.implied - links.certain).sum()),
        "for_example": _implied_examples(release, links),
    }
    broken = release.links is not None and len(chunks) > 0
    return Finding("cover inside chunks", sentence, numbers, broken, residuals(release, links)[1])


def _covered(release: Disassociated) -> str:
    return "attribute disclosure, which " + (
        "the promise does not cover." if release.links is None else "this release promises there is none of."
    )


def _common_examples(release: Disassociated, links: CertainLinks) -> list[Row]:
    """The worst: items of all records that most other items imply."""
    rows: list[Row] = []
    for at in np.lexsort((links.leaf, -links.others))[:_EXAMPLES].tolist():
        if links.others[at]:
            row: Row = {
                "cluster": int(links.leaf[at]),
                "in_all_records": item_name(release.vocabulary, int(links.covering[at])),
                "other_items_that_imply_it": int(links.others[at]),
            }
            rows.append(row)
    return rows


def _implied_examples(release: Disassociated, links: CertainLinks) -> list[Row]:
    """The worst: items that imply most others of their chunk."""
    rows: list[Row] = []
    for at in np.lexsort((links.item, links.chunk, -links.certain))[:_EXAMPLES].tolist():
        if not links.certain[at]:
            break
        chunk, item = int(links.chunk[at]), int(links.item[at])
        first, end = release.chunk_offsets[[chunk, chunk + 1]].tolist()
        bounds = release.subrecord_offsets[first : end + 1].tolist()
        held = [set(release.items[a:b].tolist()) for a, b in pairwise(bounds)]
        shut = _closed_to(release, int(links.worst[at]), int(release.chunk_owner[chunk]))
        others = set.intersection(*(row for row in held if item in row and not row & shut)) - {item}
        rows.append(
            {
                "cluster": int(release.chunk_owner[chunk] if links.worst[at] < 0 else links.worst[at]),
                "item": item_name(release.vocabulary, item),
                "comes_only_with": _names(release, sorted(others)),
            }
        )
    return rows


def _closed_to(release: Disassociated, leaf: int, owner: int) -> set[int]:
    """The items that a leaf has in chunks on the way up to the owner of a shared chunk; none for leaf -1."""
    items: set[int] = set()
    at = leaf if leaf >= 0 else owner
    while at != owner:
        for chunk in np.flatnonzero(release.chunk_owner == at).tolist():
            first, end = release.subrecord_offsets[release.chunk_offsets[[chunk, chunk + 1]]].tolist()
            items |= set(release.items[first:end].tolist())
        at = int(release.cluster_parent[at])
    return items


def _names(release: Disassociated, codes: list[int]) -> str:
    shown = ", ".join(item_name(release.vocabulary, code) for code in codes[:_NAMED])
    return shown + (f" and {len(codes) - _NAMED:,} more" if len(codes) > _NAMED else "")


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
