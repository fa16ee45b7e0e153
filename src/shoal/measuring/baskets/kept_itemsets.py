"""How much of the support of given itemsets a release still shows: the certain part, and the expected part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shoal.analyse.disassociated.supports import supports
from shoal.analyse.disassociated.term_chunks import DRAWN
from shoal.data.transactions import Transactions
from shoal.mining.counting import count_itemsets
from shoal.release.disassociated import Disassociated


@dataclass(frozen=True)
class KeptItemset:
    """One itemset, with its supports in the original and in the release."""

    items: tuple[str, ...]
    original: int
    """The number of records of the original that hold it."""
    certain: int
    """The number of records that hold it in every possible original of the release."""
    expected: float
    """The average number of records that hold it, over reconstructions with each term-chunk item in one record."""


def kept_itemsets(
    original: Transactions, release: Disassociated, itemsets: Iterable[Iterable[str]]
) -> tuple[KeptItemset, ...]:
    """How much of the support of each itemset survives publishing.

    Args:
        original: the data that were published.
        release: the release.
        itemsets: sets of items of the original. A set with a dropped item has no support left.

    Raises:
        InputError: an item is not in the original.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}])
        >>> release = shoal.disassociate(baskets, k=3, m=2)
        >>> kept_itemsets(baskets, release, [{"tea", "milk"}])
        (KeptItemset(items=('milk', 'tea'), original=4, certain=4, expected=4.0),)
    """
    sets = [tuple(sorted(set(items))) for items in itemsets]
    codes = original.codes_of(name for items in sets for name in items)
    offsets = np.concatenate([[0], np.cumsum([len(items) for items in sets], dtype=np.int64)])
    counts = count_itemsets(original, (offsets, codes)).tolist()
    words = set(release.words)
    there = [at for at, items in enumerate(sets) if words.issuperset(items)]
    found = supports(release, [sets[at] for at in there], term_items=DRAWN)
    certain, expected = [0] * len(sets), [0.0] * len(sets)
    for at, least, mean in zip(there, found.least.tolist(), found.expected.tolist(), strict=True):
        certain[at], expected[at] = least, mean
    return tuple(map(KeptItemset, sets, counts, certain, expected))
