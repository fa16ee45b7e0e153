"""People singled out by a number of items: counted as far as a search went, estimated from a sample beyond.

Singled out by j items: some set of at most j of the record's items is in no other record. Among fewer than k: in fewer
than k records. Both are about the most identifying items, which an adversary may know or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Int64, UInt8
from shoal.measuring.risk.equal_records import Distinct
from shoal.measuring.risk.rare_sets import RareSets, Records, look, with_first
from shoal.measuring.risk.share import Share, counted_share, sampled_share
from shoal.run import Run

SAMPLES = (1000, 100, 10)
"""The number of sampled records; fewer if their sets are too many to search."""
_SAMPLE_WORK = 1 << 28


@dataclass(frozen=True)
class Known:
    """The risk from an adversary who knows up to this many items of a person's record."""

    items: int
    alone: Share
    """The share of the records with this many items that are in no other record."""
    among_few: Share
    """The share of the records with this many items that are in fewer than k records."""

    def as_dict(self) -> dict[str, object]:
        """The same as plain values."""
        return {"items": self.items, "alone": vars(self.alone), "among_fewer_than_k": vars(self.among_few)}


def singled_out(
    records: Records,
    distinct: Distinct,
    found: RareSets,
    k: int,
    m: int,
    *,
    chance: np.random.Generator,
    run: Run,
) -> tuple[Known, ...]:
    """The shares for 1 to m items; ``found`` has the certain ones for the first lengths."""
    n = len(distinct.kinds)
    known = found.sets.shape[1]
    alone, few = _cumulated(found.fewest_alone, distinct.counts, m), _cumulated(found.fewest, distinct.counts, m)
    counted = [Known(size, counted_share(alone[size], n), counted_share(few[size], n)) for size in range(1, known + 1)]
    if known == m:
        return tuple(counted)
    # People identified by fewer items are skipped, so that the sample is about the others.
    open_alone = np.flatnonzero(found.fewest_alone[distinct.kinds] > known)
    sample = _sample(records, distinct, open_alone, k, range(m, known, -1), chance, run)
    open_few = found.fewest[distinct.kinds[sample.rows]] > known

    def estimated(certain: int, fewest: UInt8, size: int) -> Share:
        if size > sample.longest:
            return Share(None, certain / n, 1.0)
        hits = int(np.count_nonzero(fewest <= size))
        if len(fewest) == n - certain:
            return counted_share(certain + hits, n)
        return sampled_share(certain, n - certain, hits, len(fewest), n)

    for size in range(known + 1, m + 1):
        share = estimated(alone[known], sample.fewest_alone, size)
        counted.append(Known(size, share, estimated(few[known], sample.fewest[open_few], size)))
    return tuple(counted)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Randomly sampled records, and the least number of items that identify each, up to some number of items."""

    rows: Int64
    fewest: UInt8
    fewest_alone: UInt8
    longest: int


def _sample(
    records: Records,
    distinct: Distinct,
    among: Int64,
    k: int,
    lengths: range,
    chance: np.random.Generator,
    run: Run,
) -> _Sample:
    """Sampled distinct records, searched for the first of these lengths that is not too much."""
    order = chance.permutation(among)
    for length in lengths:
        for size in SAMPLES:
            rows = order[:size]
            kinds, at = np.unique(distinct.kinds[rows], return_inverse=True)
            first = with_first(records, kinds)
            found = look(first, k, length, n_marked=len(kinds), work=_SAMPLE_WORK, run=run)
            if found is not None:
                return _Sample(rows, found.fewest[at], found.fewest_alone[at], length)
    nobody = np.empty(0, np.uint8)
    return _Sample(order[:0], nobody, nobody, 0)


def _cumulated(fewest: UInt8, counts: Int64, m: int) -> list[int]:
    """The number of records identified by 0, 1, ..., m items, each distinct record counted as often as it occurs."""
    return [int(counts[fewest <= size].sum()) for size in range(m + 1)]
