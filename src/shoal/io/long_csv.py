"""CSV in long format: a header line, then one row for each (record, item) pair.

Arrow's own CSV reader is not used: it lets a double quote that is never closed extend to the end of the file, so rows
would silently become one item. Here such a file is refused, with the number of the line.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.arrow import from_long, long_columns
from shoal.io.delimited import grammar_of, recognised_separator
from shoal.io.opening import Opened
from shoal.io.tokens import cuts
from shoal.quoting import shown


def read_long_csv(source: Opened, long: tuple[str, str], separator: str | None = None) -> Transactions:
    """Read baskets from two columns of a CSV file with a header; rows of a record may be anywhere.

    Blanks around names, keys and items are trimmed, quoting is that of the delimited format, and empty lines
    are skipped. Values stay text: "007" is not 7.

    Args:
        source: the text.
        long: the columns (record, item).
        separator: one or more characters; by default the most frequent of comma, semicolon, tab and bar in
            the header.

    Returns:
        The records, in the order in which their keys first appear.

    Raises:
        InputError: there is no such column, a row is longer or shorter than the header, a key or an item is
            missing, a double quote is misplaced, the text is not UTF-8, or there are no rows.
    """
    if separator is None:
        header = source.head.lstrip(b"\r\n").partition(b"\n")[0]
        separator = recognised_separator(header) or ","
    return from_long(_pairs(source, long, separator), long, source.name)


def _pairs(source: Opened, long: tuple[str, str], separator: str) -> Iterator[tuple[pa.Array, pa.Array]]:
    """The two columns, block after block."""
    width = record = item = 0
    for cut in cuts(source, grammar_of(separator, whole_lines=True)):
        ends = cut.line_ends + 1
        starts = np.concatenate([[0], ends[:-1]])
        # A missing value is null from here on, so that it is counted and refused.
        words = pc.if_else(pc.equal(cut.words, ""), pa.scalar(None, pa.string()), cut.words)
        missing = words.is_null().to_numpy(zero_copy_only=False)
        written = (ends - starts > 1) | ~missing[cut.codes[starts]]
        starts, ends = starts[written], ends[written]
        if not width and len(starts):
            names = cut.words.take(pa.array(cut.codes[starts[0] : ends[0]])).to_pylist()
            width = len(names)
            record, item = long_columns(names, long, source.name)
            starts, ends = starts[1:], ends[1:]
        ragged = np.flatnonzero(ends - starts != width)
        if len(ragged):
            start, end = int(starts[ragged[0]]), int(ends[ragged[0]])
            raise InputError(
                f"{source.name}, line {cut.line_of(start)}: {end - start} columns, but the header has "
                f"{width}: complete the row, or put items that hold {shown(separator)} in double quotes"
            )
        yield words.take(pa.array(cut.codes[starts + record])), words.take(pa.array(cut.codes[starts + item]))
