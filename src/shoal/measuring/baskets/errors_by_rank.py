"""Errors in the supports of pairs, from the most frequent items to rare ones: re by rank.

Terrovitis, Mamoulis, Liagouris, Skiadopoulos, VLDB 2012, section 7, figure 7: re of the pairs of twenty items with
consecutive ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.transactions import Transactions
from shoal.measuring.baskets.pair_errors import counted, errors, pairs_of
from shoal.measuring.baskets.views import View
from shoal.run import DEFAULT_RUN, Run

WIDTH = 20
"""Number of items in a range."""
STARTS = (0, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""Ranks at which ranges start, if there are enough items."""


@dataclass(frozen=True)
class RankError:
    """The mean relative error of the supports of pairs of items of some ranks."""

    start: int
    items: int
    told: float
    """By all that the release shows: expectations, estimates or counts."""
    certain: float | None
    """By its certain counts only; None for a release that shows only certain counts."""


def errors_by_rank(original: Transactions, view: View, run: Run = DEFAULT_RUN) -> tuple[RankError, ...]:
    """The relative error along the ranks of items by descending support."""
    ranges = [(start, start + WIDTH) for start in STARTS if start + 2 <= original.n_items]
    pairs = pairs_of(original, ranges)
    true = counted(original, pairs)
    told = errors("re", true, view.pairs(pairs, run), pairs)
    found = view.certain(pairs)
    certain = None if found is None else errors("re-a", true, found, pairs)
    return tuple(
        RankError(start, pairs.items[at], one.value, None if certain is None else certain[at].value)
        for at, ((start, _), one) in enumerate(zip(ranges, told, strict=True))
        if one.value is not None
    )
