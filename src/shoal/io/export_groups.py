"""Releases of tables as JSON lines.

A bucketized one has a group a line, with its rows and how often it has each sensitive value; a generalized one a row.
"""

from __future__ import annotations

import json
import math
from typing import Any, BinaryIO

import pyarrow as pa

from shoal.io.generalized import tables
from shoal.release.bucketized import Bucketized
from shoal.release.generalized import Generalized


def export_jsonl(release: Bucketized, out: BinaryIO) -> None:
    """A line such as ``{"group": 0, "rows": [{"age": 39}], "sensitive": "ill", "values": [{"value": "flu", ...}]}``.

    Each value has a ``count``. A missing value is null; what JSON has no form for, as a date or infinity, is a text.
    """
    columns = [(column.name, _plain(column.values), column.codes) for column in release.quasi]
    values = _plain(release.values)
    for group in range(release.n_groups):
        first, end = release.group_offsets[group : group + 2].tolist()
        held = [[words[code] for code in codes[first:end].tolist()] for _, words, codes in columns]
        here = slice(*release.bucket_offsets[group : group + 2].tolist())
        buckets = zip(release.bucket_values[here].tolist(), release.bucket_counts[here].tolist(), strict=True)
        line = {
            "group": group,
            "rows": [dict(zip(release.quasi.names, row, strict=True)) for row in zip(*held, strict=True)],
            "sensitive": release.sensitive,
            "values": [{"value": values[value], "count": count} for value, count in buckets],
        }
        out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


def export_rows(release: Generalized, out: BinaryIO) -> None:
    """A line such as ``{"group": 0, "age": "[20, 40)", "ill": "flu"}``; a suppressed row has no group (null)."""
    _, _, batches = next(tables(release))
    for batch in batches:
        for row in batch.to_pylist():
            out.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _plain(values: pa.Array) -> list[Any]:
    """Values as JSON has them."""
    return [
        value
        if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
        else str(value)
        for value in values.to_pylist()
    ]
