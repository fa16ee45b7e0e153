"""The sets of items in a tree for which the bound does not show k records.

Terrovitis et al., VLDB 2012, section 5. A leaf can be below k (too few records, or Lemma 2), or a chunk (a set of items
that occurs in it too rarely), or the room for a subrecord of a shared chunk in some leaves, which Property 1 does not
exclude. A set is safe unless it has items of such a part; the other sets are listed, if there are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.bound import Bound
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.shared_chunk_room import Room
from shoal.audit.attack.disassociated.possible_originals.tree import Part, Tree

Itemset = tuple[int, ...]


def suspects(
    candidates: Candidates, bound: Bound, tree: Tree, k: int, most_known: int, most: int
) -> tuple[list[Itemset], bool]:
    """Sets that may reach fewer than k records of the tree, rare ones first; and whether no other may.

    Args:
        candidates: The release, prepared.
        bound: The numbers that are shown, capped at k.
        tree: The tree to look at.
        k: How many records are promised.
        most_known: The largest size of a set.
        most: How many sets are listed at most.
    """
    trees = candidates.trees
    first = int(trees.first_of_tree[tree.number])
    found: set[Itemset] = set()
    # If a leaf cannot fill its records by itself, what shared chunks do elsewhere matters.
    filled = trees.leaf_has_terms | (trees.leaf_subrecords >= trees.leaf_size)
    complete = bool(filled[first : first + len(tree.sizes)].all())
    leaves = np.flatnonzero(bound.leaf[first : first + len(tree.sizes)] < k).tolist()
    listing: list[Iterator[Itemset]] = [_of_leaf(tree, leaf, k, most_known) for leaf in leaves]
    for part in tree.parts:
        if bound.chunk[part.chunk] < k:
            mixed = bool(trees.restricted_subrecords[part.chunk])
            room = candidates.room(part.chunk) if mixed else None
            complete &= room is not None or not mixed
            listing.append(
                _of_chunk(tree, part, k, most_known)
                if room is None
                else _of_room(tree, part, room, first, k, most_known)
            )
    for itemsets in listing:
        for itemset in itemsets:
            if len(found) >= most:
                complete = False
                break
            found.add(itemset)
    return sorted(found, key=lambda one: (sum(map(candidates.index.n_leaves, one)), one)), complete


def _of_leaf(tree: Tree, leaf: int, k: int, most_known: int) -> Iterator[Itemset]:
    """Sets in a leaf with fewer than k records; in any other, those with items of two of its record chunks."""
    chunk_of = {
        item: number
        for number, part in enumerate(tree.parts)
        if not part.shared and part.first_leaf == leaf
        for row in part.rows
        for item in row
    }
    items = sorted(_items_of(tree, leaf))
    for size in range(1, most_known + 1):
        for chosen in combinations(items, size):
            if tree.sizes[leaf] < k or len({chunk_of[item] for item in chosen if item in chunk_of}) > 1:
                yield chosen


def _of_chunk(tree: Tree, part: Part, k: int, most_known: int) -> Iterator[Itemset]:
    """Sets with a part that occurs in fewer than k subrecords of a chunk."""
    for row, count in zip(part.rows, part.counts, strict=True):
        if count >= k:
            continue
        for size in range(1, min(most_known, len(row)) + 1):
            for piece in combinations(row, size):
                held = sum(times for one, times in zip(part.rows, part.counts, strict=True) if set(piece) <= set(one))
                if held < k:
                    yield from _with_others(tree, piece, part, part.leaves, most_known)


def _of_room(tree: Tree, part: Part, room: Room, first: int, k: int, most_known: int) -> Iterator[Itemset]:
    """Sets with items of a subrecord that lacks room in some leaves, together with other items of these leaves."""
    for row, pattern in room.unvouched(k):
        leaves = (np.flatnonzero(room.pattern == pattern) + room.first_leaf - first).tolist()
        for size in range(1, min(most_known, len(part.rows[row])) + 1):
            for piece in combinations(part.rows[row], size):
                yield from _with_others(tree, piece, part, leaves, most_known)


def _with_others(tree: Tree, piece: Itemset, part: Part, leaves: Iterable[int], most_known: int) -> Iterator[Itemset]:
    """A piece from one chunk, alone and with items that records of the leaves may hold from anywhere else."""
    yield piece
    if len(piece) == most_known:
        return
    domain = {item for row in part.rows for item in row}
    for leaf in leaves:
        # An item of the chunk that is closed for the leaf, or in its term chunk, comes from there.
        open_here = domain - part.closed[leaf - part.first_leaf] - set(tree.terms[leaf])
        others = sorted(_items_of(tree, leaf) - open_here - set(piece))
        for more in range(1, most_known - len(piece) + 1):
            yield from (tuple(sorted(piece + rest)) for rest in combinations(others, more))


def _items_of(tree: Tree, leaf: int) -> set[int]:
    """The items that a record of a leaf may hold, and perhaps a few more."""
    items = {item for part in tree.parts if leaf in part.leaves for row in part.rows for item in row}
    return items.union(tree.terms[leaf])
