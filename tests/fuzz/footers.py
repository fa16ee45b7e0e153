"""Mutations of Parquet files: raw bytes of footers and pages, and files that are whole and not as they should be."""

from __future__ import annotations

import io
import random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.damage import damaged
from tests.fuzz.signing import Files, parquet, signed


def damaged_file(chance: random.Random, files: Files) -> Files:
    """A release with a file whose footer or pages are damaged, and whose checksum is right again."""
    name = chance.choice(sorted(name for name in files if name.endswith(".parquet")))
    return signed({**files, name: damaged_parquet(chance, files[name])})


def damaged_parquet(chance: random.Random, data: bytes) -> bytes:
    """A file with changed bytes, most often in its footer, which is read first."""
    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    way = chance.random()
    if way < 0.6:
        footer = damaged(chance, data[start:-8], 3)
        return data[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    if way < 0.85:
        pages = bytearray(data[4:start])
        for _ in range(chance.randint(1, 3)):
            if pages:
                pages[chance.randrange(len(pages))] ^= 1 << chance.randrange(8)
        return data[:4] + bytes(pages) + data[start:]
    return damaged(chance, data)


def odd_file(chance: random.Random, files: Files) -> Files:
    """A release with a file of other columns, types, encodings or metadata, written by Arrow, and signed."""
    name = chance.choice(sorted(name for name in files if name.endswith(".parquet")))
    table = pq.read_table(io.BytesIO(files[name]))
    changed, options = _odd(chance, table)
    try:
        data = parquet(changed, **options)
    except (pa.ArrowException, TypeError, ValueError):
        data = files[name][:-1]
    return signed({**files, name: data}, {name: changed.num_rows})


_TYPES = (
    pa.int64(),
    pa.int32(),
    pa.uint64(),
    pa.string(),
    pa.binary(),
    pa.float64(),
    pa.bool_(),
    pa.date32(),
    pa.large_string(),
)


def _odd(chance: random.Random, table: pa.Table) -> tuple[pa.Table, dict[str, Any]]:
    at = chance.randrange(table.num_columns)
    way = chance.randrange(9)
    if way == 0:
        return table.drop_columns([table.column_names[at]]), {}
    if way == 1:
        return table.append_column(chance.choice(("more", "group", "")), table.column(at)), {}
    if way == 2:
        names = list(table.column_names)
        names[at] = chance.choice(("", "x", "items", "group", names[0], "\U0001f41f"))
        return table.rename_columns(names), {}
    if way == 3:
        return table.select(chance.sample(table.column_names, table.num_columns)), {}
    if way == 4:
        return table.replace_schema_metadata({"pandas": "{}", "ARROW:schema": "x"}), {}
    if way == 5:
        options = chance.choice(
            (
                {"compression": "none"},
                {"compression": "gzip"},
                {"compression": "snappy"},
                {"use_dictionary": False, "column_encoding": {}},
                {"data_page_version": "2.0"},
                {"row_group_size": 1},
                {"write_statistics": False},
                {"version": "1.0"},
                {"store_schema": True},
                {"write_page_index": True},
            )
        )
        return table, options
    if way == 6:
        return table.slice(0, chance.choice((0, 0, 1, 2))), {}
    if way == 7:
        return pa.concat_tables([table] * chance.choice((2, 3))), {}
    try:
        column = table.column(at).cast(chance.choice(_TYPES))
    except (pa.ArrowException, ValueError):
        column = pa.nulls(table.num_rows, chance.choice(_TYPES))
    return table.set_column(at, table.column_names[at], column), {}
