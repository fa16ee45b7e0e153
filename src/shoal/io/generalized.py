"""A generalized release as two Parquet tables, rows and hierarchies, and back.

Rows carry the label of a node in every cell, under the steward's own column names; the number of the group comes first.
Suppressed rows stand at the end: they have no group, and the root's label in every cell. Hierarchies are written node
by node, each after its parent; by default only as far down as rows hold their nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.data.node_tree import NodeTree
from shoal.data.table import Int32, Int64, Role
from shoal.errors import DamagedRelease
from shoal.io.manifest import MANIFEST, cut
from shoal.io.part_columns import number_field, plain, require_ascending, word_codes
from shoal.io.promise_entries import generalized_promises
from shoal.release.generalized import Generalized, GeneralizedColumn

METHODS = ("bottom-up", "mondrian")
ROWS, TREES = PART_NAMES = ("rows.parquet", "hierarchies.parquet")
OPTIONAL: tuple[str, ...] = ()
"""The files that a release may lack."""

ROWS_A_GROUP = 250_000
_TREES = pa.schema(
    [
        pa.field("column", pa.string(), nullable=False),
        pa.field("label", pa.string(), nullable=False),
        pa.field("parent", pa.string()),
        pa.field("leaves", pa.int64(), nullable=False),
    ]
)
_EXTENT = {True: "whole", False: "down to what rows hold"}


def entries(release: Generalized) -> dict[str, Any]:
    """What the manifest says beside the promises, the counts and the files."""
    return {
        "quasi_identifiers": [column.name for column in release.quasi],
        "sensitive": [column.name for column in release.sensitive],
        "hierarchies": _EXTENT[release.discloses_hierarchies],
    }


def layout(manifest: dict[str, Any]) -> dict[str, tuple[pa.Schema, Collection[str]]]:
    """The files that a release may list, each with its columns, and which Parquet columns hold words."""
    quasi, sensitive = columns(manifest)
    names = [*quasi, *sensitive]
    return {ROWS: (_rows_schema(names), names), TREES: (_TREES, [])}


def columns(manifest: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The quasi-identifiers and the sensitive columns that a manifest names."""
    quasi, sensitive = manifest.get("quasi_identifiers"), manifest.get("sensitive")
    for names in (quasi, sensitive):
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            raise DamagedRelease(f"{MANIFEST} must list quasi-identifiers and sensitive columns by name")
    assert isinstance(quasi, list)
    assert isinstance(sensitive, list)
    if not quasi or len({*quasi, *sensitive}) < len(quasi) + len(sensitive):
        raise DamagedRelease(f"{MANIFEST} must name quasi-identifiers, and no column twice")
    try:
        "".join([*quasi, *sensitive]).encode()  # JSON can carry half a character, which no name of a column is
    except UnicodeEncodeError:
        raise DamagedRelease(f"{MANIFEST} names a column that is not text") from None
    return quasi, sensitive


def tables(release: Generalized) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    schema = _rows_schema([column.name for column in release.columns])
    yield ROWS, schema, _row_batches(release, schema)
    yield TREES, _TREES, (_tree_batch(column) for column in release.columns)


def from_files(files: dict[str, pq.ParquetFile], manifest: dict[str, Any]) -> Generalized:
    """Build the release from its opened files; anything that has not the shape of one is a DamagedRelease."""
    quasi, sensitive = columns(manifest)
    promise, hidden = generalized_promises(manifest)
    if list(promise.quasi) != quasi or (hidden is not None and list(hidden.sensitive) != sensitive):
        raise DamagedRelease(f"{MANIFEST} promises something of other columns than it publishes")
    extent = manifest.get("hierarchies")
    if extent not in _EXTENT.values():
        raise DamagedRelease(f"{MANIFEST}: 'hierarchies' must be {' or '.join(_EXTENT.values())}, found {cut(extent)}")
    trees = _trees(files[TREES].read(), [*quasi, *sensitive])
    rows = files[ROWS].read()
    offsets, suppressed = _groups(rows)
    roles = [Role.QUASI] * len(quasi) + [Role.SENSITIVE] * len(sensitive)
    kept = int(offsets[-1])
    found = []
    for (name, tree), role in zip(trees.items(), roles, strict=True):
        nodes = _nodes(name, rows[name], tree)
        shown = np.flatnonzero(nodes[kept:])
        if len(shown):
            raise DamagedRelease(
                f"{ROWS}: row {kept + int(shown[0])} is suppressed (it has no group), and yet shows "
                f"{cut(tree.labels[nodes[kept + shown[0]]])} in column {name!r}"
            )
        found.append(GeneralizedColumn(name, role, tree, nodes[:kept]))
    return Generalized(
        method=manifest["method"],
        promise=promise,
        columns=tuple(found),
        group_offsets=offsets,
        suppressed=suppressed,
        hidden=hidden,
        discloses_hierarchies=extent == _EXTENT[True],
    )


