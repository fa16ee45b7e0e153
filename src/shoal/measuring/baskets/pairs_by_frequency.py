"""Pairs kept, by how frequent the pairs are: publishing tears rare ones apart, and that is what it is for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import compare
from shoal.measuring.baskets.pair_errors import counted
from shoal.measuring.baskets.pairs_kept import PairsTold
from shoal.release import BasketRelease
from shoal.release.disassociated import Disassociated

_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class PairsOfFrequency:
    """Pairs of items that are in a similar number of records of the original."""

    least: int
    most: int
    """Records of the original with both items, from the one to the other."""
    pairs: int
    occurrences: int
    """The sum of these records over the pairs."""
    kept: float
    """The share of them that the release tells of, as ``pairs kept`` counts."""
    certain: float | None
    """The share that is certain: inside chunks; None for a release in which nothing but what is told is certain."""


def pairs_by_frequency(
    original: Transactions, release: BasketRelease, found: PairsTold
) -> tuple[PairsOfFrequency, ...]:
    """How much of the occurrences of pairs a release still tells of: in one record, in 2 to 4, in 5 to 9, ...

    Looked at are the pairs that ``pairs kept`` looks at: all, or the most frequent.
    """
    counts = found.counts
    if not len(counts):
        return ()
    certain = np.zeros(len(counts))
    if isinstance(release, Disassociated):
        certain += np.minimum(counts, counted(compare(original, release).chunks(), found.pairs))
    starts = _starts(int(counts.max()))
    group = np.searchsorted(starts, counts, side="right") - 1
    total, kept, sure, n = (
        np.bincount(group, weights=weights, minlength=len(starts)) for weights in (counts, found.kept, certain, None)
    )
    ends = [*(start - 1 for start in starts[1:]), int(counts.max())]
    return tuple(
        PairsOfFrequency(
            start,
            end,
            int(n[at]),
            int(total[at]),
            float(kept[at] / total[at]),
            float(sure[at] / total[at]) if isinstance(release, Disassociated) else None,
        )
        for at, (start, end) in enumerate(zip(starts, ends, strict=True))
        if n[at]
    )


def _starts(most: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... up to most."""
    numbers = [step * 10**power for power in range(len(str(most))) for step in _STEPS]
    return [number for number in numbers if number <= most]
