"""Columns of a release's files as arrays, refused where they have not the shape that all code behind relies on."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.transactions import Int32, Int64
from shoal.errors import DamagedRelease


def word_codes(name: str, column: str, values: pa.DictionaryArray) -> Int32:
    """The codes of words that were read as codes; Arrow does not check that each of them has a word."""
    codes: Int32 = values.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(values.dictionary):
        raise DamagedRelease(f"{name}: column {column!r} has codes without a word")
    return codes


def number_field(name: str, taken: Collection[str], *, nullable: bool = False) -> pa.Field:
    """A column of ours beside the steward's: it yields where he has one of that name."""
    while name in taken:
        name += "_"
    return pa.field(name, pa.int32(), nullable=nullable)


def plain(name: str, table: pa.Table, column: str) -> Int64:
    """A column of whole numbers without gaps."""
    if table[column].null_count:
        raise DamagedRelease(f"{name}: column {column!r} has missing values")
    values: Int64 = table[column].to_numpy().astype(np.int64)
    return values


def require_numbered(name: str, column: str, values: Int64) -> None:
    """Refuse a column that does not count its rows."""
    if not np.array_equal(values, np.arange(len(values))):
        raise DamagedRelease(f"{name}: column {column!r} must count up from 0")


def require_range(name: str, column: str, values: Int64, low: int, high: int) -> None:
    """Refuse a column that points outside what there is."""
    wrong = np.flatnonzero((values < low) | (values >= high))
    if len(wrong):
        raise DamagedRelease(f"{name}: row {wrong[0]} has {column} {values[wrong[0]]}, which does not exist")


def require_ascending(name: str, column: str, values: npt.NDArray[np.int64], *, strictly: bool = False) -> None:
    """Refuse rows that are not in the order of a column."""
    step = np.diff(values)
    wrong = np.flatnonzero(step <= 0 if strictly else step < 0)
    if len(wrong):
        raise DamagedRelease(f"{name}: rows must be sorted by {column!r}; row {wrong[0] + 1} is out of order")
