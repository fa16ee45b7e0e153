"""Where each leaf may hold each item, indexed by item: from known items to the leaves that a person may be in.

A record of a leaf takes an item from a record chunk of the leaf, from a shared chunk of a joint above it, or from its
term chunk (Terrovitis et al., VLDB 2012, section 3). An item of a chunk is closed for the shared chunks further up, so
each leaf has at most one place for it: the lowest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.audit.disassociated.domains import Domains
from shoal.data.arrays import Bools, Int64
from shoal.release.disassociated import Disassociated

TERM = -1
"""The place of an item that a leaf has in its term chunk."""
MOST_ENTRIES = 60_000_000
"""A release that needs a larger index is not attacked this way (deep nesting can make it arbitrarily large)."""
BLOCK = 1_000_000
"""About how many pairs of a record and a leaf are processed together."""


class TooManyPlaces(Exception):  # noqa: N818  (a signal: the attack is left out)
    """The index would not fit in memory."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """What may be closed to some leaves: few items of shared chunks occur elsewhere in their tree.

    Every other item of a shared chunk is open to all leaves below, without an index.
    """

    entries: Bools
    """For each item of a domain, whether it, or another item of its shared chunk, is in its tree twice."""
    terms: Bools
    """For each item of a term chunk, whether it is in its tree twice."""

    @classmethod
    def of(cls, release: Disassociated, domains: Domains) -> Meeting:
        """Look for items that are in a tree twice."""
        root = np.where(release.cluster_parent < 0, np.arange(release.n_clusters), release.cluster_parent)
        while (root != root[root]).any():
            root = root[root]
        owner = np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))
        tree = np.concatenate([root[release.chunk_owner[domains.chunk]], root[owner]])
        keys = tree * len(release.vocabulary) + np.concatenate([domains.item, release.term_items])
        ordered, order = _sorted_with_order(keys)
        again = ordered[1:] == ordered[:-1]
        twice = np.zeros(len(keys), bool)
        twice[order[1:][again]] = twice[order[:-1][again]] = True
        entries, terms = twice[: len(domains.item)], twice[len(domains.item) :]
        chunks = np.zeros(release.n_chunks, bool)
        chunks[domains.chunk[entries]] = True
        return cls(entries | chunks[domains.chunk] & release.chunk_shared[domains.chunk], terms)


@dataclass(frozen=True, eq=False)
class Places:
    """For every item, the leaves that may hold it, ascending, and the chunk that each takes it from."""

    leaves: Int64
    """The cluster number of each leaf; a *leaf* below is a place in this list."""
    above_leaf: Int64
    """For every pair of a leaf and a joint above it: the leaf,"""
    above_joint: Int64
    """and the joint, by its cluster number."""
    offsets: Int64
    """Where the entries of each item start."""
    keys: Int64
    """``item * number of leaves + leaf`` of each entry, ascending."""
    chunk: Int64
    """The chunk of each entry, or TERM."""
    in_domain: Int64
    """The place of each entry among the items of all domains, or TERM."""

    @classmethod
    def of(cls, release: Disassociated, domains: Domains, only: Meeting | None = None) -> Places:
        """Index a release with a valid structure; or only those of its entries that meet others."""
        leaves = np.flatnonzero(release.is_leaf).astype(np.int64)
        number = np.full(release.n_clusters, -1, np.int64)
        number[leaves] = np.arange(len(leaves))
        owner = release.chunk_owner[domains.chunk]
        indexed = np.ones(len(owner), bool) if only is None else only.entries
        terms = slice(None) if only is None else only.terms
        own = np.flatnonzero(~release.chunk_shared[domains.chunk] & indexed)
        term_leaf = number[np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))][terms]
        leaf = [term_leaf, number[owner[own]]]
        item = [release.term_items[terms].astype(np.int64), domains.item[own].astype(np.int64)]
        entries = [np.full(len(term_leaf), TERM, np.int64), own]
        above_leaf, above_joint = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        # The entries of a cluster are adjacent.
        by_owner = np.flatnonzero(indexed)
        by_owner = by_owner[np.argsort(owner[by_owner], kind="stable")]
        first = np.searchsorted(owner[by_owner], np.arange(release.n_clusters + 1))
        size = len(term_leaf) + len(own)
        for below, joint in _levels(release.cluster_parent, leaves):
            counts = first[joint + 1] - first[joint]
            size += int(counts.sum()) + len(joint)
            if size > MOST_ENTRIES:
                raise TooManyPlaces
            place, pair = spread(first[joint], counts)
            entry = by_owner[place]
            above_leaf.append(below)
            above_joint.append(joint)
            leaf.append(below[pair])
            item.append(domains.item[entry].astype(np.int64))
            entries.append(entry)
        n_leaves = max(len(leaves), 1)
        keys = np.concatenate(item) * n_leaves + np.concatenate(leaf)
        # The sort is stable and lower places come first: the first entry of a key counts.
        keys, order = _sorted_with_order(keys)
        lowest = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=lowest[1:])
        keys = keys[lowest]
        bounds = np.searchsorted(keys, np.arange(len(release.vocabulary) + 1, dtype=np.int64) * n_leaves)
        in_domain = np.concatenate(entries)[order[lowest]]
        return cls(
            leaves,
            np.concatenate(above_leaf),
            np.concatenate(above_joint),
            bounds.astype(np.int64),
            keys,
            np.append(domains.chunk, TERM)[in_domain],
            in_domain,
        )

    @property
    def counts(self) -> Int64:
        """How many leaves may hold each item."""
        return np.diff(self.offsets)

    def entry(self, item: Int64, leaf: Int64) -> Int64:
        """The entry of each item in each leaf, or -1."""
        if len(self.keys) == 0:
            return np.full(len(item), -1, np.int64)
        key = item * max(len(self.leaves), 1) + leaf
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(self.keys[place] == key, place, -1).astype(np.int64)

    def leaves_for(self, offsets: Int64, items: Int64, required: Int64 | None = None) -> Iterator[tuple[Int64, Int64]]:
        """Pairs of a set of items and a leaf that has a place for each of them, in blocks of sets.

        ``required``: for each leaf an item that the set must hold, or -1.
        """
        counts = self.counts
        lengths = np.diff(offsets)
        owner = np.repeat(np.arange(len(lengths)), lengths)
        # An item with few leaves first: it leaves the fewest to look up.
        rarest_first = items[np.lexsort((counts[items], owner))]
        n_items = len(counts)
        held = np.sort(owner * n_items + items)
        filled = np.flatnonzero(lengths)
        candidates = np.zeros(len(lengths), np.int64)
        candidates[filled] = counts[rarest_first[offsets[filled]]]
        for block in blocks(candidates, BLOCK):
            rows = block[lengths[block] > 0]
            entry, at = spread(self.offsets[rarest_first[offsets[rows]]], candidates[rows])
            pair, leaf = rows[at], self.keys[entry] % max(len(self.leaves), 1)
            if required is not None:
                wanted = pair * n_items + required[leaf]
                place = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
                keep = (required[leaf] < 0) | (held[place] == wanted)
                pair, leaf = pair[keep], leaf[keep]
            for step in range(1, int(lengths[rows].max(initial=0))):
                more = np.flatnonzero(lengths[pair] > step)
                if len(more) == 0:
                    break
                missing = self.entry(rarest_first[offsets[pair[more]] + step], leaf[more]) < 0
                keep = np.ones(len(pair), bool)
                keep[more[missing]] = False
                pair, leaf = pair[keep], leaf[keep]
            yield pair, leaf


def _levels(parent: Int64, leaves: Int64) -> Iterator[tuple[Int64, Int64]]:
    """The joints above the leaves, level after level: (leaf, joint) pairs."""
    leaf, joint = np.arange(len(leaves), dtype=np.int64), parent[leaves]
    while True:
        inside = joint >= 0
        leaf, joint = leaf[inside], joint[inside]
        if len(leaf) == 0:
            return
        yield leaf, joint
        joint = parent[joint]


def spread(starts: Int64, counts: Int64) -> tuple[Int64, Int64]:
    """The numbers starts[i], starts[i] + 1, ... (counts[i] of them) for each i, one after the other, and their i."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    return np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - counts), counts), owner


def blocks(weights: Int64, most: int) -> Iterator[Int64]:
    """The numbers 0, 1, ... in runs with weights of about ``most`` in total."""
    if len(weights):
        full = (np.cumsum(weights) - weights) // most
        yield from np.split(np.arange(len(weights), dtype=np.int64), np.flatnonzero(np.diff(full)) + 1)


def _sorted_with_order(keys: Int64) -> tuple[Int64, Int64]:
    """Keys in ascending order, equal ones in their old order, and the old place of each.

    If a key and its place fit into one number, that number is sorted: several times as fast as an argsort.
    """
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 62:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    both = np.sort(keys << bits | np.arange(len(keys)))
    return both >> bits, both & (1 << bits) - 1
