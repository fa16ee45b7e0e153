"""Pairs kept, by frequency: publishing separates rare pairs, which is its purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.measuring.baskets.pairs_kept import PairsTold
from shoal.measuring.baskets.views import View

_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class PairsOfFrequency:
    """Pairs of items that are in a similar number of records of the original."""

    least: int
    most: int
    """The least and the greatest number of records of the original with both items."""
    pairs: int
    occurrences: int
    """The sum of these numbers over the pairs."""
    kept: float
    """The share of them that the release keeps, counted as in ``pairs kept``."""
    certain: float | None
    """The share that is certain: inside chunks; None for a release that shows only certain counts."""


def pairs_by_frequency(view: View, found: PairsTold) -> tuple[PairsOfFrequency, ...]:
    """The share of pair occurrences that a release keeps: for pairs in one record, in 2 to 4, in 5 to 9, ...

    The pairs are those of ``pairs kept``: all, or the most frequent.
    """
    counts = found.counts
    if not len(counts):
        return ()
    certain = view.certain(found.pairs)
    weights = np.zeros(len(counts)) if certain is None else np.minimum(counts, certain)
    starts = _starts(int(counts.max()))
    group = np.searchsorted(starts, counts, side="right") - 1
    total, kept, sure, n = (
        np.bincount(group, weights=part, minlength=len(starts)) for part in (counts, found.kept, weights, None)
    )
    ends = [*(start - 1 for start in starts[1:]), int(counts.max())]
    return tuple(
        PairsOfFrequency(
            start,
            end,
            int(n[at]),
            int(total[at]),
            float(kept[at] / total[at]),
            float(sure[at] / total[at]) if certain is not None else None,
        )
        for at, (start, end) in enumerate(zip(starts, ends, strict=True))
        if n[at]
    )


def _starts(most: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... up to most."""
    numbers = [step * 10**power for power in range(len(str(most))) for step in _STEPS]
    return [number for number in numbers if number <= most]
