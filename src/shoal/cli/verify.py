"""``shoal verify``: does this folder keep what it promises?"""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import progress_bar, result, result_json


def verify(
    release: options.ReleaseArgument,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="FILE",
            help="The data it was made from: check also that nothing was invented or lost.",
        ),
    ] = None,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    json: options.JsonOption = False,
) -> None:
    """Check from the published folder alone whether a release keeps its promise. Exit code 1: it does not."""
    from shoal import pipeline

    data = None if original is None else options.read_baskets(original, format, separator, long, column)
    with progress_bar() as progress:
        verdict = pipeline.verify(release, original=data, progress=progress)
    if json:
        result_json(verdict.as_dict())
    else:
        result(str(verdict))
    if not verdict.holds:
        raise typer.Exit(1)
