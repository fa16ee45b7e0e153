"""Where the records of a release can get each item from, and with what chance: the model of random reconstructions.

Terrovitis et al., VLDB 2012, section 3: an original is put together again by giving the subrecords of every chunk to
different records. The model: every chunk is placed independently of the others and uniformly over the placements that
are possible, an item of a term chunk over the records of its cluster. A subrecord of a shared chunk can go to the
clusters below to which none of its items is closed: a cluster that has an item in a record chunk, or in a shared chunk
on the way up, takes it from there and from nowhere else, because no record holds an item twice.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.analyse.restricted import Closed, place_classes
from shoal.release.disassociated import Disassociated

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Float64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

TERM, OWN = -1, -1


@dataclass(frozen=True, eq=False)
class Sources:
    """Flat arrays that ``kernels.supports`` reads; leaves are numbered tree after tree."""

    source_offsets: Int64
    source_first: Int32
    """The first leaf that gets the item from there."""
    source_beyond: Int32
    """The leaf after the last one."""
    source_chunk: Int32
    """The chunk that gives the item, or TERM."""
    source_entry: Int64
    """The item's entry in the chunk; for a term chunk, in how many records of the cluster the item may be."""
    source_region: Int64
    """Their region in the chunk, or OWN; for a term chunk, in how many records at most the model has the item."""
    records_upto: Int64
    """The records of all leaves before each."""
    squares_upto: Int64
    tree_beyond: Int64
    """The leaf after the last one of each leaf's tree."""
    post_offsets: Int64
    """Where the subrecords of each entry start."""
    post_rows: Int32
    row_class: Int64
    """The class of each subrecord: which clusters it can go to."""
    class_offsets: Int64
    class_size: Int64
    n_regions: Int64
    one_offsets: Int64
    one: Float64
    two_offsets: Int64
    two: Float64
    open_records: Int64
    """To how many records the subrecords of a chunk can go, or -1 where that differs between them."""

    @property
    def mixed(self) -> bool:
        """Whether there are chunks whose subrecords can go to different leaves."""
        return bool((self.open_records < 0).any())

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """All of them, in the order of the kernel's arguments."""
        return tuple(getattr(self, field.name) for field in fields(self))


def sources_of(release: Disassociated) -> Sources:
    """Find the sources of every item."""
    n_items = len(release.vocabulary)
    leaf_ids = _leaves_by_tree(release)
    rank = np.full(release.n_clusters, -1, np.int64)
    rank[leaf_ids] = np.arange(len(leaf_ids))
    leaf_size = release.cluster_size[leaf_ids]

    # The entries of chunks: each item of each chunk, with the subrecords that hold it.
    row = np.repeat(np.arange(release.n_subrecords), np.diff(release.subrecord_offsets))
    chunk_of_row = np.repeat(np.arange(release.n_chunks), np.diff(release.chunk_offsets))
    keys = chunk_of_row[row] * n_items + release.items
    by_entry = np.argsort(keys, kind="stable")
    keys = keys[by_entry]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    entry_chunk, entry_item = keys[starts] // n_items, keys[starts] % n_items
    post_offsets = np.append(starts, len(keys)).astype(np.int64)
    entries_upto = np.searchsorted(entry_chunk, np.arange(release.n_chunks + 1))

    # Which leaves lie below the owner of each chunk, and how far.
    below_leaf, below_node, below_steps = _leaves_below(release, leaf_ids)
    chunks_upto = np.searchsorted(release.chunk_owner, np.arange(release.n_clusters + 1))
    pair, chunk = expand(chunks_upto[below_node], chunks_upto[below_node + 1])
    leaf, steps = below_leaf[pair], below_steps[pair]
    pair, entry = expand(entries_upto[chunk], entries_upto[chunk + 1])
    leaf, steps, chunk, item = leaf[pair], steps[pair], chunk[pair], entry_item[entry]

    # An item comes from the nearest chunk on the way up, and is closed to the leaf further up.
    keys = (item * len(leaf_ids) + leaf) * (int(steps.max(initial=0)) + 1) + steps
    order = np.argsort(keys)
    leaf, chunk, item, entry = leaf[order], chunk[order], item[order], entry[order]
    nearest = np.ones(len(item), bool)
    nearest[1:] = (np.diff(item) != 0) | (np.diff(leaf) != 0)
    further = np.flatnonzero(~nearest)
    support = np.diff(post_offsets)[entry[further]]
    closed = Closed(chunk[further], item[further], leaf[further], support)
    classes = place_classes(release, leaf_size, (below_leaf, below_node), closed)
    nearest &= ~release.chunk_shared[chunk] | classes.reaches(chunk, leaf)
    leaf, chunk, item, entry = leaf[nearest], chunk[nearest], item[nearest], entry[nearest]
    region = np.where(release.chunk_shared[chunk], classes.region_of(chunk, leaf), OWN)

    term_leaf = rank[np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))]
    possible, modelled = _term_records(release, term_leaf, leaf_size)
    item = np.concatenate([item, release.term_items])
    leaf = np.concatenate([leaf, term_leaf])
    chunk = np.concatenate([chunk, np.full(len(term_leaf), TERM)])
    order = np.argsort(item * len(leaf_ids) + leaf)
    item, leaf, chunk = item[order], leaf[order], chunk[order]
    entry, region = np.concatenate([entry, possible])[order], np.concatenate([region, modelled])[order]
    roots = _roots(release)[leaf_ids]
    # Neighbouring leaves that get an item from the same shared chunk are taken together.
    starts = np.ones(len(item), bool)
    starts[1:] = (np.diff(item) != 0) | (np.diff(leaf) != 1) | (np.diff(chunk) != 0) | (np.diff(region) != 0)
    starts[1:] |= (chunk[1:] == TERM) | (region[1:] == OWN)
    at = np.flatnonzero(starts)
    last = np.append(at[1:], len(item))[: len(at)] - 1
    return Sources(
        source_offsets=np.searchsorted(item[at], np.arange(n_items + 1)).astype(np.int64),
        source_first=leaf[at].astype(np.int32),
        source_beyond=(leaf[last] + 1).astype(np.int32),
        source_chunk=chunk[at].astype(np.int32),
        source_entry=entry[at],
        source_region=region[at],
        records_upto=np.concatenate([[0], np.cumsum(leaf_size)]),
        squares_upto=np.concatenate([[0], np.cumsum(leaf_size**2)]),
        tree_beyond=np.searchsorted(roots, roots, side="right"),
        post_offsets=post_offsets,
        post_rows=row[by_entry].astype(np.int32),
        row_class=classes.row_class,
        class_offsets=classes.offsets,
        class_size=classes.size,
        n_regions=classes.n_regions,
        one_offsets=classes.one_offsets,
        one=classes.one,
        two_offsets=classes.two_offsets,
        two=classes.two,
        open_records=classes.open_records,
    )


