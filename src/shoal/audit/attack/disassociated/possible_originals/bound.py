"""For every tree at once: a number of records that every set of up to M items reaches in some possible original.

Terrovitis et al., VLDB 2012, section 5, Lemmas 2 and 3, as numbers instead of conditions, with what Lemma 3 omits. *The
bound.* Let a set S of up to M items be in a record of leaf L in some possible original W. Its items there come from L's
term chunk, from record chunks of L, and from subrecords B_1, B_2, ... of shared chunks above L. Let x be the minimum
of, over the whole tree: the records of each leaf; the smallest support of a set of up to M items that occurs in each
record chunk and in each shared chunk without restricted subrecords; for each shared chunk with some, the number of
copies of any subrecord that can go to any leaf that may take it while all the others still find room (`rooms`); and for
each leaf without term chunk that has v record chunks with c subrecords in total: zero if c < s or v = 0, and with h =
min(M, v) > 1 also (c - s) / (h - 1), rounded down.

*Why.* Choose x records of L. Put S's parts of record chunks on these: each part has x subrecords. That takes g <= h
chunks, and c - g x >= s - x subrecords are left, which cover the other records of L (a chunk puts at most one on each,
and one that could cover them all does). The x records take the term items they need; so do others that are still empty.
Every other leaf is filled by its own chunks or terms in the same way. Now no record is empty, whatever the shared
chunks do, and these are placed one by one: one that S does not touch as in W; one without restricted subrecords with x
that hold S's part on the x records and the rest anywhere; any other with x copies of B_i there and the rest where
`rooms` found a place. So x records hold S.

*A simple cluster reaches the bound exactly* when h is also cut off at c - s + 1. A set of one item of each of h chunks
leaves c - h x' subrecords for s - x' records if x' records hold it, so that x' <= (c - s) / (h - 1): from h = c - s + 2
on it does not occur at all, and below that nothing else limits it but the supports.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.chunk_supports import smallest_supports
from shoal.audit.attack.disassociated.possible_originals.shared_chunk_room import Room
from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from shoal.audit.disassociated.km import Limits
from shoal.data.arrays import Int64


@dataclass(frozen=True, eq=False)
class Bound:
    """The bound of every tree and the numbers it is the minimum of, all capped at the same number."""

    tree: Int64
    leaf: Int64
    """What the sizes and Lemma 2 allow, for each leaf in the order of the trees' leaves."""
    chunk: Int64
    """What the supports and the room for restricted subrecords allow, for each chunk."""


def lower_bounds(trees: Trees, most_known: int, most: int, limits: Limits | None = None) -> Bound:
    """Bound from below how many records every set of up to ``most_known`` items reaches, capped at ``most``.

    Args:
        trees: The release.
        most_known: How many items of a record an adversary knows.
        most: Where to cap, that is, k; larger numbers need not be distinguished.
        limits: How much work may be spent on counting itemsets. Itemsets beyond that count as zero.
    """
    most, most_known = min(most, trees.release.n_records + 1), min(most_known, len(trees.release.vocabulary))
    limits = limits or Limits.for_release(trees.release.n_chunks, len(trees.release.items))
    leaf = np.minimum(leaf_limits(trees, most_known), most)
    chunk = _chunk_limits(trees, most_known, most, limits)
    tree = np.full(trees.n_trees, most, np.int64)
    np.minimum.at(tree, trees.leaf_tree, leaf)
    np.minimum.at(tree, trees.chunk_tree, chunk)
    return Bound(tree, leaf, chunk)


def leaf_limits(trees: Trees, most_known: int) -> Int64:
    """How many records of each leaf can hold parts of up to ``most_known`` of its chunks while none is left empty."""
    size = trees.leaf_size
    surplus, chunks = trees.leaf_subrecords - size, trees.leaf_chunks
    others = np.minimum(chunks, most_known) - 1
    # Only its own chunks fill a leaf that is a tree by itself: what leaves a record empty does not occur.
    others = np.where(trees.leaf_alone, np.minimum(others, surplus), others)
    limit = np.where(others > 0, surplus // np.maximum(others, 1), size)
    limit = np.where((surplus < 0) | (chunks == 0), 0, limit)
    return np.minimum(np.where(trees.leaf_has_terms, size, limit), size)


def _chunk_limits(trees: Trees, most_known: int, most: int, limits: Limits) -> Int64:
    mixed = trees.restricted_subrecords > 0
    chunk = smallest_supports(trees, ~mixed, most, most_known, limits)
    rarest = np.full(trees.release.n_chunks, most, np.int64)
    np.minimum.at(rarest, trees.bags.chunk, trees.bags.weight)
    # Free records take any restricted subrecord. If they can take all of them and x others, they can give up x.
    spare = trees.free_records - trees.restricted_subrecords
    only = trees.restricted_subrecords == trees.subrecords
    enough = (spare >= 0) & (only | (spare >= rarest))
    chunk[mixed] = rarest[mixed]
    for number in np.flatnonzero(mixed & ~enough).tolist():
        room = Room.of(trees, number)
        chunk[number] = max(int(min(spare[number], rarest[number])), 0) if room is None else room.vouched(most)
    return chunk
