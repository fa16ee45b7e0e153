"""Randomized baskets as an analyst reads them (Mohaisen et al., 2010).

Estimates, corrected for the randomization; negative ones count as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from shoal.analyse.randomized.itemsets import estimated_itemsets
from shoal.analyse.randomized.supports import estimate
from shoal.data.arrays import Bools, Float64, Int32
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_sets import ItemRows, ItemSets
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import codes_in
from shoal.measuring.baskets.pair_errors import Pairs
from shoal.measuring.baskets.top_itemsets_lost import Levels, Top
from shoal.measuring.baskets.views import View
from shoal.measuring.metric import Metric
from shoal.mining.top import top_itemsets
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run

_ROUNDING = 1e-9
"""Estimates are sums of products of fractions: fewer records than this count as none."""


@dataclass(frozen=True, eq=False)
class _EstimatedRows:
    """A randomized release by estimates."""

    reading: ClassVar[str] = "estimates corrected for the randomization; negative ones count as 0"
    original: Transactions
    release: Randomized
    codes: Int32
    """The release's code of each item of the original."""

    def __post_init__(self) -> None:
        freeze(self)

    @cached_property
    def named(self) -> Bools:
        held: Bools = self.release.supports[self.codes] > 0
        return held

    def top(self, k: int, run: Run) -> Top:
        """The k greatest estimates: the threshold starts at the original's k-th support and falls until there are k.

        Randomization makes many small estimates, so starting from below would be useless.
        """
        n = len(self.original)
        best = top_itemsets(self.original, k, run=run)
        share = float(best.counts[-1] / n)
        found = estimated_itemsets(self.release, share, top=k, run=run)
        while len(found) < k and share > 1 / n:
            share = max(share / 2, 1 / n)
            found = estimated_itemsets(self.release, share, top=k, run=run)
        places = np.arange(self.original.n_items, self.original.n_items + self.release.n_items, dtype=np.int32)
        places[self.codes] = np.arange(self.original.n_items)
        return Top(ItemSets(found.offsets, places[found.items], found.vocabulary), 0)

    def frequent(self, min_support: float, run: Run) -> ItemRows:
        return estimated_itemsets(self.release, min_support, run=run)

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        del hierarchy
        return (
            "flips of single items are corrected, not those of groups: a row holds a group if any of its items is "
            "there, flipped or not, and for large groups nearly all rows do"
        )

    def pairs(self, pairs: Pairs, run: Run) -> Float64:
        asked = np.stack([self.codes[pairs.first], self.codes[pairs.second]], axis=1).ravel()
        found = estimate(self.release, 2 * np.arange(len(pairs) + 1), asked, run=run)
        records = found.estimate * self.release.n_records
        # A pair caused by rounding would count as invented.
        return np.where(records > _ROUNDING, records, 0.0)

    def certain(self, pairs: Pairs) -> Float64 | None:
        del pairs
        return None

    def ncp(self) -> Metric | None:
        return None


def view(
    original: Transactions,
    release: Randomized,
    *,
    hierarchy: Hierarchy | None = None,
    run: Run = DEFAULT_RUN,
) -> View:
    """Estimates of all requested sets."""
    del hierarchy, run
    return _EstimatedRows(original, release, codes_in(original, release))
