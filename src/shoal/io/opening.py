"""Open input as one stream of bytes: a path, standard input or an open file, gzip-compressed or not.

gzip is recognised by its first two bytes, never by the file's name. A UTF-8 byte-order mark is skipped.
"""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.size_bound import Bound
from shoal.suggestions import did_you_mean

HEAD_BYTES = 1 << 16
"""How many bytes of a file are read to recognise its format."""

_GZIP = b"\x1f\x8b"
_SMALL = 1 << 26


@dataclass(frozen=True)
class Opened:
    """A stream of bytes, decompressed and without a byte-order mark, and its name in messages."""

    name: str
    """The name of the source in messages: its path, or "standard input"."""
    stream: io.BufferedReader
    """The bytes; none have been consumed."""
    head: bytes
    """The first bytes, about ``HEAD_BYTES`` of them, or all if there are fewer."""
    path: Path | None = None
    """The file itself, when the source is an uncompressed file on disk."""

    def rest(self) -> bytes:
        """All the bytes, for formats that cannot be read in pieces.

        Raises:
            InputError: they are neither Parquet nor text; raised early, because a device could give endless NUL bytes.
        """
        self._refuse_nul(self.head)
        data = self.stream.read()
        self._refuse_nul(data)
        return data

    def _refuse_nul(self, data: bytes) -> None:
        if self.head.startswith((b"PAR1", codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return  # UTF-16 has its own message
        at = data.find(b"\0")
        if at >= 0:
            line = data.count(b"\n", 0, at) + 1
            raise InputError(f"{self.name}, line {line}: a NUL byte: this is not a text file")


@contextmanager
def opened(source: object, *, max_size: int | None = None) -> Iterator[Opened]:
    """Open a path, ``"-"`` (standard input) or a binary file object for reading, and unpack gzip.

    A given file object stays open, and the caller closes it; a file that is opened here is closed here.

    Args:
        source: a path, ``"-"``, or an object with ``read``.
        max_size: how many bytes may be read from a source of unknown size: unpacked gzip, standard input, a device. By
            default half of the available memory.

    Yields:
        The opened source.

    Raises:
        InputError: the file is missing, is a directory, may not be read, is a damaged gzip file, or too large.

    Example:
        >>> with opened(io.BytesIO(gzip.compress(b"tea milk"))) as source:
        ...     source.head
        b'tea milk'
    """
    with ExitStack() as stack:
        path: Path | None = None
        if isinstance(source, str | os.PathLike) and source != "-":
            path = Path(source)
            name = str(path)
            file: Any = stack.enter_context(_open_path(path))
            sized = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        else:
            file = _standard_input() if source == "-" else source
            name = "standard input" if source == "-" else _name_of(file)
            sized = isinstance(file, io.BytesIO)
            if not callable(getattr(file, "read", None)):
                raise InputError(f"{type(file).__name__} cannot be read: give a path, or a file opened in binary mode")
        stream = _Whole(file, name, None if sized else Bound(name, max_size)).buffered()
        # peek() fills the whole buffer, because _Whole reads less than requested only at the end.
        if stream.peek(HEAD_BYTES)[:2] == _GZIP:
            path = None
            stream = _Whole(gzip.GzipFile(fileobj=stream), name, Bound(name, max_size)).buffered()
        head = stream.peek(HEAD_BYTES)
        if head.startswith(codecs.BOM_UTF8):
            head = head[len(stream.read(len(codecs.BOM_UTF8))) :]
        yield Opened(name, stream, head, path)


def whole(source: object, *, max_size: int | None = None) -> bytes:
    """All the bytes of a source, for formats that cannot be read in pieces; opened as ``opened`` does."""
    with opened(source, max_size=max_size) as file:
        return file.rest()


def small_file(path: Path) -> bytes:
    """All the bytes of a small file written by hand, such as a plan or a list of items.

    Raises:
        OSError: it cannot be read, no file can have this name, or it is too large, such as an endless device.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_SMALL + 1)
    except ValueError as error:
        raise OSError(errno.EINVAL, f"no file can have this name ({error})") from None
    if len(data) > _SMALL:
        raise OSError(errno.EFBIG, f"it has more than {_SMALL:,} bytes")
    return data


def _standard_input() -> Any:
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input is closed: give a file, or pipe data into it")
    return sys.stdin.buffer


def as_text(name: str) -> str:
    """A file name of the system as text; bytes that are no text are marked."""
    return os.fsencode(name).decode(errors="replace")


def like_named(path: Path) -> str:
    """A suffix that suggests the most similar name in the folder of a missing file; empty if there is none."""
    try:
        # Suffixes are mostly the same, so the rest of the names must also be similar.
        there = [one.name for one in path.parent.iterdir() if did_you_mean(path.stem, [one.stem])]
    except (OSError, ValueError):
        return ""
    return did_you_mean(path.name, there)


def _open_path(path: Path) -> io.BufferedIOBase:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise InputError(f"no such file: {path}{like_named(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory: give the file inside it") from None
    except PermissionError:
        raise InputError(f"{path} may not be read: permission denied") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be opened: {error}") from error


def _name_of(file: object) -> str:
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else "the given file"


class _Whole(io.RawIOBase):
    """Reads from any binary file object as much as requested, and reports its failures as InputError.

    Pipes, sockets and raw files may return less than requested long before their end.
    """

    def __init__(self, file: Any, name: str, bound: Bound | None) -> None:
        super().__init__()
        self._file = file
        self._name = name
        self._bound = bound

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(view):
            piece = self._read(len(view) - filled)
            if not piece:
                break
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
        return filled

    def buffered(self) -> io.BufferedReader:
        return io.BufferedReader(self, HEAD_BYTES)

    def _read(self, size: int) -> bytes:
        try:
            piece = self._file.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{self._name} is a damaged gzip file ({error}): compress or download it again") from error
        except OSError as error:
            raise InputError(f"{self._name} cannot be read: {error}") from error
        except ValueError as error:  # a file object that was closed before it came here
            raise InputError(f"{self._name} cannot be read: {error}") from error
        if isinstance(piece, str):
            raise InputError(f"{self._name} is open as text: open it in binary mode, open(path, 'rb')")
        if not isinstance(piece, bytes | bytearray | memoryview | None):
            raise InputError(f"{self._name} gives {type(piece).__name__} instead of bytes: it is no binary file")
        if self._bound is not None:
            self._bound.add(len(piece or b""))
        return bytes(piece or b"")
