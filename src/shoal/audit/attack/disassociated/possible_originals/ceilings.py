"""How many records can hold a set of items at most: a number that no possible original of the release exceeds.

Terrovitis et al., VLDB 2012, Guarantee 1: a set that can occur, but whose ceiling is below k, breaks the promise. No
record of a leaf holds the set without its pieces from the leaf's own chunks, nor without its piece from a shared chunk.
Each leaf that needs shared chunks is counted with the scarcest of them; how many of a chunk's subrecords that hold the
piece can be in such records while all restricted ones have a place is a linear program. Everything else is left out,
which only raises the number. In a simple cluster nothing is left out: the ceiling is what can be reached.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.shared_chunk_room import Room
from shoal.audit.attack.disassociated.possible_originals.splits import OWN, Split
from shoal.data.arrays import Bools, Int64

_ROUNDING = 1e-6
"""How far below a whole number the solution of a linear program may be and still count as that number."""
_INFEASIBLE = 2


def at_most(candidates: Candidates, itemset: Iterable[int], within: int | None = None) -> int:
    """The most records that hold all of the items in any possible original, or a larger number.

    Args:
        candidates: The release, prepared.
        itemset: Codes of items; at least one.
        within: The number of a tree, to count in its records only.
    """
    trees = candidates.trees
    total = 0
    needs: dict[int, list[tuple[Int64, Int64, Int64]]] = {}
    for split in candidates.index.split(itemset, within):
        most = np.where(trees.leaf_alone[split.leaf], candidates.own_limit(split), split.most)
        chunk, piece = _scarcest(candidates, split)
        total += int(most[chunk == OWN].sum())
        for number in np.unique(chunk[chunk != OWN]).tolist():
            for which in np.unique(piece[chunk == number]).tolist():
                here = (chunk == number) & (piece == which)
                first, beyond = np.searchsorted(split.pieces[which].rows, trees.row_of_chunk[number : number + 2])
                rows = split.pieces[which].rows[first:beyond]
                needs.setdefault(number, []).append((rows, split.leaf[here], most[here]))
    return total + sum(_chunk_ceiling(candidates, chunk, uses) for chunk, uses in needs.items())


def _scarcest(candidates: Candidates, split: Split) -> tuple[Int64, Int64]:
    """For each leaf the shared chunk with the fewest subrecords for it, or OWN, and the number of that piece."""
    chunk, piece = np.full(len(split.leaf), OWN), np.zeros(len(split.leaf), np.int64)
    fewest = np.full(len(split.leaf), np.iinfo(np.int64).max)
    for number, one in enumerate(split.pieces):
        count = candidates.index.weights(one.rows, one.chunk)
        better = (one.chunk != OWN) & (count < fewest)
        chunk[better], piece[better], fewest[better] = one.chunk[better], number, count[better]
    return chunk, piece


def _chunk_ceiling(candidates: Candidates, chunk: int, uses: list[tuple[Int64, Int64, Int64]]) -> int:
    """How many subrecords of a shared chunk that hold a piece can be in records that could hold the rest."""
    trees = candidates.trees
    rows = np.unique(np.concatenate([rows for rows, _, _ in uses]))
    supply = min(sum(int(most.sum()) for _, _, most in uses), int(trees.bags.weight[rows].sum()))
    room = candidates.room(chunk) if trees.restricted_subrecords[chunk] else None
    if room is None or supply == 0:
        return supply
    wanted = np.zeros(len(room.weight), bool)
    wanted[rows - int(trees.row_of_chunk[chunk])] = True
    places = np.zeros(len(room.capacity), np.int64)
    for _, leaf, most in uses:
        np.add.at(places, room.pattern[leaf - room.first_leaf], most)
    return min(supply, most_wanted(room, wanted, places))


def most_wanted(room: Room, wanted: Bools, places: Int64) -> int:
    """How many wanted subrecords fit into so many places of each pattern while all restricted ones have a place."""
    n_rows, n_patterns = room.allowed.shape
    restricted: Bools = ~np.asarray(room.allowed.all(axis=1))
    row, pattern = np.nonzero(room.allowed)
    # One unknown for each wanted subrecord in a place that counts, one for each restricted one anywhere else.
    counted, other = np.flatnonzero(wanted[row]), np.flatnonzero(restricted[row])
    row, pattern = np.concatenate([row[counted], row[other]]), np.concatenate([pattern[counted], pattern[other]])
    n_counted, unknown = len(counted), np.arange(len(row))
    if n_counted == 0:
        return 0
    ones = np.ones(len(row))
    by_row = sp.csr_matrix((ones, (row, unknown)), shape=(n_rows, len(row)))
    by_pattern = sp.csr_matrix((ones, (pattern, unknown)), shape=(n_patterns, len(row)))
    by_place = sp.csr_matrix((ones[:n_counted], (pattern[:n_counted], unknown[:n_counted])), shape=by_pattern.shape)
    solved = linprog(
        -(unknown < n_counted).astype(np.float64),
        A_ub=sp.vstack([by_row[~restricted], by_pattern, by_place]),
        b_ub=np.concatenate([room.weight[~restricted], room.capacity, places]),
        A_eq=by_row[restricted],
        b_eq=room.weight[restricted],
    )
    if solved.status == _INFEASIBLE:
        # Not even the restricted subrecords have a place: there is no possible original.
        return 0
    return math.floor(-solved.fun + _ROUNDING) if solved.status == 0 else int(places.sum())
