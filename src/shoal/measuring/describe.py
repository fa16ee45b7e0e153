"""A summary of baskets before publishing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.data.transactions import Transactions
from shoal.limits import require_whole
from shoal.measuring.risk.equal_records import distinct_records


@dataclass(frozen=True)
class Description:
    """Counts that show what was read, and a first impression of the risk of re-identification."""

    records: int
    items: int
    occurrences: int
    """The number of items in all records together."""
    shortest: int
    mean_length: float
    median_length: float
    longest: int
    merged: int
    """Repetitions of an item inside a record, merged on reading."""
    dropped: int
    """Empty records, dropped on reading."""
    unique_records: int
    """Records whose set of items is unique."""
    k: int
    rare_items: int
    """Items that occur in fewer than k records."""
    top_items: tuple[tuple[str, int], ...]
    """The most frequent items with the number of records that hold them."""

    def as_dict(self) -> dict[str, Any]:
        """The description as plain values, ready for JSON."""
        return asdict(self)


def describe(data: Transactions, *, k: int = 5, top: int = 10) -> Description:
    """Describe baskets: how many, how long, which items are frequent, what is unique.

    Args:
        data: the baskets.
        k: items that occur in fewer than k records count as rare.
        top: how many of the most frequent items to list.

    Example:
        >>> from shoal.data.transactions import Transactions
        >>> seen = describe(Transactions.from_records([{"a"}, {"a"}, {"a", "b"}]), k=2)
        >>> seen.unique_records, seen.rare_items, seen.top_items
        (1, 1, (('a', 3), ('b', 1)))
    """
    require_whole("k", k, least=1)
    require_whole("top", top, least=0)
    supports = data.supports
    ranked = np.lexsort((np.arange(len(supports)), -supports))[:top]
    words = data.vocabulary.take(ranked).to_pylist()
    lengths = data.lengths
    return Description(
        records=len(data),
        items=data.n_items,
        occurrences=len(data.items),
        shortest=int(lengths.min()) if len(data) else 0,
        mean_length=float(lengths.mean()) if len(data) else 0.0,
        median_length=float(np.median(lengths)) if len(data) else 0.0,
        longest=int(lengths.max(initial=0)),
        merged=data.merged,
        dropped=data.dropped,
        unique_records=int(np.count_nonzero(distinct_records(data.offsets, data.items, data.n_items).counts == 1)),
        k=k,
        rare_items=int(np.count_nonzero(supports < k)),
        top_items=tuple(zip(words, supports[ranked].tolist(), strict=True)),
    )
