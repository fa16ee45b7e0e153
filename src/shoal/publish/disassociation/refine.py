"""Refining: clusters with common items in their term chunks share chunks (VLDB 2012, section 4, Algorithm REFINE).

Deviations from the paper:

* The printed algorithm removes items from term chunks on which Lemma 2 relies. Here a cluster that relies on its term
  chunk keeps one item in it.
* A shared chunk with an item of T^r holds copies of one subrecord only. Property 1 requires k copies of each different
  subrecord, which is not enough: subrecords that only some clusters may take leave too little room there for the others
  (``docs/papers.md`` has the smallest example). Copies of one subrecord always fit.
* Items are ranked again only after a round that joined nothing, and a pair that failed is not tried again until one of
  the two changes.
* The shared items of a joint cluster are grouped into chunks 256 at a time.
* Neighbours are joined run by run. The length of the runs does not depend on the number of threads, and no pair reaches
  over the end of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Bools, Int32, Int64, UInt8
from shoal.promises import KmPromise
from shoal.publish.disassociation.chunks import Chunks, running
from shoal.publish.disassociation.horizontal import Clustering
from shoal.run import Run

DEFAULT_ROUNDS = 10
"""Chosen by kept pairs and time (``benchmarks/refine_rounds.py``): refining until nothing changes keeps at most .04
percent more of all pairs, and publishing takes up to five times as long."""

# Runs of neighbours in a round: enough for all threads, and few enough for a small overhead.
RUNS = 32
SHORTEST_RUN = 1024


@dataclass(eq=False)
class _Entries:
    """The plain items in the term chunks of clusters; a round marks those that it moves to shared chunks."""

    leaf: Int32
    post_offsets: Int64
    post_places: Int32
    next: Int32
    """The next entry of the same item below the same node, or -1."""
    gone: UInt8


@dataclass(eq=False)
class _Leaves:
    """The state of single clusters while nodes are joined."""

    relies: UInt8
    terms_left: Int64
    seen_by: Int64
    """The last attempt to join that involved the cluster; attempts have different numbers in different rounds."""
    base: Int64
    attempts: int = 0


@dataclass(eq=False)
class _Nodes:
    """Clusters, then joint clusters in the order of their creation; each round appends its own."""

    size: Int64
    next: Int64
    """The next of the nodes below the same root, or -1; a joint's own come after it."""
    last: Int64
    """The last of them, for roots."""
    failed_with: Int64
    domain_offsets: Int64
    domain_items: Int32
    """The items in the node's own record or shared chunks."""
    list_offsets: Int64
    """The items in the term chunks below each root: by rank, how often each occurs there, and its first entry. New
    lists are written behind the others; there is always room for those of a round when joined nodes lose theirs."""
    ranks: Int32
    supports: Int32
    heads: Int32

    def append(self, joined: _Joined) -> None:
        """Add the joints of a round."""
        left, right = joined.left, joined.right
        self.next = np.concatenate([self.next, left])
        self.next[self.last[left]] = right
        self.last = np.concatenate([self.last, self.last[right]])
        self.size = np.concatenate([self.size, self.size[left] + self.size[right]])
        self.failed_with = np.concatenate([self.failed_with, np.full(len(left), -1)])
        self.domain_offsets = np.concatenate([self.domain_offsets, self.domain_offsets[-1] + np.cumsum(joined.shared)])
        self.domain_items = np.concatenate([self.domain_items, joined.domain])
        start = int(self.list_offsets[-1])
        self.list_offsets = np.concatenate([self.list_offsets, start + np.cumsum(joined.listed)])
        for kept, new in ((self.ranks, joined.ranks), (self.supports, joined.supports), (self.heads, joined.heads)):
            kept[start : start + len(new)] = new

    def make_room(self, many: int, needed: Bools) -> None:
        """Make room for a number of list entries; if needed, drop the lists of nodes that are no longer needed."""
        used = int(self.list_offsets[-1])
        if used + many <= len(self.ranks):
            return
        lengths = np.diff(self.list_offsets)
        kept = np.repeat(needed, lengths)
        self.list_offsets = running(np.where(needed, lengths, 0))
        for lists in (self.ranks, self.supports, self.heads):
            lists[: self.list_offsets[-1]] = lists[:used][kept]


