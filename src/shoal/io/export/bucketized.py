"""A bucketized release: its two tables, or a group a line, with its rows and how often it has each sensitive value."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa

from shoal.io.export.exported import Export, Format
from shoal.io.export.tables import export_table
from shoal.release.bucketized import Bucketized


def export(release: Bucketized, format: Format) -> Export:
    """All of it as JSON lines, or one of its tables."""
    if format.name == "jsonl":
        return Export(partial(export_jsonl, release))
    return export_table(release.to_arrow()["quasi_identifiers" if format.part == "rows" else "sensitive"], format)


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


def _plain(values: pa.Array) -> list[Any]:
    """Values as JSON has them."""
    return [
        value
        if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
        else str(value)
        for value in values.to_pylist()
    ]
