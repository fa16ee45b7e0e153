"""A randomized release as two Parquet tables, rows and items, and back.

Rows hold numbers of items, which the other table names. The numbers follow the sorted list of items, so they reveal
nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.transactions import vocabulary_order
from shoal.errors import DamagedRelease
from shoal.io.decoded_parts import Part
from shoal.io.listed_rows import ITEMS_FIELD, ROWS, list_batches, read_lists, require_named
from shoal.io.manifest import MANIFEST, numbers_of
from shoal.io.part_columns import plain, require_numbered, texts
from shoal.io.promise_entries import randomized_promises
from shoal.release.randomized import Randomized

ITEMS = "items.parquet"
PART_NAMES = (ROWS, ITEMS)
OPTIONAL: tuple[str, ...] = ()
"""The files that a release may lack."""

_ROWS = pa.schema([ITEMS_FIELD])
_ITEMS = pa.schema([pa.field("item", pa.int32(), nullable=False), pa.field("name", pa.string(), nullable=False)])


def entries(release: Randomized) -> dict[str, Any]:
    """Further entries of the manifest, in addition to promises, counts and files."""
    return {"reproducible": "a seed stood in for chance: do not publish"} if release.reproducible else {}


def layout(_manifest: dict[str, Any]) -> dict[str, pa.Schema]:
    """The files that a release may list, each with its columns."""
    return {ROWS: _ROWS, ITEMS: _ITEMS}


def tables(release: Randomized) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    yield ROWS, _ROWS, _row_batches(release)
    names = [pa.array(np.arange(release.n_items, dtype=np.int32)), release.vocabulary.cast(pa.string())]
    yield ITEMS, _ITEMS, iter([pa.RecordBatch.from_arrays(names, schema=_ITEMS)])


def _row_batches(release: Randomized) -> Iterator[pa.RecordBatch]:
    for _, lists in list_batches(release.offsets, release.items):
        yield pa.RecordBatch.from_arrays([lists], schema=_ROWS)


def from_files(files: dict[str, Part], manifest: dict[str, Any]) -> Randomized:
    """Build the release from its opened files; raise DamagedRelease if they do not have its shape."""
    promise, privacy = randomized_promises(manifest)
    vocabulary = _vocabulary(files[ITEMS].read())
    offsets, items = read_lists(files[ROWS])
    require_named(items, len(vocabulary), ITEMS)
    release = Randomized(
        promise=promise,
        vocabulary=vocabulary,
        offsets=offsets,
        items=items,
        n_records=numbers_of(manifest, "counts", dict.fromkeys(("rows", "records", "items", "ones"), 0))["records"],
        privacy=privacy,
        reproducible="reproducible" in manifest,
    )
    if not 1 <= release.n_records <= release.n_rows:
        raise DamagedRelease(
            f"{MANIFEST} counts {release.n_records:,} records in {release.n_rows:,} rows: there must be at least one, "
            "and no more than rows"
        )
    if release.method != manifest["method"]:
        raise DamagedRelease(
            f"{MANIFEST} names the method {manifest['method']}, but has the promise of {release.method}"
        )
    return release


def _vocabulary(table: pa.Table) -> pa.Array:
    require_numbered(ITEMS, "item", plain(ITEMS, table, "item"))
    if table["name"].null_count:
        raise DamagedRelease(f"{ITEMS}: column 'name' has missing values")
    column = texts(table, "name")
    if len(np.unique(column.codes)) < table.num_rows:
        raise DamagedRelease(f"{ITEMS} names an item twice")
    names = column.words.take(pa.array(column.codes))
    if not np.array_equal(vocabulary_order(names), np.arange(len(names))):
        raise DamagedRelease(f"{ITEMS} must list items in order: as numbers if all are whole numbers, else as text")
    return names
