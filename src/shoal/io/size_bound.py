"""Limit the bytes that are read from a source of unknown size: a gzip file of 5 MB can unpack to 10 GB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from shoal.errors import InputError
from shoal.memory import available_memory
from shoal.quoting import shown

SHARE = 2
"""Converting input to arrays takes about as much memory again: so half of the available memory may be read."""
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_WRITTEN = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_given: ContextVar[int | None] = ContextVar("max_size", default=None)


class Bound:
    """Counts the bytes read from one source, and refuses more than the limit."""

    def __init__(self, name: str, max_size: int | None = None) -> None:
        self._name = name
        given = _given.get() if max_size is None else max_size
        self._largest = available_memory() // SHARE if given is None else given
        self._why = (
            "half of the available memory; a larger --max-size raises this limit"
            if given is None
            else "what --max-size allows"
        )
        self._read = 0

    def add(self, size: int) -> None:
        """Count bytes that were read.

        Raises:
            InputError: they are too many.
        """
        self._read += size
        if self._read > self._largest:
            raise InputError(
                f"{self._name} holds more than {self._largest:,} bytes, once unpacked: that is {self._why}"
            )


@contextmanager
def max_size(size: int | None) -> Iterator[None]:
    """Limit sources that are opened in this block to ``size`` bytes; None: half of the available memory."""
    before = _given.set(size)
    try:
        yield
    finally:
        _given.reset(before)


def size_of(text: str) -> int:
    """Parse a number of bytes with a unit.

    Example:
        >>> size_of("20G"), size_of("1.5k"), size_of("300")
        (21474836480, 1536, 300)
    """
    found = _WRITTEN.fullmatch(text.strip())
    size = int(float(found[1]) * _UNITS[found[2].upper()]) if found else 0
    if size < 1:
        raise InputError(f"--max-size is {shown(text)}: give a number of bytes, as in 500M or 20G")
    return size
