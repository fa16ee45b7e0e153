"""Where fake data goes: a file by name, ``-`` for standard output, or an open binary file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.atomic.files import atomic_file

Destination = str | os.PathLike[str] | BinaryIO


@contextmanager
def destination(target: Destination) -> Iterator[BinaryIO]:
    """Open the destination of data; an error of the operating system becomes an InputError, and changes nothing."""
    if not isinstance(target, str | os.PathLike):
        yield target
    elif target == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with atomic_file(Path(target)) as file:
            yield file