@dataclass(frozen=True, eq=False)
class _Joined:
    """The joint clusters of one round: their items, the rest of the term chunks below, and their shared chunks."""

    left: Int64
    right: Int64
    listed: Int64
    ranks: Int32
    supports: Int32
    heads: Int32
    shared: Int64
    domain: Int32
    chunk_joint: Int64
    subrecords: Int32
    lengths: Int32
    items: Int32

    @classmethod
    def concatenate(cls, runs: list[_Joined]) -> _Joined:
        """Combine all runs of a round."""
        first = running(np.array([len(run.left) for run in runs]))
        parts: dict[str, Any] = {
            name: np.concatenate([getattr(run, name) for run in runs]) for name in cls.__dataclass_fields__
        }
        parts["chunk_joint"] += np.repeat(first[:-1], [len(run.chunk_joint) for run in runs])
        return cls(**parts)


def refine_clusters(
    clustering: Clustering,
    chunks: Chunks,
    promise: KmPromise,
    *,
    sensitive: UInt8,
    rounds: int,
    run: Run,
    keep_terms: Bools | None = None,
) -> tuple[Int64, Chunks]:
    """Join clusters, and joint clusters, until nothing changes or the given number of rounds has passed.

    ``keep_terms``: clusters whose term chunk must not become empty, in addition to those in which Lemma 2 relies on it.

    Returns:
        The two nodes that each joint holds, and the chunks of clusters and joints.
    """
    n_leaves, n_items = len(clustering.bounds) - 1, len(sensitive)
    plain = sensitive[chunks.term_items] == 0
    relies = chunks.rely_on_terms(np.diff(clustering.bounds), promise)
    if keep_terms is not None:
        relies |= keep_terms
    nodes, leaves, entries = _prepare(clustering, chunks, plain, relies, n_items)
    roots = np.arange(n_leaves)
    item_of_rank = _rank(nodes, roots, np.arange(n_items, dtype=np.int32))
    _sort(nodes, roots, 0)
    newly_ranked = True
    made: list[_Joined] = []
    for done in range(rounds):
        run.report("refine", done, rounds)
        joined = _join(roots, nodes, leaves, entries, clustering, item_of_rank, promise, run)
        if len(joined.left) == 0 and not newly_ranked:
            item_of_rank = _rank(nodes, roots, item_of_rank)
            _sort(nodes, roots, 0)
            newly_ranked = True
            joined = _join(roots, nodes, leaves, entries, clustering, item_of_rank, promise, run)
        if len(joined.left) == 0:
            break
        newly_ranked = False
        unjoined = np.zeros(len(nodes.size), bool)
        unjoined[roots] = True
        unjoined[joined.left] = unjoined[joined.right] = False
        roots = np.concatenate([roots[unjoined[roots]], len(nodes.size) + np.arange(len(joined.left))])
        nodes.make_room(len(joined.ranks), unjoined)
        nodes.append(joined)
        _sort(nodes, roots, len(roots) - len(joined.left))
        made.append(joined)
    run.report("refine", rounds, rounds)
    return _outcome(n_leaves, chunks, plain, entries.gone, made)


def _prepare(
    clustering: Clustering,
    chunks: Chunks,
    plain: Bools,
    relies: Bools,
    n_items: int,
) -> tuple[_Nodes, _Leaves, _Entries]:
    from shoal.kernels.term_lists import term_postings

    sizes = np.diff(clustering.bounds)
    n = len(sizes)
    leaf = np.repeat(np.arange(n, dtype=np.int32), chunks.terms)
    items, offsets = chunks.term_items, running(chunks.terms)
    if not plain.all():
        leaf, items = leaf[plain], items[plain]
        offsets = running(np.bincount(leaf, minlength=n))
    post_offsets, post_places = term_postings(
        *(clustering.offsets, clustering.items, clustering.rows, clustering.bounds, n_items, offsets, items)
    )
    entries = _Entries(
        leaf, post_offsets, post_places, np.full(len(items), -1, np.int32), np.zeros(len(items), np.uint8)
    )
    leaves = _Leaves(relies.astype(np.uint8), np.diff(offsets), np.full(n, -1, np.int64), np.empty(n, np.int64))
    nodes = _Nodes(
        sizes,
        np.full(n, -1, np.int64),
        np.arange(n),
        np.full(n, -1, np.int64),
        *chunks.domains(n, n_items),
        offsets,
        *(_with_room(lists) for lists in (items, np.diff(post_offsets), np.arange(len(items)))),
    )
    return nodes, leaves, entries


