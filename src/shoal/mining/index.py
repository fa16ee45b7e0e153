"""An index of transactions for kernels: without rare items, by item and by record, the most frequent item first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.transactions import Transactions


@dataclass(frozen=True, eq=False)
class Index:
    """Records, and the records of each item. Items are ranks: 0 is the most frequent one; ties go by code."""

    offsets: Int64
    items: Int32
    holder_offsets: Int64
    holders: Int32
    codes: Int32
    """The code of each rank."""
    ranks: Int32
    """The rank of each code; -1 if it was left out."""
    longest: int
    """How many items the longest record holds."""


def indexed(data: Transactions, least: int, *, by_code: bool = False) -> Index:
    """Index the items that are in at least ``least`` records; ``by_code`` gives the last code rank 0, and so on."""
    supports = data.supports
    frequent = np.flatnonzero(supports >= least)
    # A search extends a set by items of lower rank than its own: with rare items first, few extensions remain.
    order = frequent[::-1] if by_code else frequent[np.lexsort((frequent, -supports[frequent]))]
    return index_rows(data.offsets, data.items, data.n_items, order.astype(np.int32))


def index_rows(offsets: Int64, items: Int32, n_items: int, codes: Int32) -> Index:
    """Index the records of a ragged array by the items with these codes, of which the first gets rank 0, and so on."""
    from shoal.kernels.vertical_index import inverted

    n_records = len(offsets) - 1
    ranks = np.full(n_items, -1, np.int32)
    ranks[codes] = np.arange(len(codes), dtype=np.int32)
    holder_offsets, holders = inverted(offsets, items, ranks, len(codes))
    # Transposed once more, the records hold their items in the order of the ranks.
    offsets, items = inverted(holder_offsets, holders, np.arange(n_records, dtype=np.int32), n_records)
    longest = int(np.diff(offsets).max(initial=0))
    return Index(offsets, items, holder_offsets, holders, codes, ranks, longest)
