"""Parquet files as baskets: a list column, or two columns in long format."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.arrow import from_lists, from_long, list_column, long_columns
from shoal.io.library_errors import parquet_damage, parquet_file
from shoal.io.opening import Opened

MAGIC = b"PAR1"
"""The first four bytes of every Parquet file."""

BATCH_ROWS = 1 << 16
"""How many rows are worked on at a time."""


def read_parquet(source: Opened, *, long: tuple[str, str] | None = None, column: str | None = None) -> Transactions:
    """Read baskets from a Parquet file.

    Args:
        source: the file. Unless it is an uncompressed file on disk, it is first read into memory as a whole,
            because the index of a Parquet file is at its end.
        long: the columns (record, item) of a file with one item in each row.
        column: the list column, if there are several.

    Returns:
        The records.

    Raises:
        InputError: the file is damaged or is not Parquet, or its columns are not the requested ones.
    """
    if not source.head.startswith(MAGIC):
        raise InputError(f"{source.name} is not a Parquet file: it does not begin with PAR1")
    with parquet_damage(source.name):  # bytes, because the name of a file may be no text
        content = pa.BufferReader(source.rest()) if source.path is None else pa.OSFile(os.fsencode(source.path))
    with content:
        file = parquet_file(content, source.name)
        schema = file.schema_arrow
        if long is not None:
            long_columns(schema.names, long, source.name)
            pairs = ((batch.column(long[0]), batch.column(long[1])) for batch in _batches(file, list(long), source))
            return from_long(pairs, long, source.name)
        field = schema.field(list_column(schema, column, source.name))
        lists = (batch.column(field.name) for batch in _batches(file, [field.name], source))
        return from_lists(lists, field, source.name)


def _batches(file: pq.ParquetFile, columns: list[str], source: Opened) -> Iterator[pa.RecordBatch]:
    with parquet_damage(source.name):
        yield from file.iter_batches(BATCH_ROWS, columns=columns)
