"""Refuse columns from outside with words that are no text, and name the place."""

from __future__ import annotations

import pyarrow as pa

from shoal.data.utf8 import misspelt
from shoal.errors import InputError
from shoal.quoting import shown


def require_words(column: pa.ChunkedArray | pa.Array, name: str, source: str, first: int = 0) -> None:
    """Refuse a column with words that are not UTF-8.

    Args:
        column: the column, or a part of it.
        name: what it is called.
        source: what messages call the table.
        first: how many rows come before it.

    Raises:
        InputError: there is such a word; the message gives its row.
    """
    for piece in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        found = misspelt(piece)
        if found is not None:
            row, word = found
            raise InputError(
                f"{source}, row {first + row + 1:,}: column {shown(name)} holds {shown(word)}, which is not UTF-8 "
                "text: write the words as UTF-8"
            )
        first += len(piece)
