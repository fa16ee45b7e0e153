"""The basis of a report: parameters, files with their checksums, and program versions."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from shoal.io.opening import as_text
from shoal.release import Release
from shoal.reporting.page import Block, Grid, Section

_PACKAGES = ("shoal", "numpy", "numba", "pyarrow", "scipy", "vl-convert-python")


@dataclass(frozen=True)
class Source:
    """The published file, as shown in an internal report."""

    name: str
    sha256: str | None
    """None if it was not a file."""
    size: str
    """Its size, in words."""


def facts_section(
    release: Release, manifest: Mapping[str, Any], source: Source | None, choices: Mapping[str, str]
) -> Section:
    """Numbers that identify the release and its promise; ``choices`` are the options of publishing."""
    parameters = [
        (type(promise).__name__, field.name.replace("_", " "), _text(getattr(promise, field.name)))
        for promise in release.promises
        for field in fields(promise)
    ]
    files = [(str(part["name"]), f"{part['rows']:,}", str(part["sha256"])) for part in manifest["files"]]
    blocks: list[Block] = [
        Grid("Parameters of the promise", ("promise", "parameter", "value"), tuple(parameters)),
        Grid(
            f"Files of the release, format version {manifest['format_version']}",
            ("file", "rows", "SHA-256"),
            tuple(files),
        ),
    ]
    if choices:
        blocks.insert(1, Grid("Publishing options", ("option", "value"), tuple(choices.items())))
    if source is not None:
        blocks.append(source_grid(source))
    blocks.append(versions_grid())
    return Section("facts", "Basis of this report", tuple(blocks))


def source_of(file: str | os.PathLike[str] | None, size: str) -> Source:
    """The file that was published or studied, and its size."""
    if file is None or not Path(file).is_file():
        return Source("-" if file is None else name_of(Path(file)), None, size)
    with Path(file).open("rb") as content:
        return Source(name_of(Path(file)), hashlib.file_digest(content, "sha256").hexdigest(), size)


def name_of(path: Path) -> str:
    """The name of a file or folder, also if the path does not end with it; bytes that are not text are marked."""
    name = path.resolve().name if path.name in ("", "..") else path.name
    return as_text(name)


def source_grid(source: Source) -> Grid:
    """The original, by name and checksum."""
    row = (source.name, source.size, source.sha256 or "not a file")
    return Grid("The original", ("file", "size", "SHA-256"), (row,))


def versions_grid() -> Grid:
    """The program versions that made the report."""
    rows = [("Python", platform.python_version()), *((name, _version(name)) for name in _PACKAGES)]
    return Grid("Made with", ("program", "version"), tuple(rows))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"  # needed only for drawing: as data, a report is complete without it


def _text(value: object) -> str:
    if isinstance(value, tuple):
        pairs = [f"{_text(one[0])}: {_text(one[1])}" if _is_pair(one) else _text(one) for one in value]
        return ", ".join(pairs) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2
