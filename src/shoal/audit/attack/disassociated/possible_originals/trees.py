"""The trees of a release, stored so that queries about all of them, or about one, are cheap.

Terrovitis et al., VLDB 2012, section 3. A tree is a root cluster with everything below it; trees are independent of
each other. A subrecord of a shared chunk cannot belong to a record that has one of its items from further down: an item
is *closed* for a leaf, as seen from a joint, when it is in a record chunk of the leaf or in a shared chunk of a joint
strictly between the two. A subrecord with an item that is closed for some leaf below is *restricted*; the records of
the leaves for which no item of a shared chunk is closed are *free* for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.tree import Part, Tree
from shoal.audit.disassociated import structure
from shoal.audit.disassociated.domains import Domains, number_items
from shoal.audit.disassociated.forest import Forest
from shoal.audit.disassociated.subrecords import Bags, read
from shoal.audit.verdict import Check
from shoal.data.arrays import Bools, Int64
from shoal.errors import InputError
from shoal.release.disassociated import Disassociated

_PAIRS = 2_000_000
"""About how many pairs (item of a shared chunk, place below where it is closed) are processed together."""


@dataclass(frozen=True, eq=False)
class Trees:
    """All trees of a release, as arrays."""

    release: Disassociated
    forest: Forest
    bags: Bags
    domains: Domains
    roots: Int64
    """The root cluster of each tree, in depth-first order."""
    leaves: Int64
    """The clusters that are leaves, in depth-first order: what lies below a joint is an interval of these."""
    first_leaf: Int64
    """For each cluster, where its leaves start."""
    beyond_leaf: Int64
    """For each cluster, where its leaves end."""
    tree: Int64
    """For each cluster, the number of its tree."""

    @classmethod
    def of(cls, release: Disassociated) -> Trees:
        """Index a release.

        Raises:
            InputError: The release does not have the structure of a disassociation, so it has no possible originals.
        """
        order, bags = read(release)
        domains = number_items(bags, release.n_chunks, len(release.vocabulary))
        forest = _sound_forest(release)
        for check in (
            structure.check_nothing_empty(release),
            structure.check_sets(release, order),
            structure.check_domains(release, domains),
            structure.check_fit(release),
        ):
            _require(check)
        leaf = release.is_leaf
        position = forest.position
        leaves = np.flatnonzero(leaf)
        leaves = leaves[np.argsort(position[leaves])]
        roots = np.flatnonzero(release.cluster_parent < 0)
        roots = roots[np.argsort(position[roots])]
        tree = np.searchsorted(position[roots], position, side="right") - 1
        first = np.searchsorted(position[leaves], position)
        beyond = np.searchsorted(position[leaves], position + forest.below)
        return cls(release, forest, bags, domains, roots, leaves, first, beyond, tree)

    @property
    def n_trees(self) -> int:
        """The number of roots."""
        return len(self.roots)

    @cached_property
    def leaf_size(self) -> Int64:
        """How many records each leaf has, in the order of ``leaves``."""
        return self.release.cluster_size[self.leaves]

    @cached_property
    def leaf_tree(self) -> Int64:
        """The tree of each leaf, ascending."""
        return self.tree[self.leaves]

    @cached_property
    def leaf_has_terms(self) -> Bools:
        """Which leaves have a term chunk."""
        return (np.diff(self.release.term_offsets) > 0)[self.leaves]

    @cached_property
    def leaf_alone(self) -> Bools:
        """Which leaves are trees by themselves: simple clusters."""
        return self.release.cluster_parent[self.leaves] < 0

    @cached_property
    def leaf_chunks(self) -> Int64:
        """How many record chunks each leaf has."""
        owner = self.release.chunk_owner[~self.release.chunk_shared]
        return np.bincount(owner, minlength=self.release.n_clusters).astype(np.int64)[self.leaves]

    @cached_property
    def leaf_subrecords(self) -> Int64:
        """How many subrecords the record chunks of each leaf have together."""
        own = ~self.release.chunk_shared
        total = np.zeros(self.release.n_clusters, np.int64)
        np.add.at(total, self.release.chunk_owner[own], self.subrecords[own])
        return total[self.leaves]

    @cached_property
    def first_of_tree(self) -> Int64:
        """Where the leaves of each tree start, with the end."""
        return np.searchsorted(self.leaf_tree, np.arange(self.n_trees + 1))

    @cached_property
    def chunk_tree(self) -> Int64:
        """The tree of each chunk."""
        return self.tree[self.release.chunk_owner]

    @cached_property
    def subrecords(self) -> Int64:
        """How many subrecords each chunk has."""
        return np.diff(self.release.chunk_offsets)

    @cached_property
    def row_of_chunk(self) -> Int64:
        """Where the distinct subrecords of each chunk start, with the end."""
        return np.searchsorted(self.bags.chunk, np.arange(self.release.n_chunks + 1))

    @cached_property
    def closed_somewhere(self) -> Bools:
        """For each entry of the domains of shared chunks: whether the item is closed for a leaf below."""
        start, end = self.places_below(np.arange(len(self.domains.item)))
        return end > start

    @cached_property
    def restricted(self) -> Bools:
        """Which distinct subrecords have an item that is closed for a leaf below."""
        entry = self.domains.offsets[np.repeat(self.bags.chunk, self.bags.lengths)] + self.domains.local
        inside = np.concatenate([[0], np.cumsum(self.closed_somewhere[entry])])
        return np.diff(inside[self.bags.offsets]) > 0

    @cached_property
    def restricted_subrecords(self) -> Int64:
        """How many subrecords of each chunk are restricted."""
        weight = np.where(self.restricted, self.bags.weight, 0)
        return np.bincount(self.bags.chunk, weights=weight, minlength=self.release.n_chunks).astype(np.int64)

    @cached_property
    def free_records(self) -> Int64:
        """For each chunk, how many records below its owner have none of its items closed."""
        free = self.release.cluster_size[self.release.chunk_owner].copy()
        entries = np.flatnonzero(self.closed_somewhere)
        start, end = self.places_below(entries)
        pairs = np.cumsum(end - start)
        # A chunk's entries are adjacent and must stay together: its intervals are joined before they are weighed.
        chunk = self.domains.chunk[entries]
        last_of_chunk = np.flatnonzero(np.diff(chunk, append=-1))
        block = pairs[last_of_chunk] // _PAIRS
        edges = np.append(last_of_chunk[np.flatnonzero(np.diff(block))] + 1, len(entries))
        begin = 0
        for stop in edges.tolist():
            if stop > begin:
                chunks, weight = self._closed_records(chunk[begin:stop], start[begin:stop], end[begin:stop])
                free[chunks] -= weight
            begin = stop
        return free

    def closed_items(self, chunk: int) -> Bools:
        """Whether each item of a chunk (column) is closed for each leaf below its owner (row)."""
        owner = int(self.release.chunk_owner[chunk])
        first, beyond = int(self.first_leaf[owner]), int(self.beyond_leaf[owner])
        entries = np.arange(int(self.domains.offsets[chunk]), int(self.domains.offsets[chunk + 1]))
        start, end = self.places_below(entries)
        column = np.repeat(np.arange(len(entries)), end - start)
        below = self.occurrence_owner[expanded(start, end)]
        # How many occurrences begin to close the item here, less those that end to.
        steps = np.zeros((beyond - first + 1, len(entries)), np.int64)
        np.add.at(steps, (self.first_leaf[below] - first, column), 1)
        np.add.at(steps, (self.beyond_leaf[below] - first, column), -1)
        closed: Bools = np.cumsum(steps[:-1], axis=0) > 0
        return closed

    @cached_property
    def _occurrences(self) -> tuple[Int64, Int64]:
        """Every (item, place in the forest) at which an item is in a chunk, as sorted keys, and whose chunk it is."""
        owner = self.release.chunk_owner[self.domains.chunk]
        keys = self.domains.item.astype(np.int64) * self.release.n_clusters + self.forest.position[owner]
        order = np.argsort(keys, kind="stable")
        return keys[order], owner[order]

    @property
    def occurrence_owner(self) -> Int64:
        """The owner of the chunk of each occurrence that ``places_below`` returns."""
        return self._occurrences[1]

    def places_below(self, entries: Int64) -> tuple[Int64, Int64]:
        """Where the item of each entry is in a chunk strictly below its chunk's owner: an interval of occurrences."""
        keys, _ = self._occurrences
        owner = self.release.chunk_owner[self.domains.chunk[entries]]
        base = self.domains.item[entries].astype(np.int64) * self.release.n_clusters + self.forest.position[owner]
        start = np.searchsorted(keys, base + 1)
        return start, np.searchsorted(keys, base + self.forest.below[owner])

    def _closed_records(self, chunk: Int64, start: Int64, end: Int64) -> tuple[Int64, Int64]:
        """How many records have an item of each chunk closed: the union of the intervals of leaves of its entries."""
        owner = self.occurrence_owner[expanded(start, end)]
        new = np.diff(chunk, prepend=-1) != 0
        number = np.repeat(np.cumsum(new) - 1, end - start)
        first, beyond = self.first_leaf[owner], self.beyond_leaf[owner]
        span = len(self.leaves) + 1
        order = np.argsort(number * span + first, kind="stable")
        number, first, beyond = number[order], first[order], beyond[order]
        # The farthest end so far inside the chunk; chunks ascend, so one running maximum serves them all.
        reach = np.maximum.accumulate(number * span + beyond)
        before = np.append(0, reach[:-1]) - number * span
        first, beyond = np.maximum(first, before), np.maximum(beyond, before)
        records = np.concatenate([[0], np.cumsum(self.leaf_size)])
        weight = np.zeros(int(np.count_nonzero(new)), np.int64)
        np.add.at(weight, number, records[beyond] - records[first])
        return chunk[new], weight

    def one(self, number: int) -> Tree:
        """One tree as plain values."""
        release, first = self.release, int(self.first_of_tree[number])
        clusters = self.leaves[first : int(self.first_of_tree[number + 1])].tolist()
        terms = tuple(
            tuple(release.term_items[release.term_offsets[cluster] : release.term_offsets[cluster + 1]].tolist())
            for cluster in clusters
        )
        closed: list[set[int]] = [set() for _ in clusters]
        parts: list[Part] = []
        for owner, chunks in self._chunks_upwards(number):
            start, end = int(self.first_leaf[owner]) - first, int(self.beyond_leaf[owner]) - first
            seen: set[int] = set()
            for chunk in chunks:
                rows, counts = self.rows(chunk)
                domain = {item for row in rows for item in row}
                shut_here = tuple(frozenset(domain & shut) for shut in closed[start:end])
                parts.append(Part(chunk, start, rows, counts, shut_here, bool(release.chunk_shared[chunk])))
                seen |= domain
            for shut in closed[start:end]:
                shut |= seen
        return Tree(number, tuple(release.cluster_size[clusters].tolist()), terms, tuple(parts))

    def rows(self, chunk: int) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
        """The distinct subrecords of a chunk, and how often each occurs."""
        start, end = (int(place) for place in self.row_of_chunk[chunk : chunk + 2])
        edges = self.bags.offsets[start : end + 1].tolist()
        items = self.bags.items[edges[0] : edges[-1]].tolist()
        rows = tuple(tuple(items[a - edges[0] : b - edges[0]]) for a, b in pairwise(edges))
        return rows, tuple(self.bags.weight[start:end].tolist())

    @cached_property
    def _chunks_by_tree(self) -> tuple[Int64, Int64]:
        """The chunks tree by tree, those furthest down first, and where each tree's start."""
        position = self.forest.position[self.release.chunk_owner]
        order = np.lexsort((-position, self.chunk_tree))
        return order, np.searchsorted(self.chunk_tree[order], np.arange(self.n_trees + 1))

    def _chunks_upwards(self, number: int) -> list[tuple[int, list[int]]]:
        """The owners of a tree's chunks with these chunks; what is below comes first."""
        order, start = self._chunks_by_tree
        grouped: dict[int, list[int]] = {}
        for chunk in order[int(start[number]) : int(start[number + 1])].tolist():
            grouped.setdefault(int(self.release.chunk_owner[chunk]), []).append(chunk)
        return list(grouped.items())


def expanded(start: Int64, end: Int64) -> Int64:
    """The numbers start..end-1 of each interval, one interval after the other."""
    times = end - start
    places: Int64 = np.arange(int(times.sum())) + np.repeat(start - (np.cumsum(times) - times), times)
    return places


def _sound_forest(release: Disassociated) -> Forest:
    _require(structure.check_owners(release))
    sizes = structure.check_sizes(release)
    _require(sizes)
    check, forest = structure.check_forest(release, sizes_hold=sizes.holds)
    _require(check)
    assert forest is not None
    return forest


def _require(check: Check) -> None:
    if not check.holds:
        raise InputError(
            f"the release is not a disassociation, so it has no possible originals to examine: {check.witness}. Verify "
            "it first"
        )
