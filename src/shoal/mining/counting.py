"""Count the records that contain given itemsets, for millions of them in one call."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Int32, Int64
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.kernels.compiling import announced
from shoal.mining.index import indexed
from shoal.run import DEFAULT_RUN, Run

# Sets counted between two progress reports.
_SETS = 1 << 20


def count_itemsets(data: Transactions, itemsets: tuple[Int64, Int32], *, run: Run = DEFAULT_RUN) -> Int64:
    """Count the records that contain each of the given itemsets.

    Args:
        data: the baskets.
        itemsets: where each set starts in the second array (one more entry than there are sets), and the codes of
            ``data.vocabulary`` of the sets, in any order, each once in a set; the empty set is in all records.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The count of each set.

    Raises:
        InputError: the arrays do not fit together, a code is not in the vocabulary, or a set names an item twice.

    Example:
        >>> baskets = Transactions.from_records([{"bread", "milk"}, {"bread", "milk"}, {"bread"}])
        >>> count_itemsets(baskets, (np.array([0, 1, 3]), np.array([0, 0, 1]))).tolist()
        [3, 2]
    """
    offsets, codes = _sets(*itemsets, data.n_items)
    report = run.report
    with announced(lambda: report("compile", 0, 1)):
        from shoal.kernels.set_counts import count_sets

        index = indexed(data, 1)
        sizes = np.diff(offsets)
        keys = np.repeat(np.arange(len(sizes)), sizes) * max(1, data.n_items)
        keys += index.ranks[codes]
        keys.sort()
        if np.any(keys[1:] == keys[:-1]):
            number = int(keys[:-1][keys[1:] == keys[:-1]][0] // data.n_items)
            raise InputError(f"itemset {number} names an item twice: a set holds each item once")
        items = (keys % max(1, data.n_items)).astype(np.int32)
        counts = np.full(len(sizes), len(data), np.int64)
        filled = np.flatnonzero(sizes)
        order = filled[np.argsort(items[offsets[filled + 1] - 1], kind="stable")]
        holders = index.holders.astype(np.int64)
        for first in range(0, len(order), _SETS):
            last = min(first + _SETS, len(order))
            count_sets(
                index.offsets, index.items, index.holder_offsets, holders, offsets, items, order, first, last, counts
            )
            report("count itemsets", last, len(order))
        return counts


def _sets(starts: npt.ArrayLike, members: npt.ArrayLike, n_items: int) -> tuple[Int64, Int32]:
    """The two arrays, checked."""
    offsets, codes = np.asarray(starts), np.asarray(members)
    whole = offsets.dtype.kind in "iu" and (codes.dtype.kind in "iu" or codes.size == 0)
    if offsets.ndim != 1 or codes.ndim != 1 or not whole:
        raise InputError("itemsets are two flat arrays of whole numbers: where each set starts, and their codes")
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(codes) or np.any(offsets[1:] < offsets[:-1]):
        raise InputError(
            f"the starts of the itemsets must ascend from 0 to the number of codes, which is {len(codes):,}"
        )
    if len(codes) and not 0 <= codes.min() <= codes.max() < n_items:
        wrong = int(codes.min()) if codes.min() < 0 else int(codes.max())
        raise InputError(f"{wrong} is no code of the vocabulary, which has {n_items:,} items")
    return np.ascontiguousarray(offsets, np.int64), codes.astype(np.int32)
