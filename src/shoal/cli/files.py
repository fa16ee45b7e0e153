"""Files that commands write: there when they are whole, never before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import InputError


@contextmanager
def appearing_at_once(out: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name when all of it is written; a device or a pipe is written as it is."""
    try:
        with _appearing_at_once(out) as file:
            yield file
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise InputError(f"cannot write {out}: {reason}") from None


@contextmanager
def _appearing_at_once(out: Path) -> Iterator[BinaryIO]:
    if out.exists() and not out.is_file():
        with out.open("wb") as device:
            yield device
        return
    target = out.resolve()
    aside = target.with_name(f".{target.name[:40]}.{os.getpid()}.part")
    try:
        with aside.open("xb") as file:
            yield file
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