def _roots(release: Disassociated) -> Int64:
    """The topmost cluster above each one."""
    root = np.where(release.cluster_parent < 0, np.arange(release.n_clusters), release.cluster_parent)
    while (root != root[root]).any():
        root = root[root]
    return root.astype(np.int64)


def _leaves_by_tree(release: Disassociated) -> Int64:
    """The leaves, those of one tree together."""
    leaves = np.flatnonzero(release.is_leaf)
    return leaves[np.argsort(_roots(release)[leaves], kind="stable")].astype(np.int64)


def _leaves_below(release: Disassociated, leaf_ids: Int64) -> tuple[Int64, Int64, Int64]:
    """Pairs of a leaf (its number) and a node at or above it, and how many steps are between them."""
    leaf, node = np.arange(len(leaf_ids)), leaf_ids
    leaves, nodes, steps = [leaf], [node], [np.zeros(len(leaf), np.int64)]
    while True:
        parent = release.cluster_parent[node]
        leaf, node = leaf[parent >= 0], parent[parent >= 0]
        if len(leaf) == 0:
            return np.concatenate(leaves), np.concatenate(nodes), np.concatenate(steps)
        leaves.append(leaf)
        nodes.append(node)
        steps.append(np.full(len(leaf), len(steps)))


def expand(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """All numbers from each start to its end, and which one they belong to."""
    lengths = end - start
    owner = np.repeat(np.arange(len(start)), lengths)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths - start, lengths)


def _term_records(release: Disassociated, leaf: Int64, leaf_size: Int64) -> tuple[Int64, Int64]:
    """In how many records of its cluster each term-chunk item may be, and in how many at most the model has it.

    Fewer than k, unless it is sensitive or had to step back into the term chunk: for Lemma 2 because there was no other
    plain item, or out of a chunk next to sensitive items only when certain links were undone.
    """
    size = leaf_size[leaf]
    few = np.minimum(release.promise.k - 1, size)
    secret = np.zeros(len(release.vocabulary), bool)
    if release.diversity is not None:
        secret[np.isin(np.array(release.words, object), list(release.diversity.sensitive))] = True
    sensitive = secret[release.term_items]
    plain = np.bincount(leaf[~sensitive], minlength=len(leaf_size))
    named = np.bincount(leaf[sensitive], minlength=len(leaf_size)) > 0
    stepped_back = (plain[leaf] == 1) | (named[leaf] & (release.links is not None))
    return np.where(sensitive | stepped_back, size, few), np.where(sensitive, size, few)
