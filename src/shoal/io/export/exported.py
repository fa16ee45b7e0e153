"""What is exported of a release, and how it is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shoal.atomic.files import atomic_file
from shoal.errors import InputError
from shoal.io.manifest import require_outside_releases


@dataclass(frozen=True)
class Format:
    """What a release is to be written as."""

    name: str
    """jsonl, csv, fimi or parquet."""
    part: str | None = None
    """Which table, of a release that has two: its rows, or its counts."""
    raw: bool = False
    """Whether CSV holds texts that a spreadsheet would take for formulas as they are."""


@dataclass(frozen=True)
class Export:
    """A release in a format."""

    write: Callable[[BinaryIO], None]
    formulas: Callable[[], int] | None = None
    """How many texts of a CSV file a spreadsheet would take for formulas."""
    texts: str = "texts"
    """What these are called."""
    notes: tuple[str, ...] = ()
    """What would be read wrongly."""


def write_export(export: Export, file: str | os.PathLike[str] | BinaryIO, *, force: bool = False) -> None:
    """Write an export to an open file, or atomically to a path.

    Raises:
        InputError: the file is there already, is inside of a release, or cannot be written.
    """
    if not isinstance(file, str | os.PathLike):
        export.write(file)
        return
    out = Path(file)
    require_outside_releases(out)
    if out.exists() and not force:
        raise InputError(f"{out} exists already: choose another name, or replace it by force")
    with atomic_file(out) as target:
        export.write(target)
