"""How much a Parquet file really holds, counted from its page headers before anything is decoded.

The footer says how many values there are, but a reader decodes what the pages say: a file of 430 bytes can claim one
row and hold a list of two thousand million items. Page headers are small Thrift structures (compact protocol); walking
them touches a few bytes a page and no data.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

# A header can hold the least and the greatest word of its page, which Arrow writes up to 4 kB each.
_HEADER_BYTES = 1 << 16
_DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_V2 = range(4)
_DEEPEST = 8


@dataclass(frozen=True)
class Held:
    """What the pages of a file hold together."""

    values: int
    """Values of all columns; an item of a list is one."""
    bytes: int
    """Bytes after decompression."""


def count_pages(path: Path, metadata: Any) -> Held:
    """Add up what the pages of every column say, and check that the footer says the same.

    Args:
        path: the file.
        metadata: its footer, as ``pyarrow.parquet.ParquetFile.metadata``.

    Raises:
        ValueError: a page header cannot be read, or contradicts the footer.
    """
    values = size = 0
    total = path.stat().st_size
    with path.open("rb") as file:
        for group in range(metadata.num_row_groups):
            for number in range(metadata.num_columns):
                column = metadata.row_group(group).column(number)
                if column.num_values == 0:
                    continue  # no page of it is ever read
                where = f"column {column.path_in_schema!r} of row group {group}"
                start = column.data_page_offset
                if column.dictionary_page_offset and 0 < column.dictionary_page_offset < start:
                    start = column.dictionary_page_offset
                end = start + column.total_compressed_size
                if not 4 <= start <= end <= total:
                    raise ValueError(f"{where} lies outside the file")
                held = _count_column(file, start, end, where)
                if held.values != column.num_values:
                    raise ValueError(f"{where} claims {column.num_values:,} values, but its pages hold {held.values:,}")
                values += held.values
                size += held.bytes
    return Held(values, size)


def _count_column(file: BinaryIO, start: int, end: int, where: str) -> Held:
    values = size = 0
    while start < end:
        file.seek(start)
        header, length = _read_header(file.read(min(_HEADER_BYTES, end - start)), where)
        kind, unpacked, packed = header.get(1), header.get(2), header.get(3)
        if not (isinstance(unpacked, int) and isinstance(packed, int) and unpacked >= 0 and packed >= 0):
            raise ValueError(f"{where} has a page without a size")
        if kind in (_DATA_PAGE, _DATA_PAGE_V2):
            inner = header.get(5 if kind == _DATA_PAGE else 8)
            count = inner.get(1) if isinstance(inner, dict) else None
            if not isinstance(count, int) or count < 0:
                raise ValueError(f"{where} has a page without a number of values")
            values += count
        elif kind != _DICTIONARY_PAGE:
            raise ValueError(f"{where} has a page of an unknown kind")
        size += unpacked
        start += length + packed
    return Held(values, size)


def _read_header(raw: bytes, where: str) -> tuple[dict[int, Any], int]:
    cursor = _Cursor(raw)
    try:
        return cursor.struct(), cursor.at
    except (IndexError, RecursionError):
        raise ValueError(f"{where} has an unreadable page header") from None


class _Cursor:
    """A reader of Thrift's compact protocol; running off the end is an IndexError."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise RecursionError
        if kind in (1, 2):  # a boolean field is its own value
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._unsigned())
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 != 15 else self._unsigned()
            if count > len(self.raw):  # every element takes a byte at least
                raise IndexError
            return [self._byte() if head & 15 in (1, 2) else self._value(head & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.struct(depth + 1)
        raise IndexError  # maps and unknown kinds have no place in a page header

    def _byte(self) -> int:
        value = self.raw[self.at]
        self.at += 1
        return value

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise IndexError

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self.raw):
            raise IndexError
