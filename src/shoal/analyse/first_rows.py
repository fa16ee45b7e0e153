"""The rows of a release of baskets that are rows: the first ones, equal ones in one line; or all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.analyse.contents import Contents, Items, Table, Wanted
from shoal.data.arrays import Int32, Int64
from shoal.data.item_sets import ItemRows

_LOOKED_AT = 65_536
"""Rows among which equal ones are looked for: enough for any terminal."""


def first_rows(
    rows: ItemRows, wanted: Wanted, summary: str, *, stand_for: Int64 | None = None, row_counts: Int64 | None = None
) -> Contents:
    """The first different rows, and how many come after them.

    Args:
        rows: all rows.
        wanted: how many different ones.
        summary: how much there is.
        stand_for: for how many items each of the vocabulary stands, where some are groups.
        row_counts: how often each row is there, where a number says so.
    """
    n_rows = len(rows.offsets) - 1
    starts = _starts_of_different(rows.offsets, rows.items, min(n_rows, _LOOKED_AT))
    drawn, plain = [], []
    for first, end in zip(starts[:-1][: wanted.rows].tolist(), starts[1:][: wanted.rows].tolist(), strict=True):
        codes = rows.items[slice(*rows.offsets[first : first + 2].tolist())].tolist()
        names = [rows.vocabulary[code].as_py() for code in codes]
        times = end - first
        at_least = bool(end == starts[-1] < n_rows and times > 1)
        if row_counts is not None:  # then no row is there twice, unless the release was changed
            times, at_least = int(row_counts[first:end].sum()), False
        leaves = None if stand_for is None else stand_for[codes].tolist()
        drawn.append((first, Items(names, leaves, times, at_least)))
        plain.append({"row": first, "items": names, "times": times, "at_least": at_least})
    n_hidden = n_rows - int(starts[: wanted.rows + 1][-1])
    return Contents(summary, [Table(("row", "items"), drawn)], {"rows": plain, "more_rows": n_hidden}, n_rows, n_hidden)


def _starts_of_different(offsets: Int64, items: Int32, n: int) -> Int64:
    """Which of the first rows differ from the one before, and the number of these rows."""
    offsets = offsets[: n + 1]
    lengths = np.diff(offsets)
    # In a row as long as the one before, each item has its counterpart so many items earlier.
    as_long = np.flatnonzero(np.append(False, lengths[1:] == lengths[:-1]))
    places = np.repeat(offsets[as_long] - np.append(0, np.cumsum(lengths[as_long])[:-1]), lengths[as_long])
    places += np.arange(len(places))
    owners = np.repeat(as_long, lengths[as_long])
    other = owners[items[places] != items[places - lengths[owners]]]
    same = np.zeros(n, bool)
    same[as_long] = True
    same[other] = False
    return np.append(np.flatnonzero(~same), n)


def plain_rows(rows: ItemRows, row_counts: Int64 | None = None) -> Iterator[dict[str, Any]]:
    """All rows as plain values, one at a time, each with its count if it has one."""
    words = rows.vocabulary.to_pylist()
    for row in range(len(rows.offsets) - 1):
        codes = rows.items[slice(*rows.offsets[row : row + 2].tolist())].tolist()
        count = {} if row_counts is None else {"count": int(row_counts[row])}
        yield {"items": [words[code] for code in codes], **count}
