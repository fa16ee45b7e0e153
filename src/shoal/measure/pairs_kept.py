"""How much of the supports of pairs of items is still there, as far as a release tells: pairs kept.

The sum over the pairs that occur in the original of min(s, t) by that of s, where s is the number of records with both
in the original, and t what the release says it is. What a release has too much does not make up for what it has lost.
"""

from __future__ import annotations

import numpy as np

from shoal.data.transactions import Int64, Transactions
from shoal.measure.against_original import Progress
from shoal.measure.metric import Metric
from shoal.measure.pair_errors import Float64, Pairs
from shoal.mining.top import top_itemsets

MOST_PAIRS = 200_000
"""How many pairs are looked at, the most frequent first."""


def frequent_pairs(
    original: Transactions, most: int = MOST_PAIRS, progress: Progress | None = None
) -> tuple[Pairs, Int64]:
    """The pairs of items that are in most records, and in how many; of equals the first by items."""
    # Of the best sets of one or two items, so many at most have one.
    best = top_itemsets(original, most + original.n_items, max_length=2, progress=progress)
    two = np.flatnonzero(best.sizes == 2)[:most]
    at = best.offsets[two]
    return Pairs.of(best.items[at], best.items[at + 1]), best.counts[two]


def pairs_kept(original: Int64, published: Float64) -> Metric:
    """The metric, from the supports of the same pairs."""
    total = int(original.sum())
    kept = float(np.minimum(original, np.maximum(published, 0)).sum())
    return Metric(
        "pairs kept",
        kept / total if total else None,
        "higher is better",
        (0.0, 1.0),
        "the share of the records with a pair of items that the release still tells of: the sum of min(s, t) by that "
        "of s, s being the number of records with both items in the original, t what the release makes of it",
        f"of more than {MOST_PAIRS:,} pairs the most frequent, then the first by items; what the release has too much "
        "counts for nothing; nothing: no record has two items",
        details={
            "pairs": len(original),
            "records_with_a_pair": total,
            "rarest": int(original.min()) if len(original) else None,
        },
    )
