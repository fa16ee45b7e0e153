"""The values of an original, as the auditor reads them: as texts, with the number of rows of each, and equal rows.

A whole number is written without a point, whatever its type; a missing value is ``?``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Int64
from shoal.data.table import Column
from shoal.data.transactions import Transactions

_MISSING = "?"
_EXACT = 2**53
"""From here on neighbouring floats are more than 1 apart: the digits of a whole number would be meaningless."""


def texts_of(values: pa.Array) -> list[str]:
    """Each value as a text, as hierarchies and rules name it.

    Example:
        >>> texts_of(pa.array([39.0, 0.5, None])), texts_of(pa.array([39])), texts_of(pa.array([True]))
        (['39', '0.5', '?'], ['39'], ['true'])
    """
    kind = values.type
    if pa.types.is_floating(kind):
        return [_MISSING if value is None else _float_text(value) for value in values.to_pylist()]
    if not (pa.types.is_integer(kind) or pa.types.is_decimal(kind)):
        values = pc.cast(values, pa.string())
    return [_MISSING if value is None else str(value) for value in values.to_pylist()]


def _float_text(value: float) -> str:
    if math.isnan(value):
        return _MISSING
    whole = math.isfinite(value) and abs(value) < _EXACT and value == math.floor(value)
    return str(math.floor(value)) if whole else repr(value)


def column_texts(column: Column) -> list[str]:
    """The distinct values of a column as texts, in its order."""
    return texts_of(column.values)


def rows_of_values(column: Column) -> Int64:
    """How many rows hold each distinct value of a column."""
    held, rows = np.unique(column.codes, return_counts=True)
    counts = np.zeros(len(column.values), np.int64)
    counts[held] = rows
    return counts


def records_of_items(original: Transactions) -> Int64:
    """How many records hold each item; a record holds an item once."""
    held, records = np.unique(original.items, return_counts=True)
    counts = np.zeros(len(original.vocabulary), np.int64)
    counts[held] = records
    return counts


def numbers_of_rows(columns: Sequence[Column]) -> Int64:
    """A number for each row: the same if rows agree in all of these columns, and ascending as their values do."""
    return numbers_of_keys([(column.codes, len(column.values)) for column in columns])


def numbers_of_keys(keys: Sequence[tuple[npt.NDArray[Any], int]]) -> Int64:
    """The same for arrays of codes, each with the number of its codes.

    Example:
        >>> numbers_of_keys([(np.array([1, 0, 1]), 2), (np.array([0, 2, 0]), 3)]).tolist()
        [1, 0, 1]
    """
    numbers, span = np.zeros(len(keys[0][0]), np.int64), 1
    for codes, size in keys:
        if span > 2**62 // max(size, 1):  # else they remain distinct without new numbers
            span, numbers = _renumbered(numbers)
        numbers = codes + numbers * size
        span *= size
    return _renumbered(numbers)[1]


def _renumbered(numbers: Int64) -> tuple[int, Int64]:
    found, again = np.unique(numbers, return_inverse=True)
    return len(found), again.reshape(-1).astype(np.int64)
