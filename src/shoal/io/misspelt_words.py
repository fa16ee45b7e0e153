"""Find words of a file that are not UTF-8: Parquet readers accept any bytes as text."""

from __future__ import annotations

import pyarrow as pa

from shoal.data.utf8 import misspelt
from shoal.errors import DamagedRelease
from shoal.quoting import named, shown


def require_text(name: str, table: pa.Table, first: int = 0) -> None:
    """Refuse words that are not UTF-8.

    Args:
        name: the file.
        table: some of its rows, words as texts or as codes.
        first: the number of the table's first row in the file.

    Raises:
        DamagedRelease: there is such a word; the message gives its row and column.
    """
    for column in table.column_names:
        row = first
        for piece in table[column].chunks:
            found = misspelt(piece)
            if found is not None:
                raise DamagedRelease(
                    f"{name}: row {row + found[0]:,} of column {named(column)} is not UTF-8: {shown(found[1])}"
                )
            row += len(piece)
