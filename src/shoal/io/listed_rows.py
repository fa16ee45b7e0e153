"""Write rows that are lists of numbers as a Parquet column, and read them.

Another table of the release gives the names of the numbers: writing words instead would take three times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.errors import DamagedRelease
from shoal.io.decoded_parts import Part

ROWS = "rows.parquet"
LIST = pa.list_(pa.field("element", pa.int32(), nullable=False))
ITEMS_FIELD = pa.field("items", LIST, nullable=False)

# Items of a row group, approximately: a reader can stream the file.
ITEMS_A_GROUP = 1_000_000


def list_batches(offsets: Int64, items: Int32) -> Iterator[tuple[slice, pa.ListArray]]:
    """The rows in batches: which rows, and their lists."""
    n_rows = len(offsets) - 1
    ends = np.searchsorted(offsets[1:], np.arange(ITEMS_A_GROUP, len(items), ITEMS_A_GROUP)) + 1
    bounds = np.unique(np.concatenate([[0], ends, [n_rows]])).tolist()
    for first, last in pairwise(bounds):
        starts = pa.array((offsets[first : last + 1] - offsets[first]).astype(np.int32))
        values = pa.array(items[offsets[first] : offsets[last]])
        yield slice(first, last), pa.ListArray.from_arrays(starts, values, type=LIST)


def read_lists(file: Part) -> tuple[Int64, Int32]:
    """Where rows begin, and their items, read group by group."""
    lengths, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for table in file.groups:
        lists = table["items"].combine_chunks()
        values = lists.flatten()
        if lists.null_count or values.null_count:
            raise DamagedRelease(f"{ROWS}: column 'items' has missing values")
        lengths.append(np.diff(lists.offsets.to_numpy()).astype(np.int64))
        items.append(values.to_numpy())
    ends = np.cumsum(np.concatenate(lengths), dtype=np.int64)
    return np.concatenate([np.zeros(1, np.int64), ends]), np.concatenate(items)


def require_named(items: Int32, n_items: int, names: str) -> None:
    """Refuse numbers without a name."""
    if len(items) and not 0 <= items.min() <= items.max() < n_items:
        wrong = np.flatnonzero((items < 0) | (items >= n_items))[0]
        raise DamagedRelease(f"{ROWS} holds the item {items[wrong]}, and {names} has {n_items:,}")
