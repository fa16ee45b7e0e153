"""Shoal reads UTF-8 text without binary data. Everything else is refused, with the number of its line."""

from __future__ import annotations

import codecs

from shoal.errors import InputError
from shoal.io.opening import Opened

NEVER_IN_UTF8 = b"\xff"
"""A byte that no UTF-8 text contains."""

_BINARY = {
    b"\0": "a NUL byte: this is not a text file",
    NEVER_IN_UTF8: "the byte 0xff is not UTF-8 text: convert the file to UTF-8",
}


def refuse_binary(chunk: bytes, name: str, line: int) -> None:
    """Raise an InputError if a chunk, which begins on ``line``, holds a NUL byte or one that UTF-8 lacks."""
    for byte, complaint in _BINARY.items():
        at = chunk.find(byte)
        if at >= 0:
            raise InputError(f"{name}, line {line_of(chunk, at, line)}: {complaint}")


def refuse_utf16(source: Opened) -> None:
    """Raise an InputError if a file begins as UTF-16 does: other messages would mislead."""
    if source.head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise InputError(f"{source.name} is UTF-16 text: save it as UTF-8")


def line_of(chunk: bytes, at: int, line: int) -> int:
    """The line of byte ``at`` of a chunk that begins on ``line``."""
    return line + chunk.count(b"\n", 0, at)
