"""Convert columns to a few plain types for publication: every reader knows these, and they hide the original type."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.table import Column, text_of

PLAIN_TYPES = {str(kind): kind for kind in (pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32())}
"""By name."""


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The plain type that replaces a type; text if there is no other."""
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return pa.int64()
    if pa.types.is_floating(kind):
        return pa.float64()
    return kind if str(kind) in PLAIN_TYPES else pa.string()


def as_plain(column: Column) -> Column:
    """The column in its plain type; values that become texts are sorted as texts.

    Example:
        >>> from shoal.data.table import Table
        >>> wide = Table.from_arrow(pa.table({"id": pa.array([7, 10], pa.uint64())})).column("id")
        >>> as_plain(wide).values.to_pylist(), as_plain(wide).codes.tolist()
        (['10', '7'], [1, 0])
    """
    kind = plain_type(column.values.type)
    if kind == column.values.type:
        return column
    if kind != pa.string() or pa.types.is_large_string(column.values.type):
        return replace(column, values=pc.cast(column.values, kind))
    values = column.values.to_pylist()
    texts = pa.array([None if value is None else text_of(value) for value in values], kind)
    order = pc.sort_indices(texts).to_numpy()
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    return replace(column, codes=place[column.codes], values=texts.take(pa.array(order)))
