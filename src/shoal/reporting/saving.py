"""Reports as files: an atomically written page, and pictures of its charts."""

from __future__ import annotations

import json
import os
from pathlib import Path

from shoal.atomic.files import EVERYBODY, OWNER_ONLY, atomic_file, make_folder
from shoal.errors import InputError
from shoal.io.manifest import require_outside_releases
from shoal.reporting.drawing import png_of, titled, titled_svg_of
from shoal.reporting.page import Audience, Chart, Report


def require_free(path: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse a file that exists or cannot be written, before a report is made.

    Raises:
        InputError: the message says what to do.
    """
    target = _possible(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder: name the file for the report, as in report.html")
    require_outside_releases(target)
    if target.exists() and not force:
        raise InputError(f"{target} exists already; choose another name, or --force to replace it")
    if not target.absolute().parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.absolute().parent}; make it first")


def require_folder(path: str | os.PathLike[str]) -> None:
    """Refuse an invalid folder for charts, before a report is made.

    Raises:
        InputError: the message says what to do.
    """
    target = _possible(path)
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file: name a folder for the charts (--charts)")
    require_outside_releases(target)


def save_page(report: Report, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write the page."""
    require_free(path, force=force)
    _write(Path(path), report.html().encode(), report.audience)


def save_charts(report: Report, folder: str | os.PathLike[str], *, force: bool = False) -> list[str]:
    """Write PNG, SVG and Vega-Lite with records of every chart; returns the file names."""
    target = Path(folder)
    names = [f"{chart.name}{ending}" for chart in report.charts for ending in (".png", ".svg", ".vl.json")]
    require_folder(target)
    there = [name for name in names if (target / name).exists()]
    if there and not force:
        raise InputError(f"{target / there[0]} exists already; choose another folder, or --force to replace it")
    # Everything is drawn before anything is written.
    drawn = [content for chart in report.charts for content in _pictures(chart)]
    try:
        make_folder(target)
    except OSError as error:
        raise InputError(f"cannot make {target}: {error.strerror or error}") from None
    for name, content in zip(names, drawn, strict=True):
        _write(target / name, content, report.audience)
    return names


def _pictures(chart: Chart) -> tuple[bytes, bytes, bytes]:
    spec = json.dumps(titled(chart), indent=1, ensure_ascii=False, sort_keys=True)
    return png_of(chart), titled_svg_of(chart).encode(), f"{spec}\n".encode()


def _possible(path: str | os.PathLike[str]) -> Path:
    """The path, if a file could have that name."""
    target = Path(path)
    try:
        target.exists()
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}") from None
    return target


def _write(path: Path, content: bytes, audience: Audience) -> None:
    """The mode of the file: an internal report is readable only by its owner."""
    with atomic_file(path, OWNER_ONLY if audience == "internal" else EVERYBODY) as file:
        file.write(content)
