"""A generalized release, a row a row."""

from __future__ import annotations

import json
from functools import partial
from typing import BinaryIO

from shoal.io.export.exported import Export, Format
from shoal.io.export.tables import export_table
from shoal.io.generalized import tables
from shoal.release.generalized import Generalized


def export(release: Generalized, format: Format) -> Export:
    """Its rows, each with its group."""
    if format.name == "jsonl":
        return Export(partial(export_jsonl, release))
    return export_table(release.to_arrow()["rows"], format)


def export_jsonl(release: Generalized, out: BinaryIO) -> None:
    """A line such as ``{"group": 0, "age": "[20, 40)", "ill": "flu"}``; a suppressed row has no group (null)."""
    _, _, batches = next(tables(release))
    for batch in batches:
        for row in batch.to_pylist():
            out.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
