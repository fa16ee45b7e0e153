"""Releases that are rows as files that other programs read: items by name, as they were published.

Rows that are empty stay: they count among the rows that supports are shares of. Where each row has a count, it stands
beside its items. Names are joined to lines by Arrow, some rows at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from shoal.data.arrays import Int64
from shoal.data.item_sets import ItemRows
from shoal.errors import InputError
from shoal.io.basket_files import NOT_IN_FIMI, blocks, joined, write_fimi, write_parquet, write_text
from shoal.io.export.exported import Export, Format
from shoal.io.formulas import escape, number_of
from shoal.quoting import shown


def export_rows(rows: ItemRows, format: Format, *, counts: Int64 | None = None, notes: tuple[str, ...] = ()) -> Export:
    """Rows in one of the formats, each with its count if it has one."""
    if format.name == "csv":
        write = partial(export_csv, rows, counts=counts, raw=format.raw)
        return Export(write, partial(number_of, rows.vocabulary), "items", notes)
    return Export(partial(_EXPORTS[format.name], rows, counts=counts), notes=notes)


def export_jsonl(rows: ItemRows, out: BinaryIO, counts: Int64 | None = None) -> None:
    """A line such as ``{"items": ["bread", "milk"], "count": 3}`` for each row."""
    words = rows.vocabulary.to_pylist()
    quoted = pa.array([json.dumps(word, ensure_ascii=False) for word in words], pa.large_string())
    for first, offsets, codes in blocks(rows):
        lists = pa.LargeListArray.from_arrays(pa.array(offsets), quoted.take(codes))
        items = pc.binary_join(lists, pa.scalar(", ", pa.large_string()))
        times = ("",) if counts is None else (', "count": ', pa.array(counts[first : first + len(lists)]))
        write_text(joined('{"items": [', items, "]", *times, "}\n"), out)


def export_csv(rows: ItemRows, out: BinaryIO, counts: Int64 | None = None, *, raw: bool = False) -> None:
    """A row for each item of each row: the number of the row, from 0 on, its count if it has one, and the item.

    Items that a spreadsheet would take for formulas are escaped, unless they are wanted ``raw``.
    """
    words = rows.vocabulary if raw else escape(rows.vocabulary).cast(pa.string())
    named = ["row", "item"] if counts is None else ["row", "count", "item"]
    schema = pa.schema([(name, pa.string() if name == "item" else pa.int64()) for name in named])
    with pa.csv.CSVWriter(out, schema) as writer:
        for first, offsets, codes in blocks(rows):
            numbers = np.repeat(np.arange(first, first + len(offsets) - 1), np.diff(offsets))
            times = [] if counts is None else [pa.array(counts[numbers])]
            writer.write(pa.table([pa.array(numbers), *times, words.take(codes)], schema=schema))


def export_fimi(rows: ItemRows, out: BinaryIO, counts: Int64 | None = None) -> None:
    """A row a line, items between blanks; an empty row is a blank line."""
    assert counts is None  # there is no place for them: rows are repeated instead
    odd = pc.filter(rows.vocabulary, pc.match_substring_regex(rows.vocabulary, NOT_IN_FIMI))
    if len(odd):
        raise InputError(
            f"{len(odd):,} items, such as {shown(odd[0].as_py())}, are empty or hold a blank, a separator or a double "
            "quote, which this format cannot carry: export as jsonl, csv or parquet"
        )
    write_fimi(rows, out)


_EXPORTS: dict[str, Callable[..., None]] = {"jsonl": export_jsonl, "fimi": export_fimi, "parquet": write_parquet}
