"""A randomized release as two Parquet tables, rows and items, and back.

Rows hold numbers of items, which the other table names: most of what rows hold is chance, and as many words would take
three times as long to write. Numbers follow the sorted list of items, and so tell nothing of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.data.transactions import Int32, vocabulary_order
from shoal.errors import DamagedRelease
from shoal.io.manifest import MANIFEST, numbers_of
from shoal.io.part_columns import plain, require_numbered
from shoal.io.promise_entries import randomized_promises
from shoal.release.randomized import Randomized

METHODS = ("mask", "fakes", "hybrid")
ROWS, ITEMS = PART_NAMES = ("rows.parquet", "items.parquet")
OPTIONAL: tuple[str, ...] = ()
"""The files that a release may lack."""

# Items a row group, about: a reader can stream the file.
ITEMS_A_GROUP = 1_000_000
_LIST = pa.list_(pa.field("element", pa.int32(), nullable=False))
_ROWS = pa.schema([pa.field("items", _LIST, nullable=False)])
_ITEMS = pa.schema([pa.field("item", pa.int32(), nullable=False), pa.field("name", pa.string(), nullable=False)])


def entries(release: Randomized) -> dict[str, Any]:
    """What the manifest says beside the promises, the counts and the files."""
    return {"reproducible": "a seed stood in for chance: do not publish"} if release.reproducible else {}


def layout(_manifest: dict[str, Any]) -> dict[str, tuple[pa.Schema, Collection[str]]]:
    """The files that a release may list, each with its columns, and which Parquet columns hold words or lists."""
    return {ROWS: (_ROWS, ["items.list.element"]), ITEMS: (_ITEMS, [])}


def tables(release: Randomized) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    yield ROWS, _ROWS, _row_batches(release)
    names = [pa.array(np.arange(release.n_items, dtype=np.int32)), release.vocabulary.cast(pa.string())]
    yield ITEMS, _ITEMS, iter([pa.RecordBatch.from_arrays(names, schema=_ITEMS)])


def _row_batches(release: Randomized) -> Iterator[pa.RecordBatch]:
    offsets, items = release.offsets, release.items
    ends = np.searchsorted(offsets[1:], np.arange(ITEMS_A_GROUP, len(items), ITEMS_A_GROUP)) + 1
    bounds = np.unique(np.concatenate([[0], ends, [release.n_rows]])).tolist()
    for first, last in pairwise(bounds):
        starts = pa.array((offsets[first : last + 1] - offsets[first]).astype(np.int32))
        lists = pa.ListArray.from_arrays(starts, pa.array(items[offsets[first] : offsets[last]]), type=_LIST)
        yield pa.RecordBatch.from_arrays([lists], schema=_ROWS)


def from_files(files: dict[str, pq.ParquetFile], manifest: dict[str, Any]) -> Randomized:
    """Build the release from its opened files; anything that has not the shape of one is a DamagedRelease."""
    promise, privacy = randomized_promises(manifest)
    vocabulary = _vocabulary(files[ITEMS].read())
    lengths, items = _read_rows(files[ROWS])
    _require_named(items, len(vocabulary))
    release = Randomized(
        promise=promise,
        vocabulary=vocabulary,
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]),
        items=items,
        n_records=numbers_of(manifest, "counts", dict.fromkeys(("rows", "records", "items", "ones"), 0))["records"],
        privacy=privacy,
        reproducible="reproducible" in manifest,
    )
    if not 1 <= release.n_records <= release.n_rows:
        raise DamagedRelease(
            f"{MANIFEST} counts {release.n_records:,} records in {release.n_rows:,} rows: there is one at least, and "
            "no more than rows"
        )
    if release.method != manifest["method"]:
        raise DamagedRelease(
            f"{MANIFEST} names the method {manifest['method']}, and promises what {release.method} does"
        )
    return release


def _require_named(items: Int32, n_items: int) -> None:
    if len(items) and not 0 <= items.min() <= items.max() < n_items:
        wrong = np.flatnonzero((items < 0) | (items >= n_items))[0]
        raise DamagedRelease(f"{ROWS} holds the item {items[wrong]}, and {ITEMS} has {n_items:,}")


def _vocabulary(table: pa.Table) -> pa.Array:
    require_numbered(ITEMS, "item", plain(ITEMS, table, "item"))
    if table["name"].null_count:
        raise DamagedRelease(f"{ITEMS}: column 'name' has missing values")
    table.validate(full=True)  # Parquet readers take any bytes for text
    names = table["name"].combine_chunks()
    names = names if isinstance(names, pa.Array) else pa.array([], pa.string())
    if len(pc.unique(names)) < len(names):
        raise DamagedRelease(f"{ITEMS} names an item twice")
    if not np.array_equal(vocabulary_order(names), np.arange(len(names))):
        raise DamagedRelease(f"{ITEMS} must list items in order: as numbers if all are whole numbers, else as text")
    return names


def _read_rows(file: pq.ParquetFile) -> tuple[np.ndarray[Any, np.dtype[np.int64]], Int32]:
    """The lengths of all rows, and their items, group by group."""
    lengths, items = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for group in range(file.num_row_groups):
        lists = file.read_row_group(group)["items"].combine_chunks()
        values = lists.flatten()
        if lists.null_count or values.null_count:
            raise DamagedRelease(f"{ROWS}: column 'items' has missing values")
        lengths.append(np.diff(lists.offsets.to_numpy()).astype(np.int64))
        items.append(values.to_numpy())
    return np.concatenate(lengths), np.concatenate(items)
