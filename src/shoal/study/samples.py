"""A random sample of records without replacement, to compare methods faster."""

from __future__ import annotations

import numpy as np

from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.randomness import generator


def sample(data: Transactions | Table, size: int, seed: int) -> Transactions | Table:
    """A sample of records or rows in their order, every subset equally likely; all of them if there are no more.

    Example:
        >>> len(sample(Transactions.from_records([{"tea"}, {"milk"}, {"jam"}]), 2, seed=1))
        2
    """
    if size >= len(data):
        return data
    drawn = np.zeros(len(data), np.bool_)
    drawn[generator(seed).choice(len(data), size, replace=False)] = True
    if isinstance(data, Table):
        return data.keep_rows(drawn)
    lengths = data.lengths
    offsets = np.concatenate([[0], np.cumsum(lengths[drawn])]).astype(np.int64)
    return Transactions.from_codes(offsets, data.items[np.repeat(drawn, lengths)], data.vocabulary)
