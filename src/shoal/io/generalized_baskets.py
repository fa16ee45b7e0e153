"""A release of generalized baskets as two Parquet tables, rows and hierarchy, and back.

Rows hold numbers of nodes, which the other table names. By default the hierarchy is written only down to the nodes that
rows hold: the nodes below are not published.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from shoal.errors import DamagedRelease
from shoal.io.decoded_parts import Part
from shoal.io.item_trees import TREE, TREE_SCHEMA, tree_batch, tree_of
from shoal.io.listed_rows import ITEMS_FIELD, ROWS, list_batches, read_lists, require_named
from shoal.io.manifest import MANIFEST
from shoal.io.promise_entries import generalized_baskets_promise
from shoal.quoting import shown
from shoal.release.generalized_baskets import GeneralizedBaskets

PART_NAMES = (ROWS, TREE)
OPTIONAL: tuple[str, ...] = ()
"""The files that a release may lack."""

_ROWS = pa.schema([ITEMS_FIELD])
_EXTENT = {True: "whole", False: "down to what rows hold"}


def entries(release: GeneralizedBaskets) -> dict[str, Any]:
    """Further entries of the manifest, in addition to promises, counts and files."""
    return {"hierarchy": _EXTENT[release.discloses_hierarchy]}


def layout(_manifest: dict[str, Any]) -> dict[str, pa.Schema]:
    """The files that a release may list, each with its columns."""
    return {ROWS: _ROWS, TREE: TREE_SCHEMA}


def tables(release: GeneralizedBaskets) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    batches = list_batches(release.offsets, release.nodes)
    yield ROWS, _ROWS, (pa.RecordBatch.from_arrays([lists], schema=_ROWS) for _, lists in batches)
    yield TREE, TREE_SCHEMA, iter([tree_batch(release.tree)])


def from_files(files: dict[str, Part], manifest: dict[str, Any]) -> GeneralizedBaskets:
    """Build the release from its opened files; raise DamagedRelease if they do not have its shape."""
    extent = manifest.get("hierarchy")
    if extent not in _EXTENT.values():
        raise DamagedRelease(f"{MANIFEST}: 'hierarchy' must be {' or '.join(_EXTENT.values())}, found {shown(extent)}")
    promise = generalized_baskets_promise(manifest)
    tree = tree_of(files[TREE].read())
    offsets, nodes = read_lists(files[ROWS])
    require_named(nodes, len(tree), TREE)
    return GeneralizedBaskets(promise, tree, offsets, nodes, discloses_hierarchy=extent == _EXTENT[True])
