"""Mutations of cells: values and rows of a release changed, added, removed, doubled or moved, all else put right."""

from __future__ import annotations

import copy
import io
import json
import random
from contextlib import suppress
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz.hostile import NUMBERS, WORDS
from tests.fuzz.manifests import promised_otherwise
from tests.fuzz.repairs import Rows, Tables, repair
from tests.fuzz.signing import MANIFEST, Files, parquet, signed


def changed(chance: random.Random, files: Files) -> Files:
    """A release with other cells, of the right form most of the time."""
    manifest = json.loads(files[MANIFEST])
    read = {name.removesuffix(".parquet"): _read(data) for name, data in files.items() if name != MANIFEST}
    schemas = {name: schema for name, (schema, _) in read.items()}
    tables: Tables = {name: copy.deepcopy(rows) for name, (_, rows) in read.items()}
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 6))):
        _change(chance, manifest["method"], tables)
    if chance.random() < 0.1:
        promised_otherwise(chance, manifest)
    if chance.random() < 0.85:
        with suppress(KeyError, TypeError, ValueError, IndexError, AttributeError):  # not everything can be put right
            repair(manifest, tables)
    parts = dict(files)
    rows = {}
    for name, schema in schemas.items():
        table = _table(tables[name], schema)
        if table is None:
            continue
        try:
            parts[f"{name}.parquet"] = parquet(table)
        except pa.ArrowException:  # a null inside of a list, most likely
            continue
        rows[f"{name}.parquet"] = table.num_rows
    return signed(parts, rows, manifest)


@lru_cache(maxsize=200)
def _read(data: bytes) -> tuple[pa.Schema, Rows]:
    table = pq.ParquetFile(io.BytesIO(data)).read(use_threads=False)
    return table.schema, table.to_pylist()


def _table(rows: Rows, schema: pa.Schema) -> pa.Table | None:
    """The rows in their columns; None where they cannot be written."""
    try:
        columns = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
        fields = [
            field.with_nullable(field.nullable or column.null_count > 0)
            for field, column in zip(schema, columns, strict=True)
        ]
        return pa.Table.from_arrays(columns, schema=pa.schema(fields))
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    try:
        return pa.table({field.name: [row[field.name] for row in rows] for field in schema})
    except (pa.ArrowException, TypeError, ValueError, OverflowError, UnicodeError):
        return None


def _change(chance: random.Random, method: str, tables: Tables) -> None:
    if method == "disassociation" and chance.random() < 0.4:
        _move(chance, tables)
        return
    name = chance.choice([name for name in sorted(tables) if tables[name]] or [""])
    if not name:
        return
    rows = tables[name]
    at = chance.randrange(len(rows))
    way = chance.random()
    if way < 0.12:
        del rows[at]
    elif way < 0.24:
        rows.insert(chance.randrange(len(rows) + 1), copy.deepcopy(rows[at]))
    elif way < 0.32:
        other = chance.randrange(len(rows))
        rows[at], rows[other] = rows[other], rows[at]
    else:
        column = chance.choice(list(rows[at]))
        rows[at][column] = _other(chance, rows[at][column], [row[column] for row in rows])


def _other(chance: random.Random, value: Any, column: list[Any]) -> Any:
    """Another value; of the same column most of the time."""
    way = chance.random()
    if isinstance(value, list):
        return _items(chance, list(value), [item for row in column for item in row or []])
    if way < 0.6:
        return copy.deepcopy(chance.choice(column))
    if isinstance(value, int) and not isinstance(value, bool) and way < 0.93:
        return value + chance.choice((1, -1, 1, -1, 2, 10))
    if isinstance(value, int | float) and way < 0.97:
        return chance.choice(NUMBERS[:9])
    if way < 0.8:
        return None
    return chance.choice(WORDS)


def _items(chance: random.Random, items: list[Any], others: list[Any]) -> list[Any]:
    """One item more, fewer or other; or, rarely, one that is nowhere else."""
    new = chance.choice(others) if others else "bread"
    if chance.random() < 0.05:
        new = chance.choice(WORDS) if isinstance(new, str) else chance.choice(NUMBERS[:8])
    way = chance.randrange(5)
    if way <= 1:
        items.append(new)
    elif way == 2 and items:
        del items[chance.randrange(len(items))]
    elif items:
        items[chance.randrange(len(items))] = new
    return items


def _move(chance: random.Random, tables: Tables) -> None:
    """Items between the chunks of clusters: what a wrong publisher would do."""
    chunks, subrecords, terms, clusters = (tables[name] for name in ("chunks", "subrecords", "term_chunks", "clusters"))
    way = chance.randrange(6)
    if way == 0 and len(chunks) > 1:  # two chunks become one
        one, other = chance.sample(range(len(chunks)), 2)
        rows = [row for row in subrecords if row["chunk"] == chunks[one]["chunk"]]
        more = [row for row in subrecords if row["chunk"] == chunks[other]["chunk"]]
        for row, joined in zip(rows, more, strict=False):
            row["items"] = [*row["items"], *joined["items"]]
            joined["items"] = []
        for row in more:
            row["chunk"] = chunks[one]["chunk"]
    elif way == 1 and terms and chunks:  # an item of a term chunk gets into a chunk
        row = chance.choice(terms)
        item = chance.choice(row["items"] or ["bread"])
        row["items"] = [other for other in row["items"] if other != item]
        chunk = chance.choice([c for c in chunks if c["owner"] == row["cluster"]] or chunks)
        for held in [held for held in subrecords if held["chunk"] == chunk["chunk"]][: chance.randint(1, 4)]:
            held["items"] = [*held["items"], item]
    elif way == 2 and terms:  # a term chunk goes
        del terms[chance.randrange(len(terms))]
    elif way == 3:
        row = chance.choice(clusters)
        row["size"] += chance.choice((1, -1, 1, 2, -2))
    elif way == 4 and subrecords:  # the same subrecords once more, or once less
        row = chance.choice(subrecords)
        number = chance.choice((1, 2, 3))
        subrecords.extend(copy.deepcopy(row) for _ in range(number))
    elif chunks:  # a chunk moves to another cluster
        chance.choice(chunks)["owner"] = chance.choice(clusters)["cluster"]
