"""Where the parts of a release may go: records as places in a line, and the places that each part may take.

Terrovitis et al., VLDB 2012, section 3. The records of all leaves stand in a line, in depth-first order, so that what
lies below a joint is one stretch of places. A *part* is what is placed as a whole: a record chunk, a shared chunk or a
term-chunk item. Its pieces (subrecords, or occurrences of the item) go to different places of its cluster's stretch.

A subrecord of a shared chunk cannot go to a leaf to which one of its items is *closed*: the leaf has the item in a
record chunk, or in a shared chunk of a joint that lies between the two. Publishing with Shoal makes such chunks of
copies of one subrecord; then all pieces may take the same places, and *gaps* (stretches that are closed) say which.
Chunks whose subrecords may take different places are *mixed*, and kept apart: only releases made by hand have them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Int64
from shoal.errors import DamagedRelease, InputError
from shoal.release.disassociated import Disassociated

_RECORDS_A_PIECE = 1_000
"""A release that claims more records for each of its pieces is not worked on: it would fill any memory with nothing."""


@dataclass(frozen=True, eq=False)
class Mixed:
    """A shared chunk whose subrecords may take different places."""

    allowed: tuple[Bools, ...]
    """For each kind of subrecord, which places of the stretch it may take; those that may take the fewest first."""
    kind: Int64
    """The kind of each subrecord."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """The stretches that are closed to parts, by part and then by place; none touches another part's."""

    part: Int64
    first: Int64
    beyond: Int64
    rank: Int64
    """How many places of the part come before the gap and are not closed."""
    skipped: Int64
    """How many places of the part are closed up to the gap's end."""


@dataclass(frozen=True, eq=False)
class Layout:
    """All parts of a release and their places. Parts are numbered: the chunks, then the term-chunk items."""

    n_places: int
    first: Int64
    """Where the stretch of each part begins."""
    open: Int64
    """How many places of the stretch are not closed to the part."""
    pieces: Int64
    """How many subrecords a chunk has; 1 for a term-chunk item."""
    tree: Int64
    """The root cluster above each part, counted from 0."""
    leaf_number: Int64
    """The leaves, by place, as the release numbers them."""
    leaf_first: Int64
    """Where each leaf begins, and the end."""
    leaf_tree: Int64
    needy: Bools
    """Which leaves have no record chunk that fills all their records, so that one of them could stay empty."""
    concerned: Bools
    """Which parts may go to a needy leaf."""
    gaps: Gaps
    mixed: dict[int, Mixed]
    records: Int64 | None
    """The record that stands at each place, where leaves are not numbered depth first; else it is the place."""


def lay_out(release: Disassociated) -> Layout:
    """Find the places of every part.

    Raises:
        DamagedRelease: clusters, sizes or chunks do not fit each other, as they do in every release that passes an
            audit; says where.
        InputError: it claims too many records for what it holds.
    """
    _require_shape(release)
    index = _depth_first(release)
    size, leaf = np.empty_like(release.cluster_size), np.empty(release.n_clusters, bool)
    size[index], leaf[index] = release.cluster_size, release.is_leaf
    ends = np.cumsum(np.where(leaf, size, 0))
    first = ends - np.where(leaf, size, 0)
    roots = np.empty(release.n_clusters, bool)
    roots[index] = release.cluster_parent < 0
    tree = np.cumsum(roots) - 1

    term_cluster = np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))
    node = index[np.concatenate([release.chunk_owner, term_cluster])]
    subrecords = np.diff(release.chunk_offsets)
    pieces = np.concatenate([subrecords, np.ones(len(term_cluster), np.int64)])
    gaps, mixed = _closed(release, node[: release.n_chunks], first, first + size)
    places = size[node]
    np.subtract.at(places, gaps.part, gaps.beyond - gaps.first)
    crowded = np.flatnonzero(places < pieces)
    if len(crowded):
        raise damaged(
            f"the {int(pieces[crowded[0]]):,} subrecords of chunk {int(crowded[0])} have only "
            f"{int(places[crowded[0]]):,} records to go to"
        )

    leaves = np.flatnonzero(leaf)
    full = np.zeros(release.n_clusters, bool)
    full[node[: release.n_chunks][subrecords == size[node[: release.n_chunks]]]] = True
    needy_node = leaf & ~full
    needy_before = np.concatenate([[0], np.cumsum(needy_node)])
    last = np.searchsorted(first, first + size)  # what lies below a cluster ends where places behind it begin
    concerned = needy_before[last[node]] > needy_before[node]
    number = np.empty_like(index)
    number[index] = np.arange(release.n_clusters)
    starts = np.append(first[leaves], ends[-1])
    return Layout(
        n_places=int(ends[-1]),
        first=first[node],
        open=places,
        pieces=pieces,
        tree=tree[node],
        leaf_number=number[leaves],
        leaf_first=starts,
        leaf_tree=tree[leaves],
        needy=needy_node[leaves],
        concerned=concerned,
        gaps=gaps,
        mixed=mixed,
        records=_records(number[leaves], starts),
    )


