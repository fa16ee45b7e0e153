"""``shoal export``: a release for other programs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.atomic.files import atomic_file
from shoal.cli import options
from shoal.cli.evidence import refuse
from shoal.cli.files import require_csv, say_what_was_escaped
from shoal.cli.terminal import note, result_json
from shoal.errors import InputError
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.io.export.exported import Export


class Target(StrEnum):
    """Formats that a release can be exported to."""

    jsonl = "jsonl"
    csv = "csv"
    fimi = "fimi"
    parquet = "parquet"


class Part(StrEnum):
    """The two tables of a release of a table."""

    rows = "rows"
    counts = "counts"


def export(
    context: typer.Context,
    release: options.ReleaseArgument,
    to: Annotated[
        Target,
        typer.Option(
            "--to",
            help="jsonl: a cluster (or group) a line; csv: an item a row; fimi: a subrecord a line. Of a bucketized "
            "release, csv and parquet hold what --part names; of a generalized table, all hold a row a row; of baskets "
            "that are rows (randomized, generalized, with noisy counts), csv holds an item a row, the others a row a "
            "row.",
        ),
    ] = Target.jsonl,
    part: Annotated[
        Part | None,
        typer.Option(
            "--part",
            help="Bucketized releases, csv and parquet: the rows with their groups, or the values of each group.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="The file to write. Default: standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    raw: options.RawOption = False,
    json: Annotated[
        bool, typer.Option("--json", help="With -o: print what was written as JSON. (--to jsonl writes JSON lines.)")
    ] = False,
) -> None:
    """Write a release as JSON lines, CSV, FIMI-like text or Parquet."""
    from shoal.io.export.exported import Format
    from shoal.io.manifest import require_outside_releases
    from shoal.io.release_folder import read_release

    if json and out is None:
        raise InputError("--json and the release cannot both go to standard output: give -o FILE, or leave out --json")
    require_csv(raw, is_csv=to is Target.csv)
    if out:
        require_outside_releases(out)
        if out.exists() and not force:
            raise InputError(f"{out} exists already; choose another name, or --force to replace it")
    published = read_release(release)
    reader = published.reader()
    if not reader.halved_in:
        refuse(context, ("part",), SHAPES[published.shape].called)
    part_name = None if part is None else part.value
    exported = reader.export(Format(to.value, part_name, raw))
    for text in exported.notes:
        note(text)
    if out is None:
        exported.write(sys.stdout.buffer)
        _say_what_was_escaped(exported, raw=raw)
        sys.stdout.buffer.flush()
        return
    with atomic_file(out) as file:
        exported.write(file)
        _say_what_was_escaped(exported, raw=raw)
    if json:
        result_json({"file": str(out), "format": to.value, "part": part_name})
    else:
        note(f"wrote {out}")


def _say_what_was_escaped(exported: Export, *, raw: bool) -> None:
    if exported.formulas is not None:
        say_what_was_escaped(exported.formulas(), exported.texts, raw=raw)
