"""Files that commands write: there when they are whole, never before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_RESULTS = (".csv", ".parquet", ".json")


def require_results_file(out: Path, *, force: bool) -> None:
    """Refuse a file that a table of results cannot go to, before they are computed."""
    if out.suffix.lower() not in _RESULTS:
        raise InputError(f"{out}: the name must end with {', '.join(_RESULTS[:-1])} or {_RESULTS[-1]}")
    if out.exists() and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace it")


def write_results(rows: pa.Table, out: Path) -> None:
    """Write a table of results as the name of the file says."""
    from shoal.io.results import WRITERS

    with appearing_at_once(out) as file:
        WRITERS[out.suffix.lower()](rows, file)


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