def _require_shape(release: Disassociated) -> None:
    """Refuse what would lead astray; whether the promise is kept is for the auditor to say."""
    size, parent, owner = release.cluster_size, release.cluster_parent, release.chunk_owner
    leaf = release.is_leaf
    sums = np.where(leaf, size, 0)
    np.add.at(sums, parent[parent >= 0], size[parent >= 0])
    if not len(size):
        raise damaged("it holds no cluster")
    _require(size > 0, "cluster {} has no records")
    _require(sums == size, "cluster {} has another number of records than the clusters below it")
    _require(leaf[owner] != release.chunk_shared, "the owner of chunk {} is a cluster of the other kind")
    _require(np.diff(release.chunk_offsets) <= size[owner], "chunk {} has more subrecords than its cluster has records")
    _require(leaf | (np.diff(release.term_offsets) == 0), "joint cluster {} has a term chunk")
    pieces = release.n_subrecords + len(release.term_items)
    claimed = int(size[leaf].sum())
    if claimed > _RECORDS_A_PIECE * pieces:
        raise InputError(
            f"this release claims {claimed:,} records, but holds only {pieces:,} subrecords and term-chunk items to "
            "fill them with"
        )


def _require(holds: Bools, what: str) -> None:
    """Refuse the first cluster or chunk for which something does not hold; ``what`` says it, {} is its number."""
    wrong = np.flatnonzero(~holds)
    if len(wrong):
        raise damaged(what.format(int(wrong[0])))


def damaged(what: str) -> DamagedRelease:
    """What no release that passes an audit can be: no original has it."""
    return DamagedRelease(f"the release is damaged: {what} (shoal verify says more)")


def _depth_first(release: Disassociated) -> Int64:
    """The place of each cluster in depth-first order, which is its number in every release that Shoal writes."""
    size, parent = release.cluster_size, release.cluster_parent
    held = np.where(release.is_leaf, size, 0)
    first = np.cumsum(held) - held
    below = np.flatnonzero(parent >= 0)
    above = parent[below]
    # A joint has the records of its children, so children that come later and lie inside its stretch fill it exactly.
    inside = (first[above] <= first[below]) & (first[below] + size[below] <= first[above] + size[above])
    if (inside & (above < below)).all():
        return np.arange(release.n_clusters)
    children: dict[int, list[int]] = {}
    for cluster, joint in enumerate(parent.tolist()):
        children.setdefault(joint, []).append(cluster)
    index, waiting, at = np.full(release.n_clusters, -1), children[-1][::-1] if -1 in children else [], 0
    while waiting:
        cluster = waiting.pop()
        index[cluster], at = at, at + 1
        waiting.extend(reversed(children.get(cluster, [])))
    _require(index >= 0, "from cluster {} the joint clusters go round in a circle")
    return index


def _records(number: Int64, starts: Int64) -> Int64 | None:
    """The records at the places: leaf after leaf as the release numbers them."""
    if (np.diff(number) > 0).all():
        return None
    order = np.argsort(number)
    sizes = np.diff(starts)
    begin = np.empty_like(starts[:-1])
    begin[order] = np.cumsum(sizes[order]) - sizes[order]
    return np.repeat(begin - starts[:-1], sizes) + np.arange(starts[-1])


