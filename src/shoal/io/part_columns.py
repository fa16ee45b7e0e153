"""Columns of a release's files as arrays, refused if they do not have the shape that all later code relies on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Int32, Int64
from shoal.errors import DamagedRelease
from shoal.quoting import named


def word_codes(name: str, column: str, values: pa.DictionaryArray) -> Int32:
    """The codes of words that were read as codes; Arrow does not check that each of them has a word."""
    codes: Int32 = values.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    if len(codes) and not 0 <= codes.min() <= codes.max() < len(values.dictionary):
        raise DamagedRelease(f"{name}: column {named(column)} has codes without a word")
    return codes


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of words: each different word once, and a code for each row, -1 if there is none."""

    words: pa.Array
    codes: Int32

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else str(self.words[code].as_py())

    def one_by_one(self) -> list[str | None]:
        """The text of each row; equal texts are one object."""
        words: list[str | None] = [*self.words.to_pylist(), None]
        return [words[code] for code in self.codes.tolist()]


def texts(table: pa.Table, column: str) -> Texts:
    """A column of words, or of concatenated lists of words, that was read as codes."""
    chunks = [chunk.flatten() if pa.types.is_list(chunk.type) else chunk for chunk in table[column].chunks]
    words = pc.unique(pa.chunked_array([chunk.dictionary for chunk in chunks], pa.string()))
    codes = [np.empty(0, np.int32)]
    for chunk in chunks:
        place = pc.index_in(chunk.dictionary, words).to_numpy(zero_copy_only=False).astype(np.int32)
        codes.append(np.append(place, np.int32(-1))[chunk.indices.fill_null(len(place)).to_numpy()])
    return Texts(words, np.concatenate(codes))


def number_field(name: str, taken: Collection[str], *, nullable: bool = False) -> pa.Field:
    """A whole-number column of Shoal, with a name that no column of the publisher has."""
    while name in taken:
        name += "_"
    return pa.field(name, pa.int32(), nullable=nullable)


def plain(name: str, table: pa.Table, column: str) -> Int64:
    """A column of whole numbers without gaps."""
    if table[column].null_count:
        raise DamagedRelease(f"{name}: column {named(column)} has missing values")
    values: Int64 = table[column].to_numpy().astype(np.int64)
    return values


def require_numbered(name: str, column: str, values: Int64) -> None:
    """Refuse a column that does not count its rows."""
    if not np.array_equal(values, np.arange(len(values))):
        raise DamagedRelease(f"{name}: column {named(column)} must count up from 0")


def require_range(name: str, column: str, values: Int64, low: int, high: int) -> None:
    """Refuse a column with references out of range."""
    wrong = np.flatnonzero((values < low) | (values >= high))
    if len(wrong):
        raise DamagedRelease(f"{name}: row {wrong[0]} has {column} {values[wrong[0]]}, which does not exist")


def require_ascending(name: str, column: str, values: Int64, *, strictly: bool = False) -> None:
    """Refuse rows that are not in the order of a column."""
    step = np.diff(values)
    wrong = np.flatnonzero(step <= 0 if strictly else step < 0)
    if len(wrong):
        raise DamagedRelease(f"{name}: rows must be sorted by {named(column)}; row {wrong[0] + 1} is out of order")
