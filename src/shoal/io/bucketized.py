"""A bucketized release as two Parquet tables, or three with the rules, and back.

The tables have the columns of the publisher's table with their original names and in plain types; the number of the
group comes first. Values are written plainly (never as a dictionary column, which could contain unused values), without
schema metadata, in the canonical order of the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.published_columns import PLAIN_TYPES
from shoal.data.table import Table
from shoal.errors import DamagedRelease, InputError
from shoal.io.decoded_parts import Part
from shoal.io.manifest import MANIFEST
from shoal.io.part_columns import number_field, plain, require_ascending, require_range, texts
from shoal.io.promise_entries import bucket_promise
from shoal.quoting import named, shown
from shoal.release.bucketized import Bucketized

ROWS, COUNTS, RULES = PART_NAMES = ("quasi_identifiers.parquet", "sensitive.parquet", "rules.parquet")
OPTIONAL = (RULES,)
"""The files that a release may lack."""

ROWS_A_GROUP = 250_000
_VALUES = pa.list_(pa.field("element", pa.string(), nullable=False))
_RULES = pa.schema(
    [
        pa.field(name, kind, nullable=False)
        for name, kind in (
            ("rule", pa.int32()),
            ("excluded", pa.string()),
            ("column", pa.string()),
            ("label", pa.string()),
            ("values", _VALUES),
        )
    ]
)


def entries(release: Bucketized) -> dict[str, Any]:
    """Further entries of the manifest, in addition to promises, counts and files."""
    quasi = {column.name: str(column.values.type) for column in release.quasi}
    chance = {"reproducible": "a seed stood in for chance: do not publish"} if release.reproducible else {}
    return {
        **chance,
        "quasi_identifiers": quasi,
        "sensitive": {release.sensitive: str(release.values.type)},
    }


def layout(manifest: dict[str, Any]) -> dict[str, pa.Schema]:
    """The files that a release may list, each with its columns."""
    quasi, sensitive = _columns(manifest, "quasi_identifiers"), _columns(manifest, "sensitive")
    if len(sensitive) != 1 or not quasi or set(sensitive) & set(quasi):
        raise DamagedRelease(f"{MANIFEST} must name quasi-identifiers, and one sensitive column that is none of them")
    rows, counts = _rows_schema(quasi), _counts_schema(sensitive)
    return {ROWS: rows, COUNTS: counts, RULES: _RULES}


def tables(release: Bucketized) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    schema = _rows_schema({column.name: column.values.type for column in release.quasi})
    columns = [(column.values, column.codes) for column in release.quasi]
    yield ROWS, schema, _batches(schema, release.row_groups, columns)

    schema = _counts_schema({release.sensitive: release.values.type})
    named = [(release.values, release.bucket_values)]
    yield COUNTS, schema, _batches(schema, release.bucket_groups, named, release.bucket_counts)

    if release.discloses_background and release.background is not None:
        yield RULES, _RULES, iter([_rule_batch(release.background)])


def from_files(files: dict[str, Part], manifest: dict[str, Any]) -> Bucketized:
    """Build the release from its opened files; raise DamagedRelease if they do not have its shape."""
    promise = bucket_promise(manifest)
    if promise.sensitive not in _columns(manifest, "sensitive"):
        raise DamagedRelease(f"{MANIFEST} has a promise about {named(promise.sensitive)}, which is not published")
    rows, counts = files[ROWS].read(), files[COUNTS].read()
    group, *names = rows.column_names
    row_groups = plain(ROWS, rows, group)
    require_ascending(ROWS, group, row_groups)
    n_groups = int(row_groups[-1]) + 1 if len(row_groups) else 0
    if len(row_groups) and (row_groups[0] != 0 or np.any(np.diff(row_groups) > 1)):
        raise DamagedRelease(f"{ROWS}: groups must be numbered from 0 on, without a gap")

    group, _, number = counts.column_names
    bucket_groups = plain(COUNTS, counts, group)
    require_ascending(COUNTS, group, bucket_groups)
    require_range(COUNTS, group, bucket_groups, 0, n_groups)
    if not len(bucket_groups):
        raise DamagedRelease(f"{COUNTS} and {ROWS} must not be empty")
    every_group = np.arange(n_groups + 1)
    sensitive = _table(COUNTS, counts.select([promise.sensitive])).columns[0]
    background = _background(files[RULES], promise.sensitive) if RULES in files else None
    return Bucketized(
        method=manifest["method"],
        promise=promise,
        quasi=_table(ROWS, rows.select(names)).with_roles(quasi=names),
        group_offsets=np.searchsorted(row_groups, every_group).astype(np.int64),
        values=sensitive.values,
        bucket_offsets=np.searchsorted(bucket_groups, every_group).astype(np.int64),
        bucket_values=sensitive.codes,
        bucket_counts=plain(COUNTS, counts, number),
        background=background,
        discloses_background=background is not None,
        reproducible="reproducible" in manifest,
    )


def _rows_schema(columns: dict[str, pa.DataType]) -> pa.Schema:
    return pa.schema([number_field("group", columns), *(pa.field(name, kind) for name, kind in columns.items())])


def _counts_schema(columns: dict[str, pa.DataType]) -> pa.Schema:
    fields = [pa.field(name, kind) for name, kind in columns.items()]
    return pa.schema([number_field("group", columns), *fields, number_field("count", columns)])


def _columns(manifest: dict[str, Any], key: str) -> dict[str, pa.DataType]:
    """Columns that the manifest names, with their types."""
    found = manifest.get(key)
    kinds = found.items() if isinstance(found, dict) else [(None, found)]
    wrong = [(name, kind) for name, kind in kinds if not isinstance(kind, str) or kind not in PLAIN_TYPES]
    if not isinstance(found, dict) or wrong:
        raise DamagedRelease(
            f"{MANIFEST}: {named(key)} must name columns and their types ({', '.join(PLAIN_TYPES)}), found "
            f"{shown(dict(wrong[:3]))}"
        )
    return {name: PLAIN_TYPES[kind] for name, kind in found.items()}


def _batches(
    schema: pa.Schema, groups: Any, columns: Sequence[tuple[pa.Array, Any]], counts: Any = None
) -> Iterator[pa.RecordBatch]:
    for first in range(0, len(groups), ROWS_A_GROUP):
        part = slice(first, first + ROWS_A_GROUP)
        arrays = [pa.array(groups[part], pa.int32())]
        arrays += [values.take(pa.array(codes[part])) for values, codes in columns]
        if counts is not None:
            arrays.append(pa.array(counts[part], pa.int32()))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _rule_batch(background: Background) -> pa.RecordBatch:
    """One row for each condition."""
    rows = [(number, rule, part) for number, rule in enumerate(background.rules) for part in rule.conditions]
    columns = [
        [number for number, _, _ in rows],
        [rule.excluded for _, rule, _ in rows],
        [part.column for _, _, part in rows],
        [part.label for _, _, part in rows],
        [list(part.values) for _, _, part in rows],
    ]
    arrays = [pa.array(values, field.type) for values, field in zip(columns, _RULES, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_RULES)


def _background(file: Part, sensitive: str) -> Background:
    table = file.read()
    numbers = plain(RULES, table, "rule")
    require_ascending(RULES, "rule", numbers)
    if any(table[name].null_count for name in table.column_names):
        raise DamagedRelease(f"{RULES} has missing values")
    texts_of_values = texts(table, "values")
    if len(texts_of_values.codes) and texts_of_values.codes.min() < 0:
        raise DamagedRelease(f"{RULES} has missing values")
    values = [str(value) for value in texts_of_values.one_by_one()]
    ends = np.cumsum([0, *pc.list_value_length(table["values"]).to_numpy()]).tolist()
    columns = (texts(table, name).one_by_one() for name in ("excluded", "column", "label"))
    rules: dict[int, NegativeRule] = {}
    for row, (number, excluded, column, label) in enumerate(zip(numbers.tolist(), *columns, strict=True)):
        condition = Condition(column, label, tuple(values[ends[row] : ends[row + 1]]))
        earlier = rules.get(number)
        if earlier is not None and earlier.excluded != excluded:
            raise DamagedRelease(f"{RULES}: rule {number} excludes two values")
        conditions = (*earlier.conditions, condition) if earlier else (condition,)
        rules[number] = NegativeRule(conditions, excluded)
    return Background(sensitive, tuple(rules.values()))


def _table(name: str, columns: pa.Table) -> Table:
    try:
        return Table.from_arrow(columns)
    except InputError as error:
        raise DamagedRelease(f"{name}: {error}") from None