def _rows_schema(names: list[str]) -> pa.Schema:
    fields = [pa.field(name, pa.string(), nullable=False) for name in names]
    return pa.schema([number_field("group", names, nullable=True), *fields])


def _row_batches(release: Generalized, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    groups = release.row_groups
    labels = [pa.array(column.tree.labels, pa.string()) for column in release.columns]
    for first in range(0, release.n_rows, ROWS_A_GROUP):
        part = slice(first, first + ROWS_A_GROUP)
        arrays = [pa.array(groups[part], pa.int32())]
        arrays += [
            texts.take(pa.array(column.nodes[part])) for texts, column in zip(labels, release.columns, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
    for first in range(0, release.suppressed, ROWS_A_GROUP):
        size = min(ROWS_A_GROUP, release.suppressed - first)
        arrays = [pa.nulls(size, pa.int32()), *(pa.repeat(texts[0], size) for texts in labels)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _tree_batch(column: GeneralizedColumn) -> pa.RecordBatch:
    tree = column.tree
    labels = pa.array(tree.labels, pa.string())
    parents = pa.array(np.maximum(tree.parents, 0), mask=tree.parents < 0)
    arrays = [pa.repeat(column.name, len(tree)), labels, labels.take(parents), pa.array(tree.leaves, pa.int64())]
    return pa.RecordBatch.from_arrays(arrays, schema=_TREES)


def _trees(table: pa.Table, names: list[str]) -> dict[str, NodeTree]:
    """The tree of each column, in the order of the columns."""
    if any(table[field.name].null_count for field in _TREES if not field.nullable):
        raise DamagedRelease(f"{TREES} has missing values")
    table.validate(full=True)  # Parquet readers take any bytes for text
    columns, labels, above = (table[name].to_pylist() for name in ("column", "label", "parent"))
    leaves = plain(TREES, table, "leaves")
    starts = [at for at, name in enumerate(columns) if not at or name != columns[at - 1]]
    if [columns[at] for at in starts] != names:
        raise DamagedRelease(f"{TREES} must describe the columns {', '.join(names)}, in this order")
    trees = {}
    for name, first, end in zip(names, starts, [*starts[1:], len(columns)], strict=True):
        place: dict[str, int] = {}
        parents = np.full(end - first, -1, np.int32)
        for at in range(first, end):
            parent = above[at]
            if (parent is None) != (at == first) or (parent is not None and parent not in place):
                raise DamagedRelease(
                    f"{TREES}: row {at} ({cut(labels[at])}) of column {name!r}: each column begins with its root, and "
                    "every other node comes after its parent"
                )
            if labels[at] in place:
                raise DamagedRelease(f"{TREES}: column {name!r} has the label {cut(labels[at])} twice")
            if parent is not None:
                parents[at - first] = place[parent]
            place[labels[at]] = at - first
        trees[name] = NodeTree(tuple(labels[first:end]), parents, leaves[first:end])
    return trees


def _groups(rows: pa.Table) -> tuple[Int64, int]:
    """Where groups begin, and how many rows are suppressed: they have no group, and stand last."""
    name = rows.column_names[0]
    column = rows[name]
    suppressed = int(column.null_count)
    kept = len(column) - suppressed
    if suppressed and column.slice(0, kept).null_count:
        raise DamagedRelease(f"{ROWS}: rows without a {name}, which are the suppressed ones, must stand last")
    groups = plain(ROWS, rows.slice(0, kept), name)
    require_ascending(ROWS, name, groups)
    if not kept or groups[0] != 0 or np.any(np.diff(groups) > 1):
        raise DamagedRelease(f"{ROWS}: there must be groups, numbered from 0 on, without a gap")
    return np.searchsorted(groups, np.arange(int(groups[-1]) + 2)).astype(np.int64), suppressed


def _nodes(name: str, labels: pa.ChunkedArray, tree: NodeTree) -> Int32:
    """The node of each row, by its label."""
    if labels.null_count:
        raise DamagedRelease(f"{ROWS}: column {name!r} has missing values")
    words = labels.unify_dictionaries().combine_chunks()
    if isinstance(words, pa.ChunkedArray):  # no rows at all
        words = words.chunk(0)
    codes = word_codes(ROWS, name, words)
    known = {label: node for node, label in enumerate(tree.labels)}
    texts = words.dictionary.to_pylist()
    used = np.unique(codes).tolist()
    for code in used:
        if texts[code] not in known:
            raise DamagedRelease(
                f"{ROWS}: row {int(np.argmax(codes == code))} has {cut(texts[code])} in column {name!r}, which is no "
                "node of its published hierarchy"
            )
    nodes = np.full(len(texts), -1, np.int32)
    nodes[used] = [known[texts[code]] for code in used]
    found: Int32 = nodes[codes]
    return found
