"""Convert Arrow arrays to plain buffers and back: the layout for sending decoded columns between processes.

Neither side executes data of the other: a header holds only numbers. The reader knows the types beforehand, computes
the length of each buffer, and refuses any other length. The contents of the buffers must be checked afterwards
(``validate(full=True)``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from shoal.quoting import named

_MOST = 2**31
"""The most elements of an Arrow array."""

Header = dict[str, Any]


class Garbled(ValueError):  # noqa: N818  (what it says is what it is)
    """A header that does not describe an array of the type."""


def pack(array: pa.Array) -> tuple[Header, list[pa.Buffer]]:
    """The header of an array, and its buffers."""
    if array.offset:
        array = pa.concat_arrays([array, array.slice(0, 0)])
    kind, length = array.type, len(array)
    valid = [] if array.null_count == 0 else [array.buffers()[0].slice(0, _bits(length))]
    header: Header = {"n": length, "gaps": bool(valid)}
    if pa.types.is_dictionary(kind):
        words, buffers = pack(array.dictionary)
        return {**header, "of": words}, [*valid, _cut(array.buffers()[1], length * 4), *buffers]
    if pa.types.is_list(kind):
        ends = array.buffers()[1]
        inner, buffers = pack(array.values)
        return {**header, "of": inner}, [*valid, _cut(ends, (length + 1) * 4), *buffers]
    if pa.types.is_string(kind):
        # An array without any text may come without buffers.
        _, ends, texts = array.buffers()
        size = int.from_bytes(memoryview(ends)[length * 4 : length * 4 + 4], "little", signed=True) if length else 0
        return {**header, "bytes": size}, [*valid, _cut(ends, (length + 1) * 4), _cut(texts, size)]
    return header, [*valid, _cut(array.buffers()[1], _fixed(kind, length))]


def unpack(header: Header, kind: pa.DataType, take: Callable[[int], pa.Buffer]) -> pa.Array:
    """The array of a known type that a header describes.

    Args:
        header: what :func:`pack` returned.
        kind: the type.
        take: returns the next bytes, as many as requested.

    Raises:
        Garbled: the header does not describe an array of this type.
    """
    length = _number(header, "n")
    valid = take(_bits(length)) if header.get("gaps") is True else None
    if pa.types.is_dictionary(kind):
        codes = take(length * 4)
        words = unpack(_header(header), kind.value_type, take)
        return pa.DictionaryArray.from_buffers(kind, length, [valid, codes], words)
    if pa.types.is_list(kind):
        ends = take((length + 1) * 4)
        inner = unpack(_header(header), kind.value_type, take)
        return pa.Array.from_buffers(kind, length, [valid, ends], children=[inner])
    if pa.types.is_string(kind):
        return pa.Array.from_buffers(kind, length, [valid, take((length + 1) * 4), take(_number(header, "bytes"))])
    return pa.Array.from_buffers(kind, length, [valid, take(_fixed(kind, length))])


def _cut(buffer: pa.Buffer | None, size: int) -> pa.Buffer:
    if buffer is None or buffer.size < size:
        # Of an empty array Arrow may leave out even the one offset that it should have.
        assert size <= 4, "a buffer of Arrow is too short"
        return pa.py_buffer(bytes(size))
    return buffer.slice(0, size)


def _fixed(kind: pa.DataType, length: int) -> int:
    return _bits(length) if pa.types.is_boolean(kind) else length * int(kind.bit_width) // 8


def _bits(length: int) -> int:
    return (length + 7) // 8


def _header(header: Header) -> Header:
    inner = header.get("of")
    if not isinstance(inner, dict):
        raise Garbled("a header without its inner one")
    return inner


def _number(header: Header, key: str) -> int:
    value = header.get(key)
    if type(value) is not int or not 0 <= value < _MOST:
        raise Garbled(f"a header without {named(key)}")
    return value
