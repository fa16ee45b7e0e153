"""A generalized release as two Parquet tables, rows and hierarchies, and back.

Rows have the label of a node in every cell, under the publisher's column names; the number of the group comes first.
Suppressed rows are at the end: they have no group, and the root's label in every cell. Hierarchies are written node by
node, each after its parent; by default only down to the nodes that rows hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.data.hierarchy import MAKINGS, Making
from shoal.data.node_tree import NodeTree
from shoal.data.table import Role
from shoal.errors import DamagedRelease
from shoal.io.decoded_parts import Part
from shoal.io.manifest import MANIFEST
from shoal.io.part_columns import number_field, plain, require_ascending, texts
from shoal.io.promise_entries import generalized_promises
from shoal.quoting import named, shown
from shoal.release.generalized import Generalized, GeneralizedColumn

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
MADE = "made_from_data"
_EXTENT = {True: "whole", False: "down to what rows hold"}


def entries(release: Generalized) -> dict[str, Any]:
    """Further entries of the manifest, in addition to promises, counts and files."""
    return {
        "quasi_identifiers": [column.name for column in release.quasi],
        "sensitive": [column.name for column in release.sensitive],
        "hierarchies": _EXTENT[release.discloses_hierarchies],
        MADE: {column.name: column.making for column in release.columns if column.making is not None},
    }


def layout(manifest: dict[str, Any]) -> dict[str, pa.Schema]:
    """The files that a release may list, each with its columns."""
    quasi, sensitive = columns(manifest)
    names = [*quasi, *sensitive]
    return {ROWS: _rows_schema(names), TREES: _TREES}


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
    return quasi, sensitive


def tables(release: Generalized) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    schema = _rows_schema([column.name for column in release.columns])
    yield ROWS, schema, _row_batches(release, schema)
    yield TREES, _TREES, (_tree_batch(column) for column in release.columns)


def from_files(files: dict[str, Part], manifest: dict[str, Any]) -> Generalized:
    """Build the release from its opened files; raise DamagedRelease if they do not have its shape."""
    quasi, sensitive = columns(manifest)
    promise, hidden = generalized_promises(manifest)
    if list(promise.quasi) != quasi or (hidden is not None and list(hidden.sensitive) != sensitive):
        raise DamagedRelease(f"{MANIFEST} has a promise about other columns than it publishes")
    extent = manifest.get("hierarchies")
    if extent not in _EXTENT.values():
        raise DamagedRelease(
            f"{MANIFEST}: 'hierarchies' must be {' or '.join(_EXTENT.values())}, found {shown(extent)}"
        )
    makings = _makings(manifest, [*quasi, *sensitive])
    trees = _trees(files[TREES].read(), [*quasi, *sensitive])
    rows = files[ROWS].read()
    offsets, suppressed = _groups(rows)
    roles = [Role.QUASI] * len(quasi) + [Role.SENSITIVE] * len(sensitive)
    kept = int(offsets[-1])
    found = []
    for (name, tree), role in zip(trees.items(), roles, strict=True):
        nodes = _nodes(name, rows, tree)
        held = np.flatnonzero(nodes[kept:])
        if len(held):
            raise DamagedRelease(
                f"{ROWS}: row {kept + int(held[0])} is suppressed (it has no group), and yet shows "
                f"{shown(tree.labels[nodes[kept + held[0]]])} in column {named(name)}"
            )
        found.append(GeneralizedColumn(name, role, tree, nodes[:kept], makings.get(name)))
    return Generalized(
        method=manifest["method"],
        promise=promise,
        columns=tuple(found),
        group_offsets=offsets,
        suppressed=suppressed,
        hidden=hidden,
        discloses_hierarchies=extent == _EXTENT[True],
    )


def _makings(manifest: dict[str, Any], names: list[str]) -> dict[str, Making]:
    """How trees were made from the data, by column, according to the manifest."""
    found = manifest.get(MADE)
    if not isinstance(found, dict) or any(name not in names or how not in MAKINGS for name, how in found.items()):
        raise DamagedRelease(
            f"{MANIFEST}: {named(MADE)} must say of columns how their hierarchies were made ({', '.join(MAKINGS)}), "
            f"found {shown(found)}"
        )
    return found


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
    columns = texts(table, "column")
    leaves = plain(TREES, table, "leaves")
    starts = np.flatnonzero(np.diff(columns.codes, prepend=-1)).tolist()
    if len(starts) != len(names) or [columns[at] for at in starts] != names:
        raise DamagedRelease(f"{TREES} must describe the columns {', '.join(names)}, in this order")
    labels, above = (texts(table, name).one_by_one() for name in ("label", "parent"))
    trees = {}
    for name, first, end in zip(names, starts, [*starts[1:], table.num_rows], strict=True):
        place: dict[str, int] = {}
        parents = np.full(end - first, -1, np.int32)
        for at in range(first, end):
            label, parent = labels[at], above[at]
            assert label is not None
            if (parent is None) != (at == first) or (parent is not None and parent not in place):
                raise DamagedRelease(
                    f"{TREES}: row {at} ({shown(label)}) of column {named(name)}: each column begins with its root, "
                    "and every other node comes after its parent"
                )
            if label in place:
                raise DamagedRelease(f"{TREES}: column {named(name)} has the label {shown(label)} twice")
            if parent is not None:
                parents[at - first] = place[parent]
            place[label] = at - first
        trees[name] = NodeTree(tuple(place), parents, leaves[first:end])
    return trees


def _groups(rows: pa.Table) -> tuple[Int64, int]:
    """Where groups begin, and how many rows are suppressed: these have no group, and come last."""
    name = rows.column_names[0]
    column = rows[name]
    suppressed = int(column.null_count)
    kept = len(column) - suppressed
    if suppressed and column.slice(0, kept).null_count:
        raise DamagedRelease(f"{ROWS}: suppressed rows, which have no {name}, must come last")
    groups = plain(ROWS, rows.slice(0, kept), name)
    require_ascending(ROWS, name, groups)
    if not kept or groups[0] != 0 or np.any(np.diff(groups) > 1):
        raise DamagedRelease(f"{ROWS}: there must be groups, numbered from 0 on, without a gap")
    return np.searchsorted(groups, np.arange(int(groups[-1]) + 2)).astype(np.int64), suppressed


def _nodes(name: str, rows: pa.Table, tree: NodeTree) -> Int32:
    """The node of each row, by its label."""
    column = texts(rows, name)
    if rows[name].null_count:
        raise DamagedRelease(f"{ROWS}: column {named(name)} has missing values")
    codes = column.codes
    known = {label: node for node, label in enumerate(tree.labels)}
    words = column.words.to_pylist()
    used = np.unique(codes).tolist()
    for code in used:
        if words[code] not in known:
            raise DamagedRelease(
                f"{ROWS}: row {int(np.argmax(codes == code))} has {shown(words[code])} in column {named(name)}, "
                "which is no node of its published hierarchy"
            )
    nodes = np.full(len(words), -1, np.int32)
    nodes[used] = [known[words[code]] for code in used]
    found: Int32 = nodes[codes]
    return found
