"""Which rows hold the same items: numbered item by item, without relying on a hash."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Int32, Int64


def kinds_of_rows(offsets: Int64, items: Int32, n_items: int) -> Int64:
    """A number for each row, the same for rows that hold the same items in the same order, from 0 on without gaps.

    Example:
        >>> kinds_of_rows(np.array([0, 1, 3, 4]), np.array([1, 0, 1, 1], np.int32), 2).tolist()
        [0, 1, 0]
    """
    lengths = np.diff(offsets)
    kinds = np.zeros(len(lengths), np.int64)
    going = np.flatnonzero(lengths > 0)
    beginning = np.zeros(len(going), np.int64)
    place, used = 0, 1  # kind 0 is that of empty rows until the numbers are compacted below
    while len(going):
        _, beginning = np.unique(beginning * n_items + items[offsets[going] + place], return_inverse=True)
        ends = lengths[going] == place + 1
        kinds[going[ends]] = used + beginning[ends]
        used += int(beginning.max()) + 1
        going, beginning = going[~ends], beginning[~ends]
        place += 1
    return np.unique(kinds, return_inverse=True)[1].astype(np.int64)