def _closed(release: Disassociated, node: Int64, first: Int64, beyond: Int64) -> tuple[Gaps, dict[int, Mixed]]:
    """The gaps of shared chunks, and the mixed ones among them."""
    n_items, n_nodes = len(release.vocabulary), len(first)
    of_item = np.repeat(np.repeat(np.arange(release.n_chunks), np.diff(release.chunk_offsets)), _lengths(release))
    entries, support = np.unique(of_item * n_items + release.items, return_counts=True)
    chunk, item = entries // n_items, entries % n_items
    holders = np.sort(item * n_nodes + node[chunk])
    shared = release.chunk_shared[chunk]
    chunk, item, support = chunk[shared], item[shared], support[shared]
    joint = node[chunk]
    start = np.searchsorted(holders, item * n_nodes + joint + 1)
    end = np.searchsorted(holders, item * n_nodes + np.searchsorted(first, beyond[joint]))
    closed = end > start
    chunk, item, support, start, end = chunk[closed], item[closed], support[closed], start[closed], end[closed]

    in_some_only = np.unique(chunk[support < np.diff(release.chunk_offsets)[chunk]])
    lengths = end - start
    holder = holders[np.arange(int(lengths.sum())) + np.repeat(start - (np.cumsum(lengths) - lengths), lengths)]
    pair_chunk, pair_node = np.repeat(chunk, lengths), holder % n_nodes
    pair_item = holder // n_nodes
    simple = ~np.isin(pair_chunk, in_some_only)
    mixed = {}
    for number in in_some_only.tolist():
        mine = pair_chunk == number
        stretch = (int(first[node[number]]), int(beyond[node[number]]))
        closings = list(zip(pair_item[mine].tolist(), first[pair_node[mine]], beyond[pair_node[mine]], strict=True))
        mixed[number] = _mixed(release, number, stretch, closings)
    return _gaps(pair_chunk[simple], first[pair_node[simple]], beyond[pair_node[simple]], first[node]), mixed


def _lengths(release: Disassociated) -> Int64:
    return np.diff(release.subrecord_offsets)


def _gaps(part: Int64, first: Int64, beyond: Int64, stretch: Int64) -> Gaps:
    """Closed stretches in order, without those that lie inside another."""
    order = np.lexsort((-beyond, first, part))
    part, first, beyond = part[order], first[order], beyond[order]
    outermost = np.ones(len(part), bool)
    if len(part):
        reached = np.maximum.accumulate(part * (beyond.max() + 1) + beyond)
        outermost[1:] = (part * (beyond.max() + 1) + first)[1:] >= reached[:-1]
    part, first, beyond = part[outermost], first[outermost], beyond[outermost]
    total = np.cumsum(beyond - first)
    before = total - (beyond - first)
    before -= before[np.searchsorted(part, part)]  # counted anew for each part
    return Gaps(part, first, beyond, first - stretch[part] - before, before + beyond - first)


def _mixed(
    release: Disassociated, chunk: int, stretch: tuple[int, int], closings: list[tuple[int, np.int64, np.int64]]
) -> Mixed:
    """Which places each kind of subrecord may take; a kind is a set of closed items."""
    closed_items = {item for item, _, _ in closings}
    rows = range(int(release.chunk_offsets[chunk]), int(release.chunk_offsets[chunk + 1]))
    kinds: dict[frozenset[int], Bools] = {}
    held = []
    for row in rows:
        start, end = release.subrecord_offsets[row : row + 2].tolist()
        items = frozenset(release.items[start:end].tolist()) & closed_items
        held.append(items)
        if items not in kinds:
            allowed = np.ones(stretch[1] - stretch[0], bool)
            for item, first, beyond in closings:
                if item in items:
                    allowed[first - stretch[0] : beyond - stretch[0]] = False
            kinds[items] = allowed
    order = sorted(kinds, key=lambda items: (int(kinds[items].sum()), sorted(items)))
    return Mixed(tuple(kinds[items] for items in order), np.array([order.index(items) for items in held]))
