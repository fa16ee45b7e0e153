"""A release of baskets with noisy counts as two Parquet tables, rows and hierarchy, and back.

Rows hold numbers of items, which the other table names, and the noisy count of each basket.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import DamagedRelease
from shoal.io.decoded_parts import Part
from shoal.io.item_trees import TREE, TREE_SCHEMA, tree_batch, tree_of
from shoal.io.listed_rows import ITEMS_FIELD, ROWS, list_batches, read_lists, require_named
from shoal.io.part_columns import plain
from shoal.io.promise_entries import noisy_baskets_promise
from shoal.release.noisy_baskets import NoisyBaskets

PART_NAMES = (ROWS, TREE)
OPTIONAL: tuple[str, ...] = ()
"""The files that a release may lack."""

MOST_RECORDS = 2**53
"""The largest total number of baskets."""
_ROWS = pa.schema([ITEMS_FIELD, pa.field("count", pa.int64(), nullable=False)])


def entries(release: NoisyBaskets) -> dict[str, Any]:
    """Further entries of the manifest, in addition to promises, counts and files."""
    return {"reproducible": "a seed stood in for chance: do not publish"} if release.reproducible else {}


def layout(_manifest: dict[str, Any]) -> dict[str, pa.Schema]:
    """The files that a release may list, each with its columns."""
    return {ROWS: _ROWS, TREE: TREE_SCHEMA}


def tables(release: NoisyBaskets) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    batches = list_batches(release.offsets, release.items)
    counts = release.row_counts
    yield (
        ROWS,
        _ROWS,
        (pa.RecordBatch.from_arrays([lists, pa.array(counts[part])], schema=_ROWS) for part, lists in batches),
    )
    yield TREE, TREE_SCHEMA, iter([tree_batch(release.tree)])


def from_files(files: dict[str, Part], manifest: dict[str, Any]) -> NoisyBaskets:
    """Build the release from its opened files; raise DamagedRelease if they do not have its shape."""
    promise = noisy_baskets_promise(manifest)
    tree = tree_of(files[TREE].read())
    offsets, items = read_lists(files[ROWS])
    require_named(items, len(tree), TREE)
    counts = plain(ROWS, files[ROWS].read(), "count")
    if len(counts) and (counts.min() < 1 or counts.astype(np.float64).sum() > MOST_RECORDS):
        raise DamagedRelease(f"{ROWS}: column 'count' must hold numbers from 1 on, and no more than 2^53 in all")
    return NoisyBaskets(promise, tree, offsets, items, counts, reproducible="reproducible" in manifest)
