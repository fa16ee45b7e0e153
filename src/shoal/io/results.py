"""Write tables of results as files for other programs: CSV, Parquet, JSON. Lists in a CSV cell are JSON arrays."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from shoal.io.formulas import escaped_table

# Rows converted to text at a time.
_ROWS = 65_536


def write_csv(table: pa.Table, out: BinaryIO) -> None:
    """A header and a line for each row; lists become JSON arrays, and formulas are escaped by an apostrophe."""
    _write_csv(table, out, escaped_table)


def write_raw_csv(table: pa.Table, out: BinaryIO) -> None:
    """The same with all texts unchanged: a spreadsheet may take some for formulas."""
    _write_csv(table, out, lambda rows: rows)


def _write_csv(table: pa.Table, out: BinaryIO, fit: Callable[[pa.Table], pa.Table]) -> None:
    lists = [pa.types.is_large_list(field.type) or pa.types.is_list(field.type) for field in table.schema]
    fields = [pa.field(f.name, pa.string()) if listed else f for f, listed in zip(table.schema, lists, strict=True)]
    schema = pa.schema(fields)
    with pa.csv.CSVWriter(out, fit(schema.empty_table()).schema) as writer:
        for batch in table.to_batches(max_chunksize=_ROWS):
            columns = [
                pa.array([json.dumps(row, ensure_ascii=False) for row in column.to_pylist()], pa.string())
                if listed
                else column
                for column, listed in zip(batch.columns, lists, strict=True)
            ]
            writer.write_table(fit(pa.table(columns, schema=schema)))


def write_parquet(table: pa.Table, out: BinaryIO) -> None:
    """The table, unchanged."""
    pa.parquet.write_table(table, out)


def write_json(table: pa.Table, out: BinaryIO) -> None:
    """An array with an object for each row, each on its own line; infinity, which JSON lacks, becomes null."""
    before = b"[\n"
    for batch in table.to_batches(max_chunksize=_ROWS):
        for row in batch.to_pylist():
            out.write(before + json.dumps(as_json(row), ensure_ascii=False).encode())
            before = b",\n"
    out.write(b"\n]\n" if before == b",\n" else b"[]\n")


def as_json(row: dict[str, Any]) -> dict[str, Any]:
    """A row with null for numbers that JSON lacks."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }


WRITERS: dict[str, Callable[[pa.Table, BinaryIO], None]] = {
    ".csv": write_csv,
    ".parquet": write_parquet,
    ".json": write_json,
}
RAW_WRITERS = {**WRITERS, ".csv": write_raw_csv}
"""The same without escapes."""
