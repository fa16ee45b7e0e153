"""Write baskets as files that every program can read; Shoal reads them back as the same records.

Words are joined to lines by Arrow; nothing here loops over records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.data.arrays import Int64
from shoal.data.item_sets import ItemRows
from shoal.errors import InputError
from shoal.quoting import shown

_ROWS = 65_536
"""Records that are written at a time."""
# Readers of text take these for the end of an item, for separators, quotes or a byte-order mark.
NOT_IN_FIMI = r'^$|[\x00-\x20,;|"\x{feff}]'
# Even in double quotes no line can hold these; blanks at the edges are safe there.
_NOT_IN_QUOTES = r"^$|[\x00-\x08\x0b-\x1f]"
_TO_QUOTE = r'^[ \t]|[ \t]$|[,;|"\t\n\x{feff}]'


class BasketFile(NamedTuple):
    """A format for writing baskets."""

    ending: str
    """The suffix of such files."""
    write: Callable[[ItemRows, BinaryIO], None]


def write_fimi(data: ItemRows, out: BinaryIO) -> None:
    """One record in each line, items separated by blanks; an empty record is a blank line."""
    _refuse(data.vocabulary, NOT_IN_FIMI, "are empty or hold a blank, a separator or a double quote")
    _write_lines(data, data.vocabulary, " ", out)


def write_delimited(data: ItemRows, out: BinaryIO) -> None:
    """One record in each line, comma-separated items, in double quotes if needed."""
    _write_lines(data, _quoted(data.vocabulary), ",", out)


def write_long(data: ItemRows, out: BinaryIO) -> None:
    """A header, then a row for each item of each record: the number of the record, from 1, and the item."""
    words = _quoted(data.vocabulary)
    out.write(b"record,item\n")
    for first, offsets, codes in blocks(data):
        records = np.repeat(np.arange(first + 1, first + len(offsets)), np.diff(offsets))
        write_text(joined(pa.array(records), ",", words.take(codes), "\n"), out)


def write_parquet(data: ItemRows, out: BinaryIO, counts: Int64 | None = None) -> None:
    """One column ``items`` of lists; and one of counts, where there are any."""
    column = pa.field("items", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False)
    counted = [] if counts is None else [pa.field("count", pa.int64(), nullable=False)]
    schema = pa.schema([column, *counted])
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for first, offsets, codes in blocks(data):
            words = data.vocabulary.take(codes)
            lists = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), words, type=column.type)
            here = [] if counts is None else [pa.array(counts[first : first + len(lists)])]
            writer.write_batch(pa.RecordBatch.from_arrays([lists, *here], schema=schema))


BASKET_FILES = {
    "fimi": BasketFile(".dat", write_fimi),
    "delimited": BasketFile(".csv", write_delimited),
    "long": BasketFile(".long.csv", write_long),
    "parquet": BasketFile(".parquet", write_parquet),
}


def _refuse(words: pa.Array, pattern: str, complaint: str) -> None:
    odd = pc.filter(words, pc.match_substring_regex(words, pattern))
    if len(odd):
        raise InputError(
            f"{len(odd):,} items, such as {shown(odd[0].as_py())}, {complaint}, which this format cannot carry: choose "
            "parquet, which carries any text, or delimited, which carries all but empty items and control characters"
        )


def _quoted(words: pa.Array) -> pa.Array:
    """The words as delimited text."""
    _refuse(words, _NOT_IN_QUOTES, "are empty or hold control characters")
    doubled = pc.replace_substring(words, '"', '""')
    in_quotes = joined('"', doubled, '"')
    return pc.if_else(pc.match_substring_regex(words, _TO_QUOTE), in_quotes, words.cast(pa.large_string()))


def blocks(data: ItemRows) -> Iterator[tuple[int, Int64, pa.Array]]:
    """Some rows at a time: the number of the first, their offsets from 0, and their codes."""
    for first in range(0, len(data.offsets) - 1, _ROWS):
        offsets = data.offsets[first : first + _ROWS + 1]
        yield first, offsets - offsets[0], pa.array(data.items[offsets[0] : offsets[-1]])


def _write_lines(data: ItemRows, words: pa.Array, separator: str, out: BinaryIO) -> None:
    words = words.cast(pa.large_string())
    for _, offsets, codes in blocks(data):
        lists = pa.LargeListArray.from_arrays(pa.array(offsets), words.take(codes))
        lines = pc.binary_join(lists, pa.scalar(separator, pa.large_string()))
        write_text(joined(lines, "\n"), out)


def joined(*parts: Any) -> pa.Array:
    """Concatenate the parts of each row; a part is a text, or an array of texts or numbers."""
    kind = pa.large_string()
    texts = [pa.scalar(part, kind) if isinstance(part, str) else part.cast(kind) for part in (*parts, "")]
    return pc.binary_join_element_wise(*texts)


def write_text(lines: pa.Array, out: BinaryIO) -> None:
    """Texts one after the other, as they are stored in memory."""
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, np.int64, lines.offset + len(lines) + 1)
    out.write(data.slice(int(ends[lines.offset]), int(ends[-1] - ends[lines.offset])))
