"""Whether rows are ascending sets of numbers, and are sorted by content.

An order that follows from what is published says nothing about where rows come from, and anyone can check it.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Int32, Int64


def rows_not_ascending(offsets: Int64, items: Int32) -> Int64:
    """The rows whose items do not ascend strictly.

    Example:
        >>> rows_not_ascending(np.array([0, 2, 3, 5]), np.array([0, 1, 0, 2, 2], np.int32)).tolist()
        [2]
    """
    same_row = np.ones(len(items), bool)
    starts = offsets[:-1]
    same_row[starts[starts < len(items)]] = False
    wrong = items[1:] <= items[:-1]
    wrong &= same_row[1:]
    return np.unique(np.searchsorted(offsets, np.flatnonzero(wrong), side="right") - 1)


def rows_out_of_order(offsets: Int64, items: Int32) -> Int64:
    """Rows that should come after the next one: their first different item is greater, or they are longer.

    If there are several, not all need be found; if there is one, one is.

    Example:
        >>> rows_out_of_order(np.array([0, 1, 3, 4]), np.array([0, 0, 1, 0], np.int32)).tolist()
        [1]
    """
    tied = np.arange(len(offsets) - 2) if len(items) else np.empty(0, np.int64)
    place, width = 0, 1
    while len(tied):
        first, second = (_part(offsets, items, rows, place, width) for rows in (tied, tied + 1))
        differ = first != second
        column = np.argmax(differ, axis=1)[:, None]
        wrong = tied[(np.take_along_axis(first, column, 1) > np.take_along_axis(second, column, 1))[:, 0]]
        if len(wrong):
            return wrong
        tied = tied[~differ.any(axis=1) & (first[:, -1] >= 0)]
        # The remaining pairs agree on as many items as are compared next: all parts together stay within the rows.
        place, width = place + width, place + width
    return tied


def _part(offsets: Int64, items: Int32, rows: Int64, place: int, width: int) -> Int32:
    """Some items of each of some rows; -1, which sorts before all items, after the end of the row."""
    at = (offsets[rows] + place)[:, None] + np.arange(width)
    ended = at >= offsets[rows + 1][:, None]
    return np.where(ended, np.int32(-1), items[np.minimum(at, len(items) - 1)])