def _with_room(numbers: npt.NDArray[Any]) -> Int32:
    """The numbers, with half as much free space after them."""
    roomy = np.empty(len(numbers) + len(numbers) // 2, np.int32)
    roomy[: len(numbers)] = numbers
    return roomy


def _rank(nodes: _Nodes, roots: Int64, item_of_rank: Int32) -> Int32:
    """Rank the items by the number of roots that have them in term chunks, the most frequent first."""
    from shoal.kernels.term_lists import relabel_lists

    lengths = np.diff(nodes.list_offsets)
    live = np.zeros(len(nodes.size), bool)
    live[roots] = True
    listed = nodes.ranks[: nodes.list_offsets[-1]]
    counts = np.bincount(listed[np.repeat(live, lengths)], minlength=len(item_of_rank))
    order = np.lexsort((item_of_rank, -counts))
    label = np.empty(len(order), np.int32)
    label[order] = np.arange(len(order), dtype=np.int32)
    relabel_lists(roots, nodes.list_offsets, nodes.ranks, nodes.supports, nodes.heads, label)
    return item_of_rank[order]


def _sort(nodes: _Nodes, roots: Int64, in_order: int) -> None:
    """Sort the roots by their items in term chunks; the first ``in_order`` of them are sorted already."""
    from shoal.kernels.rows import merge_rows, sort_rows

    scratch = np.empty_like(roots)
    sort_rows(nodes.list_offsets, nodes.ranks, roots, in_order, len(roots), scratch)
    merge_rows(nodes.list_offsets, nodes.ranks, roots, 0, in_order, len(roots), scratch)


def _join(
    roots: Int64,
    nodes: _Nodes,
    leaves: _Leaves,
    entries: _Entries,
    clustering: Clustering,
    item_of_rank: Int32,
    promise: KmPromise,
    run: Run,
) -> _Joined:
    """Join neighbours, run by run."""
    from shoal.kernels.refine import choose_joints
    from shoal.kernels.shared import gather_shared
    from shoal.kernels.term_lists import merge_lists
    from shoal.kernels.vertical import partition_clusters

    first_attempt = leaves.attempts
    leaves.attempts += len(roots)
    n_items = len(item_of_rank)
    nothing_sensitive, nothing_preferred = np.zeros(n_items, np.uint8), np.zeros(n_items, np.int32)

    def join(neighbours: Int64) -> _Joined:
        listed = nodes.ranks, nodes.supports, nodes.heads
        left, right, shared_offsets, left_at, right_at, involved = choose_joints(
            neighbours,
            nodes.list_offsets,
            *listed,
            entries.next,
            entries.leaf,
            clustering.bounds,
            nodes.size,
            leaves.relies,
            leaves.terms_left,
            leaves.seen_by,
            leaves.base,
            nodes.failed_with,
            first_attempt,
            promise.k,
        )
        joints = left, right, shared_offsets, left_at, right_at
        domain, part_joint, closed, closed_items, offsets, items, records = gather_shared(
            *joints,
            involved,
            *listed,
            entries.next,
            entries.leaf,
            entries.post_offsets,
            entries.post_places,
            clustering.bounds,
            leaves.base,
            item_of_rank,
            nodes.next,
            nodes.domain_offsets,
            nodes.domain_items,
            entries.gone,
        )
        lists = merge_lists(*joints, nodes.list_offsets, *listed, entries.next)
        chunk_part, subrecords, lengths, items, _, _ = partition_clusters(
            offsets,
            items,
            np.arange(len(offsets) - 1),
            running(records),
            n_items,
            nothing_sensitive,
            nothing_preferred,
            running(closed),
            closed_items,
            True,
            promise.k,
            promise.m,
        )
        return _Joined(
            left, right, *lists, np.diff(shared_offsets), domain, part_joint[chunk_part], subrecords, lengths, items
        )

    step = max(SHORTEST_RUN, -(-len(roots) // RUNS))
    return _Joined.concatenate(list(run.map(join, [roots[at : at + step] for at in range(0, len(roots), step)])))


def _outcome(n_leaves: int, chunks: Chunks, plain: Bools, gone: UInt8, made: list[_Joined]) -> tuple[Int64, Chunks]:
    """The children of joint clusters, and all chunks; moved items are removed from the term chunks."""
    kept = np.ones(len(plain), bool)
    kept[plain] = gone == 0
    leaf = np.repeat(np.arange(n_leaves, dtype=np.int32), chunks.terms)
    n_joints = sum(len(joined.left) for joined in made)
    terms = np.bincount(leaf[kept], minlength=n_leaves + n_joints).astype(np.int32)
    first = running(np.array([n_leaves, *(len(joined.left) for joined in made)]))[1:]
    return (
        np.concatenate([np.empty((0, 2), np.int64), *(np.stack([joined.left, joined.right], 1) for joined in made)]),
        Chunks(
            np.concatenate([chunks.owner, *(part.chunk_joint + at for part, at in zip(made, first, strict=False))]),
            np.concatenate([chunks.subrecords, *(part.subrecords for part in made)]),
            np.concatenate([chunks.lengths, *(part.lengths for part in made)]),
            np.concatenate([chunks.items, *(part.items for part in made)]),
            terms,
            chunks.term_items[kept],
        ),
    )
