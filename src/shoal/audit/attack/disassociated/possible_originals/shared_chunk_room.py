"""Whether the subrecords of a shared chunk find room when some of them are put where an adversary looks.

Terrovitis et al., VLDB 2012, section 5: the proof of Lemma 3 puts k subrecords where they are wanted and does not place
the rest. But a restricted subrecord fits only some records, and those may be the ones just taken. Leaves with the same
closed items are one *pattern*; placing is a flow from distinct subrecords to patterns. Once the restricted ones are
placed, the others go anywhere: a chunk has no more subrecords than there are records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_flow

from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from shoal.data.arrays import Bools, Int64

CELLS = 4_000_000
"""How many pairs (leaf or distinct subrecord, item) of a chunk are examined; a larger chunk remains unknown."""
PAIRS = 4_000
"""How many pairs (distinct subrecord, pattern) of a chunk are tried one by one."""


@dataclass(frozen=True, eq=False)
class Room:
    """Which distinct subrecords of one shared chunk may go where."""

    first_leaf: int
    pattern: Int64
    """For each leaf below the chunk's joint, the number of its pattern."""
    capacity: Int64
    """How many records the leaves of each pattern have."""
    weight: Int64
    """How often each distinct subrecord occurs."""
    allowed: Bools
    """Whether a distinct subrecord (row) may go to the leaves of a pattern (column)."""

    @classmethod
    def of(cls, trees: Trees, chunk: int) -> Room | None:
        """The room of a shared chunk, or None if there is too much to examine."""
        owner = int(trees.release.chunk_owner[chunk])
        first, beyond = int(trees.first_leaf[owner]), int(trees.beyond_leaf[owner])
        start, end = (int(place) for place in trees.row_of_chunk[chunk : chunk + 2])
        n_items = int(trees.domains.offsets[chunk + 1] - trees.domains.offsets[chunk])
        if (beyond - first + end - start) * n_items > CELLS:
            return None
        packed, pattern = np.unique(np.packbits(trees.closed_items(chunk), axis=1), axis=0, return_inverse=True)
        pattern = pattern.reshape(-1).astype(np.int64)
        closed = np.unpackbits(packed, axis=1, count=n_items).astype(np.int64)
        edges = trees.bags.offsets[start : end + 1]
        holds = np.zeros((end - start, n_items), np.int64)
        holds[np.repeat(np.arange(end - start), np.diff(edges)), trees.domains.local[edges[0] : edges[-1]]] = 1
        capacity = np.zeros(len(packed), np.int64)
        np.add.at(capacity, pattern, trees.leaf_size[first:beyond])
        return cls(first, pattern, capacity, trees.bags.weight[start:end], holds @ closed.T == 0)

    def fits(self, taken: Int64 | None = None) -> bool:
        """Whether all subrecords can be placed at once, at least ``taken`` of them as (row, column) says."""
        weight, capacity = self.weight, self.capacity
        if taken is not None:
            if (taken[~self.allowed] > 0).any():
                return False
            weight, capacity = weight - taken.sum(axis=1), capacity - taken.sum(axis=0)
        return bool((weight >= 0).all() and (capacity >= 0).all()) and self._flows(weight, capacity)

    def vouched(self, most: int) -> int:
        """The largest x up to ``most`` so that x copies of any subrecord can go to any pattern that may take it.

        If a pattern has fewer than x records, as many as it has. Zero also means 'not known'.
        """
        low, high = 0, min(most, int(self.weight.min(initial=most)))
        while low < high:
            # The value asked for most often holds directly, so it is tried first. Where more fit, fewer always fit.
            x = high if low == 0 and high == most else (low + high + 1) // 2
            low, high = (x, high) if self._all_vouched(x) else (low, x - 1)
        return low

    def unvouched(self, x: int) -> list[tuple[int, int]]:
        """The pairs (distinct subrecord, pattern that may take it) where it cannot be shown that x copies can go."""
        if self.allowed.size > PAIRS:
            return [(int(row), int(column)) for row, column in np.argwhere(self.allowed)]
        pairs: list[tuple[int, int]] = []
        for column in range(len(self.capacity)):
            easy = self._flows(self.weight, self._without(column, x))
            for row in np.flatnonzero(self.allowed[:, column]).tolist():
                if self.weight[row] < x or not (easy or self.fits(self._taking(row, column, x))):
                    pairs.append((row, column))
        return pairs

    def _all_vouched(self, x: int) -> bool:
        # Room left everywhere at once is room left anywhere: one flow settles most chunks.
        if self._flows(self.weight, np.maximum(self.capacity - x, 0)):
            return True
        return self.allowed.size <= PAIRS and not self.unvouched(x)

    def _without(self, column: int, x: int) -> Int64:
        capacity = self.capacity.copy()
        capacity[column] = max(int(capacity[column]) - x, 0)
        return capacity

    def _taking(self, row: int, column: int, x: int) -> Int64:
        taken = np.zeros(self.allowed.shape, np.int64)
        taken[row, column] = min(x, int(self.weight[row]), int(self.capacity[column]))
        return taken

    def _flows(self, weight: Int64, capacity: Int64) -> bool:
        """Whether the restricted subrecords can all be placed, and the others then too."""
        restricted = np.flatnonzero(~self.allowed.all(axis=1) & (weight > 0))
        total = int(weight[restricted].sum())
        if total == 0:
            return True
        n_rows, n_columns = len(restricted), len(capacity)
        row, column = np.nonzero(self.allowed[restricted])
        source, sink = n_rows + n_columns, n_rows + n_columns + 1
        tail = np.concatenate([np.full(n_rows, source), row, n_rows + np.arange(n_columns)])
        head = np.concatenate([np.arange(n_rows), n_rows + column, np.full(n_columns, sink)])
        width = np.concatenate([weight[restricted], weight[restricted][row], np.minimum(capacity, total)])
        graph = sp.csr_matrix((width.astype(np.int32), (tail, head)), shape=(sink + 1, sink + 1))
        return int(maximum_flow(graph, source, sink).flow_value) == total
