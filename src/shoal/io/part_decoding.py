"""Decode the data files of a release, after all checks that are possible before decoding.

This runs in the caller's process if the folder is trusted, and otherwise in a separate process
(:mod:`shoal.io.decoding_process`). It loads no NumPy and little of Shoal, to start such processes fast.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import DamagedRelease
from shoal.io.parquet_pages import Held, count_pages
from shoal.quoting import named, said_by, shown

# Limits of a reader. A small compressed file can claim to be enormous.
MAX_VALUES = 250_000_000
MAX_ROW_GROUPS = 20_000
# Memory that decoding and auditing take: for each value (measured: 17 to 25 bytes), for each word that becomes a text
# of Python, in a list and as a key, and for each byte of unpacked pages, which texts with rare characters take four
# times.
BYTES_A_VALUE = 40
BYTES_A_WORD = 250
BYTES_A_PAGE_BYTE = 8


@dataclass(frozen=True)
class Wanted:
    """What a file must hold."""

    shown: str
    """The file as messages name it."""
    manifest: str
    """The manifest as messages name it."""
    schema: pa.Schema
    """Its columns."""
    rows: int
    """Its number of rows according to the manifest."""


def as_codes(schema: pa.Schema) -> pa.Schema:
    """The columns as they are decoded: words as codes, so that a long word that is repeated is held once."""
    coded = pa.dictionary(pa.int32(), pa.string())
    fields = []
    for field in schema:
        kind = field.type
        if pa.types.is_list(kind) and pa.types.is_string(kind.value_type):
            kind = pa.list_(kind.value_field.with_type(coded))
        elif pa.types.is_string(kind):
            kind = coded
        fields.append(field.with_type(kind))
    return pa.schema(fields)


def open_part(raw: pa.Buffer, wanted: Wanted) -> tuple[pq.ParquetFile, int]:
    """Open one file after checking its schema and sizes; also returns the memory that it needs.

    Raises:
        DamagedRelease: it is not such a file.
    """
    called = wanted.shown
    with _readable(called):
        meta = pq.read_metadata(pa.BufferReader(raw))
        types = {field.name: field.type for field in meta.schema.to_arrow_schema()}
        leaves = [meta.schema.column(number).path for number in range(meta.num_columns)]
        rows = sum(meta.row_group(group).num_rows for group in range(min(meta.num_row_groups, MAX_ROW_GROUPS)))
    expected = {field.name: field.type for field in wanted.schema}
    if types != expected or list(types) != list(expected) or leaves != [_leaf(field) for field in wanted.schema]:
        raise DamagedRelease(f"{called} has the columns {_described(types)}, but a release has {_described(expected)}")
    if meta.metadata:  # it could change how columns are read, and it could name people
        raise DamagedRelease(f"{called} carries metadata ({shown(list(meta.metadata))}), which no release does")
    if meta.num_row_groups > MAX_ROW_GROUPS:
        raise DamagedRelease(f"{called} has {meta.num_row_groups:,} row groups; the limit is {MAX_ROW_GROUPS:,}")
    if not meta.num_rows == rows == wanted.rows:
        raise DamagedRelease(f"{called} has {rows:,} rows, but {wanted.manifest} says {wanted.rows:,}")
    try:
        held = count_pages(memoryview(raw).cast("B"), meta)
    except ValueError as error:
        raise DamagedRelease(f"{called} contradicts itself: {error}") from None
    if held.values > MAX_VALUES:
        raise DamagedRelease(f"{called} holds {held.values:,} values; the limit is {MAX_VALUES:,}")
    words = [_leaf(field) for field in wanted.schema if _holds_words(field.type)]
    with _readable(called):
        file = pq.ParquetFile(pa.BufferReader(raw), metadata=meta, read_dictionary=words)
    return file, _memory(held)


def decode(
    files: Sequence[pq.ParquetFile], wanted: Sequence[Wanted], *, trusted: bool
) -> Iterator[tuple[int, pa.Table]]:
    """The row groups of all files, each with the number of its file; words are codes.

    Args:
        files: the files.
        wanted: what they must hold.
        trusted: whether they are your own. For other files, statistics are compared with their rows, which can crash
            Arrow.

    Raises:
        DamagedRelease: pages cannot be read.
    """
    for number, (file, of) in enumerate(zip(files, wanted, strict=True)):
        kinds = as_codes(of.schema).types
        for group in range(file.num_row_groups):
            with _readable(of.shown, "has unreadable pages"):
                table = file.read_row_group(group, use_threads=False)
            if table.schema.types != kinds:
                found = dict(zip(table.column_names, table.schema.types, strict=True))
                raise DamagedRelease(f"{of.shown} is read as the columns {_described(found)}")
            if not trusted:
                _require_statistics(of.shown, file.metadata.row_group(group), table)
            yield number, table


def _require_statistics(called: str, group: pq.RowGroupMetaData, table: pa.Table) -> None:
    """Refuse a footer that names words which are not in its pages: it could contain anything."""
    for number, name in enumerate(table.column_names):
        statistics = group.column(number).statistics
        if statistics is None or not statistics.has_min_max:
            continue
        # Not flatten(), which would load Arrow's compute functions: a third of the memory of all decoding.
        chunks = [chunk.values if pa.types.is_list(chunk.type) else chunk for chunk in table[name].chunks]
        if not all(pa.types.is_dictionary(chunk.type) for chunk in chunks):
            continue  # numbers
        words = {word for chunk in chunks for word in _as_bytes(chunk.dictionary)}
        try:
            ends = statistics.min, statistics.max
        except UnicodeDecodeError:
            if all(map(_is_text, words)):  # others are refused later, with their place
                raise DamagedRelease(f"{called}: statistics of column {named(name)} name what is not UTF-8") from None
            continue
        for value in ends:
            if value.encode() not in words:
                raise DamagedRelease(
                    f"{called}: statistics of column {named(name)} name {shown(value)}, which no row has"
                )


def _as_bytes(words: pa.Array) -> Iterator[bytes]:
    """Words as they are stored, which may be no text; an array with gaps has an empty word there."""
    first, (_, ends, texts) = words.offset, words.buffers()
    if not len(words):
        return
    places = memoryview(ends).cast("B").cast("i")[first : first + len(words) + 1]
    raw = memoryview(texts or b"")
    for start, end in itertools.pairwise(places):
        yield bytes(raw[start:end])


def _is_text(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextlib.contextmanager
def _readable(called: str, damage: str = "is not a readable Parquet file") -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno):
            raise  # a lack of resources, or a system error, says nothing about the file
        raise DamagedRelease(f"{called} {damage}: {said_by(error)}") from None


def _memory(held: Held) -> int:
    return held.values * BYTES_A_VALUE + held.words * BYTES_A_WORD + held.bytes * BYTES_A_PAGE_BYTE


def _holds_words(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind.value_type if pa.types.is_list(kind) else kind))


def _leaf(field: pa.Field) -> str:
    """The Parquet column of a field."""
    return f"{field.name}.list.element" if pa.types.is_list(field.type) else str(field.name)


def _described(types: dict[str, pa.DataType]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in types.items())[:300]
