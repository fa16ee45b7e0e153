"""A randomized release as files that other programs read: rows of items by name, as they were published.

Rows that are empty stay: they count among the rows that supports are shares of. Names are joined to lines by Arrow,
some rows at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from shoal.errors import InputError
from shoal.io.basket_files import NOT_IN_FIMI, blocks, joined, write_fimi, write_parquet, write_text
from shoal.release.randomized import Randomized

_CSV_SCHEMA = pa.schema([("row", pa.int64()), ("item", pa.string())])


def export_jsonl(release: Randomized, out: BinaryIO) -> None:
    """A line such as ``{"items": ["bread", "milk"]}`` for each row."""
    words = release.vocabulary.to_pylist()
    quoted = pa.array([json.dumps(word, ensure_ascii=False) for word in words], pa.large_string())
    for _, offsets, codes in blocks(release):
        lists = pa.LargeListArray.from_arrays(pa.array(offsets), quoted.take(codes))
        write_text(joined('{"items": [', pc.binary_join(lists, pa.scalar(", ", pa.large_string())), "]}\n"), out)


def export_csv(release: Randomized, out: BinaryIO) -> None:
    """A row for each item of each row: the number of the row, from 0 on, and the item."""
    with pa.csv.CSVWriter(out, _CSV_SCHEMA) as writer:
        for first, offsets, codes in blocks(release):
            rows = np.repeat(np.arange(first, first + len(offsets) - 1), np.diff(offsets))
            writer.write(pa.table([pa.array(rows), release.vocabulary.take(codes)], schema=_CSV_SCHEMA))


def export_fimi(release: Randomized, out: BinaryIO) -> None:
    """A row a line, items between blanks; an empty row is a blank line."""
    odd = pc.filter(release.vocabulary, pc.match_substring_regex(release.vocabulary, NOT_IN_FIMI))
    if len(odd):
        raise InputError(
            f"{len(odd):,} items, such as {odd[0].as_py()!r}, are empty or hold a blank, a separator or a double "
            "quote, which this format cannot carry: export as jsonl, csv or parquet"
        )
    write_fimi(release, out)


EXPORTS: dict[str, Callable[[Randomized, BinaryIO], None]] = {
    "jsonl": export_jsonl,
    "csv": export_csv,
    "fimi": export_fimi,
    "parquet": write_parquet,
}
