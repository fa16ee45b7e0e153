"""How witnesses name clusters, chunks, items, rows and values, the same in every check."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from shoal.data.table import Table
from shoal.quoting import bare
from shoal.release.disassociated import Disassociated

LISTED = 12
"""The most items that a witness names."""


def item_name(vocabulary: pa.Array, code: int) -> str:
    """The name of an item, quoted when it would garble a terminal or a list."""
    return bare(str(vocabulary[code].as_py()))


def itemset(vocabulary: pa.Array, codes: Iterable[int]) -> str:
    """``{beer, wine}``; long sets are cut."""
    every = list(codes)
    names = [item_name(vocabulary, code) for code in every[:LISTED]]
    if len(every) > LISTED:
        names.append(f"... {len(every) - LISTED:,} more")
    return "{" + ", ".join(names) + "}"


def chunk_place(release: Disassociated, chunk: int) -> str:
    """``cluster 12, chunk 3``, numbered as in the release."""
    kind = "shared chunk" if release.chunk_shared[chunk] else "chunk"
    return f"cluster {int(release.chunk_owner[chunk])}, {kind} {chunk}"


def records(count: int) -> str:
    """``1 record`` or ``7 records``."""
    return f"{count:,} record{'' if count == 1 else 's'}"


def and_more(others: int, what: str) -> str:
    """The end of a witness if there are more."""
    return f" (and {others:,} more {what})" if others > 0 else ""


def row_name(quasi: Table, row: int) -> str:
    """``age 39, sex M``: a row of a table by its values; many columns and long values are cut."""
    columns = quasi.columns[:LISTED]
    values = (column.values[int(column.codes[row])].as_py() for column in columns)
    parts = [f"{column.name} {shorten(value)}" for column, value in zip(columns, values, strict=True)]
    return ", ".join(parts + ["..."] * (len(quasi.columns) > LISTED))


def value_name(values: pa.Array, code: int) -> str:
    """A sensitive value, quoted when it would garble a terminal or a list."""
    return shorten(values[code].as_py())


def value_names(values: pa.Array, codes: Iterable[int]) -> str:
    """``flu, heart disease``; long lists are cut."""
    every = list(codes)
    names = [value_name(values, code) for code in every[:LISTED]]
    return ", ".join(names + [f"... {len(every) - LISTED:,} more"] * (len(every) > LISTED))


def shorten(value: object) -> str:
    """A value as text, cut if long, quoted if it would garble a terminal or a list."""
    return bare("?" if value is None else str(value))
