"""``shoal export``: a release as text for other programs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.files import appearing_at_once
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
    from shoal.io.release_folder import read_disassociated

    if out and out.exists() and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace it")
    opened = read_disassociated(release)
    write = EXPORTS[to.value]
    if out is None:
        write(opened, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with appearing_at_once(out) as file:
        write(opened, file)
    note(f"wrote {out}")
