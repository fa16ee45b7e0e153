"""``shoal export``: a release as text for other programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from shoal.cli import options
from shoal.cli.terminal import note
from shoal.errors import InputError


class Target(StrEnum):
    """Formats that a release can be exported to."""

    jsonl = "jsonl"
    csv = "csv"
    fimi = "fimi"


def export(
    release: options.ReleaseArgument,
    to: Annotated[
        Target, typer.Option("--to", help="jsonl: a cluster a line; csv: an item a row; fimi: a subrecord a line.")
    ] = Target.jsonl,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="The file to write. Default: standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
) -> None:
    """Write a release as JSON lines, CSV or FIMI-like text."""
    from shoal.io.export import EXPORTS
    from shoal.io.release_folder import read_release

    if out and out.exists() and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace it")
    opened = read_release(release)
    write = EXPORTS[to.value]
    if out is None:
        write(opened, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        with appearing_at_once(out) as file:
            write(opened, file)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise InputError(f"cannot write {out}: {reason}") from None
    note(f"wrote {out}")


@contextmanager
def appearing_at_once(out: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name when all of it is written; a device or a pipe is written as it is."""
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
