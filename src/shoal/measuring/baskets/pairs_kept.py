"""How much of the supports of pairs of items is still there, as far as a release tells: pairs kept.

The sum over the pairs that occur in the original of min(s, t) by that of s, where s is the number of records with both
in the original, and t what the release says it is. What a release has too much does not make up for what it has lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Float64, Int64
from shoal.data.frozen import freeze
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import Progress
from shoal.measuring.baskets.pair_errors import Pairs
from shoal.measuring.baskets.views import View
from shoal.measuring.metric import Metric, share

MOST_PAIRS = 100_000
"""How many pairs are looked at, the most frequent first."""
# Pairs that are counted at a time, at most.
_BLOCK = 20_000_000


@dataclass(frozen=True, eq=False)
class PairsTold:
    """The most frequent pairs of an original, and what a release tells of them."""

    pairs: Pairs
    counts: Int64
    """Records of the original with both items."""
    told: Float64
    """What the release makes of that; never less than nothing."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def kept(self) -> Float64:
        """How much of each count is told; what is told too much does not make up for what is lost."""
        return np.minimum(self.counts, self.told)


def pairs_told(original: Transactions, view: View, progress: Progress | None = None) -> PairsTold:
    """What a release tells of the most frequent pairs of its original; asking that of a release may take long."""
    pairs, counts = frequent_pairs(original)
    return PairsTold(pairs, counts, np.maximum(view.pairs(pairs, progress), 0))


def frequent_pairs(original: Transactions, most: int = MOST_PAIRS, *, block: int = _BLOCK) -> tuple[Pairs, Int64]:
    """The pairs of items that are in most records, and in how many; of equals the first by items.

    All pairs are counted, as the product of the records with themselves, some items at a time.
    """
    from scipy import sparse  # slow to load, and needed here only

    n_items = original.n_items
    ones = np.ones(len(original.items), np.int32)
    records = sparse.csr_matrix((ones, original.items, original.offsets), shape=(len(original), n_items))
    items = records.T.tocsr()
    best = np.zeros((3, 0), np.int64)
    width = max(1, block // max(1, n_items))
    for start in range(0, n_items, width):
        together = (items[start : start + width] @ records).tocoo()
        above = together.col > together.row + start
        here = np.stack([together.row[above] + start, together.col[above], together.data[above]])
        best = np.concatenate([best, here], axis=1)
        best = best[:, np.lexsort((best[1], best[0], -best[2]))[:most]]
    return Pairs.of(best[0].astype(np.int32), best[1].astype(np.int32)), best[2]


def pairs_kept(original: Transactions, found: PairsTold) -> Metric:
    """The metric, from the supports of its most frequent pairs in the original and in what is published."""
    total = int(found.counts.sum())
    lengths = original.lengths
    every = int((lengths * (lengths - 1) // 2).sum())
    kept = float(found.kept.sum())
    return Metric(
        "pairs kept",
        kept / total if total else None,
        "higher is better",
        (0.0, 1.0),
        "the share of the occurrences of pairs of items that the release still tells of: the sum of min(s, t) by that "
        "of s, s being the number of records with both items in the original, t what the release makes of it",
        f"of more than {MOST_PAIRS:,} pairs the most frequent, then the first by items; what the release has too much "
        "counts for nothing; nothing: no record has two items",
        details={"pairs": len(found.counts), "occurrences": total, "of_all_occurrences": share(total, every)},
    )
