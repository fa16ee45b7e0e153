"""How much of the supports of pairs of items a release keeps: pairs kept.

The sum of min(s, t) over the pairs that occur in the original, divided by the sum of s, where s is the number of
records with both items in the original, and t the number according to the release. Excess does not offset loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Float64, Int64
from shoal.data.frozen import freeze
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.pair_errors import Pairs
from shoal.measuring.baskets.views import View
from shoal.measuring.metric import Metric, share
from shoal.run import DEFAULT_RUN, Run

MOST_PAIRS = 100_000
"""Maximum number of pairs, the most frequent first."""
# Maximum number of pairs that are counted at a time.
_BLOCK = 20_000_000


@dataclass(frozen=True, eq=False)
class PairsTold:
    """The most frequent pairs of an original, and their numbers in a release."""

    pairs: Pairs
    counts: Int64
    """Records of the original with both items."""
    told: Float64
    """The number according to the release; never negative."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def kept(self) -> Float64:
        """How much of each count is kept; excess does not offset loss."""
        return np.minimum(self.counts, self.told)


def pairs_told(original: Transactions, view: View, run: Run = DEFAULT_RUN) -> PairsTold:
    """The numbers in a release for the most frequent pairs of its original; this may take long."""
    pairs, counts = frequent_pairs(original)
    return PairsTold(pairs, counts, np.maximum(view.pairs(pairs, run), 0))


def frequent_pairs(original: Transactions, most: int = MOST_PAIRS, *, block: int = _BLOCK) -> tuple[Pairs, Int64]:
    """The pairs of items that are in most records, and their numbers of records; ties by items.

    All pairs are counted, as the product of the record matrix with itself, some items at a time.
    """
    from scipy import sparse  # slow to load, and needed only here

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
    """The metric, from the supports of the most frequent pairs in the original and in the release."""
    total = int(found.counts.sum())
    lengths = original.lengths
    every = int((lengths * (lengths - 1) // 2).sum())
    kept = float(found.kept.sum())
    return Metric(
        "pairs kept",
        kept / total if total else None,
        "higher is better",
        (0.0, 1.0),
        "the share of item-pair occurrences that the release keeps: the sum of min(s, t) divided by the sum of s, "
        "where s is the number of records with both items in the original, and t the number according to the release",
        f"of more than {MOST_PAIRS:,} pairs the most frequent, ties by items; excess in the release does not count; "
        "nothing: no record has two items",
        details={"pairs": len(found.counts), "occurrences": total, "of_all_occurrences": share(total, every)},
    )
