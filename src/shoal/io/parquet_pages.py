"""The real contents of a Parquet file, counted from its page headers before anything is decoded.

The footer states the number of values, but a reader decodes what the pages state: a file of 430 bytes can claim one row
and hold a list of two thousand million items. Page headers are small Thrift structures (compact protocol); reading them
touches a few bytes of each page and no data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.quoting import named

# A header can hold the least and the greatest word of its page, which Arrow writes up to 4 kB each.
_HEADER_BYTES = 1 << 16
_DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_V2 = range(4)
_DEEPEST = 8
# Single values, runs (of booleans), and codes into the words of a dictionary page. Other encodings can expand a lot:
# with shared prefixes, a page of 40 MB can hold a million words of 40 MB each.
_PLAIN, _RUNS = 0, 3
_CODES = (2, 8)
# The least size of a value that is written out: the length of a word; 0 for a bit.
_LEAST_BYTES = {"BYTE_ARRAY": 4, "INT32": 4, "INT64": 8, "DOUBLE": 8, "BOOLEAN": 0}


@dataclass(frozen=True)
class Held:
    """The total contents of the pages of a file."""

    values: int = 0
    """Values of all columns; each item of a list counts as one."""
    bytes: int = 0
    """Bytes after decompression."""
    words: int = 0
    """Words that are written out; a word of a dictionary page counts once, no matter how often its code occurs."""

    def __add__(self, other: Held) -> Held:
        return Held(self.values + other.values, self.bytes + other.bytes, self.words + other.words)


def count_pages(raw: memoryview, metadata: Any) -> Held:
    """Add up the contents of the pages of every column, and check that the footer agrees.

    Args:
        raw: the bytes of the file.
        metadata: its footer, as ``pyarrow.parquet.ParquetFile.metadata``.

    Raises:
        ValueError: a page header cannot be read, contradicts the footer, or cannot be true.
    """
    held = Held()
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            if column.num_values == 0:
                continue  # no page of it is ever read
            where = f"column {named(column.path_in_schema)} of row group {group}"
            start = column.data_page_offset
            if column.dictionary_page_offset and 0 < column.dictionary_page_offset < start:
                start = column.dictionary_page_offset
            end = start + column.total_compressed_size
            if not 4 <= start <= end <= len(raw):
                raise ValueError(f"{where} lies outside the file")
            found = _count_column(raw, start, end, where, column.physical_type)
            if found.values != column.num_values:
                raise ValueError(f"{where} claims {column.num_values:,} values, but its pages hold {found.values:,}")
            held += found
    return held


def _count_column(raw: memoryview, start: int, end: int, where: str, physical: str) -> Held:
    values = size = words = 0
    while start < end:
        header, length = _read_header(raw[start : min(start + _HEADER_BYTES, end)], where)
        kind, unpacked, packed = header.get(1), header.get(2), header.get(3)
        if not (isinstance(unpacked, int) and isinstance(packed, int) and unpacked >= 0 and packed >= 0):
            raise ValueError(f"{where} has a page without a size")
        if kind in (_DATA_PAGE, _DATA_PAGE_V2):
            inner = header.get(5 if kind == _DATA_PAGE else 8)
            count, encoding = _count_and_encoding(inner, 2 if kind == _DATA_PAGE else 4, where)
            values += count
            if encoding == _PLAIN:
                words += count
            elif encoding not in (*_CODES, _RUNS):
                raise ValueError(f"{where} has a page in encoding {encoding}, which no release uses")
        elif kind == _DICTIONARY_PAGE:
            count, encoding = _count_and_encoding(header.get(7), 2, where)
            if encoding not in (_PLAIN, _CODES[0]) or count * _LEAST_BYTES.get(physical, 0) > unpacked:
                raise ValueError(f"{where} has a dictionary that cannot hold {count:,} values")
            words += count
        else:
            raise ValueError(f"{where} has a page of an unknown kind")
        size += unpacked
        start += length + packed
    return Held(values, size, words if physical == "BYTE_ARRAY" else 0)


def _count_and_encoding(inner: object, place: int, where: str) -> tuple[int, int]:
    count, encoding = (inner.get(1), inner.get(place)) if isinstance(inner, dict) else (None, None)
    if not isinstance(count, int) or not isinstance(encoding, int) or count < 0:
        raise ValueError(f"{where} has a page without a number of values")
    return count, encoding


def _read_header(raw: memoryview, where: str) -> tuple[dict[int, Any], int]:
    cursor = _Cursor(raw)
    try:
        return cursor.struct(), cursor.at
    except (IndexError, RecursionError):
        raise ValueError(f"{where} has an unreadable page header") from None


class _Cursor:
    """A reader of Thrift's compact protocol; running off the end is an IndexError."""

    def __init__(self, raw: memoryview) -> None:
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
