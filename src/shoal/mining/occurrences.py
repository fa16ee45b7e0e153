"""Count the rows that contain sets of items, level after level: rows are transposed once, then only counted.

Dense rows, such as those with flipped items, become a bit mask for each item; sparse rows become an index of the rows
of each item, used by the rarest item of a set. Up to a constant, either takes no more memory than the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.kernels.bits import BITS
from shoal.mining.index import Index, index_rows
from shoal.run import Run

# Words of a mask that are processed at once: those of many items fit into the processor's cache.
_WORDS = 512
# Bytes of masks that are kept between levels, and the most bytes for one block of rows.
_KEPT = 1 << 28
_STRETCH = 1 << 26
# Parts of a level: each has its own counts, which are added up.
_PARTS = 8
# Bits of an occurrence in an index. If masks take no more, they are faster.
_INDEXED_BITS = 64
Report = Callable[[int, int], None]


class Occurrences(Protocol):
    """Rows, prepared for counting sets of items."""

    def count(self, sets: Int32, run: Run) -> Int64:
        """How many rows contain each set; a set is a row of codes, all of one size, in lexicographic order."""


def occurrences(offsets: Int64, items: Int32, supports: Int64, codes: Int32) -> Occurrences:
    """The rows of a ragged array, prepared for counting sets of items with these ascending codes.

    ``supports``: how many rows contain each item.
    """
    if int(supports[codes].sum()) * _INDEXED_BITS < len(codes) * (len(offsets) - 1):
        order = codes[np.argsort(-supports[codes], kind="stable")]
        return IndexedRows(index_rows(offsets, items, len(supports), order))
    return MaskedRows(offsets, items, len(supports), codes)


@dataclass(frozen=True, eq=False)
class IndexedRows:
    """The items of each row, and the rows of each item."""

    index: Index

    def count(self, sets: Int32, run: Run) -> Int64:
        """In how many rows each of the given sets is."""
        from shoal.kernels.set_counts import count_sets

        index = self.index
        n, size = sets.shape
        if not n:
            return np.zeros(0, np.int64)
        ranks = np.sort(index.ranks[sets], axis=1).astype(np.int32)
        order = np.argsort(ranks[:, -1], kind="stable")
        starts, members = np.arange(n + 1) * size, ranks.ravel()
        holders = index.holders.astype(np.int64)
        counts = np.zeros(n, np.int64)
        # Cut where the last item changes: sets that share it are counted in one sweep over its rows.
        last = ranks[order, -1]
        ends = np.searchsorted(last, last[np.linspace(0, n - 1, _PARTS + 1).astype(np.int64)[1:-1]], side="left")
        bounds = np.unique(np.concatenate([[0], ends, [n]])).tolist()

        def part(number: int) -> None:
            first, end = bounds[number], bounds[number + 1]
            count_sets(
                index.offsets,
                index.items,
                index.holder_offsets,
                holders,
                starts,
                members,
                order,
                first,
                end,
                counts,
            )

        for done, _ in enumerate(run.map(part, range(len(bounds) - 1)), 1):
            run.report("count itemsets", done, len(bounds) - 1)
        return counts


@dataclass(frozen=True, eq=False)
class MaskedRows:
    """Rows in blocks, with a mask for every item in each block; masks are kept if they take little enough memory."""

    offsets: Int64
    items: Int32
    n_items: int
    codes: Int32
    _filled: dict[int, Int64] = field(default_factory=dict)

    @property
    def words(self) -> int:
        """The length of a mask in one block."""
        n_rows = len(self.offsets) - 1
        return max(1, min(_WORDS, -(-n_rows // BITS), _STRETCH // (8 * max(1, len(self.codes)))))

    def count(self, sets: Int32, run: Run) -> Int64:
        """In how many rows each of the given sets is."""
        from shoal.kernels.row_masks import count_sets_in_masks

        members, size = self._places[sets].ravel().astype(np.int32), sets.shape[1]

        def part(stretches: range) -> Int64:
            counts = np.zeros(len(sets), np.int64)
            for masks, _ in self._masks(stretches):
                count_sets_in_masks(masks, self.words, members, size, counts)
            return counts

        return self._summed(part, run)

    def patterns(self, sets: Int32, run: Run) -> Int64:
        """How many rows have each exact subset of a set: bit t of a column's number represents item t."""
        from shoal.kernels.row_masks import count_patterns_in_masks

        members, size = self._places[sets].ravel().astype(np.int32), sets.shape[1]

        def part(stretches: range) -> Int64:
            counts = np.zeros(len(sets) << size, np.int64)
            for masks, n_rows in self._masks(stretches):
                count_patterns_in_masks(masks, self.words, n_rows, members, size, counts)
            return counts

        return self._summed(part, run).reshape(len(sets), 1 << size)

    def _summed(self, part: Callable[[range], Int64], run: Run) -> Int64:
        n_stretches = -(-(len(self.offsets) - 1) // (self.words * BITS))
        bounds = np.unique(np.linspace(0, n_stretches, min(_PARTS, n_stretches) + 1).astype(np.int64)).tolist()
        parts = [range(first, last) for first, last in pairwise(bounds)]
        total: Int64 | None = None
        for done, counts in enumerate(run.map(part, parts), 1):
            total = counts if total is None else total + counts
            run.report("count itemsets", done, len(parts))
        return part(range(0)) if total is None else total

    @property
    def _places(self) -> Int64:
        """The number of each item's mask, or -1."""
        places = np.full(self.n_items, -1, np.int64)
        places[self.codes] = np.arange(len(self.codes))
        return places

    def _masks(self, stretches: range) -> Iterator[tuple[Int64, int]]:
        """The masks of each block, and its number of rows."""
        from shoal.kernels.row_masks import mark_rows

        words, places = self.words, self._places
        n_rows = len(self.offsets) - 1
        keep = len(self.codes) * n_rows <= 8 * _KEPT
        for stretch in stretches:
            first = stretch * words * BITS
            last = min(first + words * BITS, n_rows)
            masks = self._filled.get(stretch)
            if masks is None:
                masks = np.zeros(max(1, len(self.codes)) * words, np.int64)
                mark_rows(self.offsets, self.items, first, last, places, words, masks)
                if keep:
                    self._filled[stretch] = masks
            yield masks, last - first
