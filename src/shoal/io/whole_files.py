"""Files that are there when they are whole, never before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import InputError

OWNER_ONLY = 0o600
"""The mode of files that tell about an original."""
EVERYBODY = 0o666
"""That of all others, less what the system takes away."""


@contextmanager
def appearing_at_once(out: Path, mode: int = EVERYBODY) -> Iterator[BinaryIO]:
    """A file that appears under its name when all of it is written; a device or a pipe is written as it is.

    Raises:
        InputError: it cannot be written; nothing is left of it.
    """
    try:
        with _appearing_at_once(out, mode) as file:
            yield file
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise InputError(f"cannot write {out}: {reason}") from None


@contextmanager
def _appearing_at_once(out: Path, mode: int) -> Iterator[BinaryIO]:
    if out.exists() and not out.is_file():
        with out.open("wb") as device:
            yield device
        return
    target = out.resolve()
    aside = target.with_name(f".{target.name[:40]}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            yield file
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
