"""Where made-up data goes: a file by name, ``-`` for standard output, or an open binary file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import InputError

Destination = str | os.PathLike[str] | BinaryIO


@contextmanager
def destination(target: Destination) -> Iterator[BinaryIO]:
    """Open what data is written to; what the operating system refuses becomes an InputError, and leaves no file."""
    if not isinstance(target, str | os.PathLike):
        yield target
    elif target == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        path = Path(target)
        new = not path.exists()
        try:
            with path.open("wb") as file:
                try:
                    yield file
                except BaseException:  # also Ctrl-C: half of the data would pass for all of them
                    if new:
                        path.unlink(missing_ok=True)
                    raise
        except OSError as error:
            raise InputError(f"cannot write {os.fspath(target)}: {error.strerror or error}") from error
