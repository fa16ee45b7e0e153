"""The k most frequent itemsets: find the count of the last of them first, then the sets with that count."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

import numpy as np

from shoal.data.arrays import Int64
from shoal.data.transactions import Transactions
from shoal.kernels.compiling import announced
from shoal.limits import require_whole
from shoal.mining.index import indexed
from shoal.mining.itemsets import MAX_ITEMSETS, Itemsets, in_canonical_order, require_options
from shoal.mining.search import Found, Limits, search, search_in_order
from shoal.mining.support import least_count
from shoal.run import DEFAULT_RUN, Run

_ROOM = 2**62


def top_itemsets(
    data: Transactions,
    k: int,
    *,
    min_support: float = 1,
    max_length: int | None = None,
    run: Run = DEFAULT_RUN,
) -> Itemsets:
    """The ``k`` most frequent itemsets; of those as frequent as the last one, the shorter, then the first by items.

    Args:
        data: the baskets.
        k: how many sets.
        min_support: a share of the records up to 1., or (as a whole number) a least number of records.
        max_length: how many items a set may have; by default any number.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The first ``k`` of all frequent itemsets in their canonical order; fewer if there are fewer.

    Raises:
        InputError: an argument is out of range.

    Example:
        >>> baskets = Transactions.from_records([{"bread", "milk"}, {"bread", "milk"}, {"bread"}])
        >>> [(sorted(items), count) for items, count in top_itemsets(baskets, 2)]
        [(['bread'], 3), (['milk'], 2)]
    """
    require_whole("k", k, least=1, most=MAX_ITEMSETS)
    floor = least_count(min_support, len(data))
    require_options(max_length, MAX_ITEMSETS)
    report = run.report
    with announced(lambda: report("compile", 0, 1)):

        def mined(least: int, most: int, length: int | None = max_length) -> Found:
            limits = Limits(most, _ROOM)
            index = indexed(data, least)
            return search(index, least, "all", max_length=length, limits=limits, run=run)

        supports = np.sort(data.supports)[::-1]
        # At ``low`` there are k sets or more, unless the minimum support prevents it; at ``high`` there are fewer.
        low = max(floor, int(supports[k - 1]) if len(supports) >= k else 1)
        high = int(supports[0]) + 1 if len(supports) else 1
        while high - low > 1:
            middle = min(max(isqrt(low * high), low + 1), high - 1)
            if mined(middle, k - 1).complete:
                high = middle
            else:
                low = middle
        found = mined(low, 2 * k)
        if not found.complete:
            found = _with_the_first_ties(data, k, low, mined)
        first = in_canonical_order(found, data)
        return first.take(np.arange(min(k, len(first))))


def _with_the_first_ties(data: Transactions, k: int, count: int, mined: Callable[..., Found]) -> Found:
    """The sets in more than ``count`` records, which are fewer than k, and the first sets in exactly ``count``.

    There may be far too many of the latter to find all. Lengths are tried from 1 on until there are k sets; all shorter
    sets belong to the result, and those of that length are found in lexicographic order until there are enough.
    """
    above = mined(count + 1, k - 1)
    length, shorter = 0, above.only(above.counts < 0)
    while (longer := mined(count, k - 1, length + 1)).complete:
        length, shorter = length + 1, longer
    shorter = shorter.only(shorter.counts == count)
    wanted = k - len(above.counts) - len(shorter.counts)

    def enough(lengths: Int64, counts: Int64) -> bool:
        nonlocal wanted
        wanted -= int(np.count_nonzero((lengths == length + 1) & (counts == count)))
        return wanted <= 0

    last = search_in_order(indexed(data, count, by_code=True), count, length + 1, enough)
    last = last.only((last.counts == count) & (np.diff(last.offsets) == length + 1))
    return above.with_others(shorter).with_others(last)
