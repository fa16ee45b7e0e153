"""``shoal show``: what was published, as the papers draw it: clusters and chunks, groups, or rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.evidence import refuse
from shoal.cli.terminal import paragraph, result, result_json
from shoal.errors import InputError
from shoal.plural import counted
from shoal.shapes import SHAPES, Shape

if TYPE_CHECKING:
    from shoal.analyse.contents import Contents


def show(
    context: typer.Context,
    release: options.ReleaseArgument,
    cluster: Annotated[int | None, typer.Option("--cluster", metavar="N", help="Show this cluster only.")] = None,
    group: Annotated[int | None, typer.Option("--group", metavar="N", help="Tables: show this group only.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many clusters or groups to show.")] = 5,
    rows: Annotated[
        int,
        typer.Option(
            "--rows",
            metavar="N",
            min=1,
            help="How many different subrecords of a chunk, or rows of a group or of a release of rows, to show.",
        ),
    ] = 20,
    json: options.JsonOption = False,
) -> None:
    """Print what was published: the record chunks and term chunk of each cluster, the shared chunks of joint ones.

    Of a table: the rows of each group, and how often it has each sensitive value; or what the rows of each group agree
    on, and how often it has which sensitive values together. Of baskets that are rows: the first of them.
    """
    from shoal.analyse.contents import Wanted
    from shoal.cli.show.drawing import draw_contents
    from shoal.io.release_folder import read_release

    published = read_release(release)
    shape = SHAPES[published.shape]
    _refuse_idle(context, release, shape, {"cluster": cluster, "group": group})
    asked = group if cluster is None else cluster
    contents = published.reader().show(Wanted(asked, limit, rows))
    promises = [
        promise.words for promise in published.promises
    ]  # in our words: those in the manifest could say anything
    if json:
        result_json({"promises": promises, "counts": published.counts, **contents.as_json})
        return
    for promise in promises:
        paragraph(promise)
    result(f"{contents.summary}\n")
    for part in contents.tables:
        draw_contents(part)
    if contents.closing is not None:
        result(contents.closing)
    if contents.n_hidden and asked is None:
        _say_what_is_hidden(shape, contents)


def _refuse_idle(context: typer.Context, folder: Path, shape: Shape, asked: dict[str, int | None]) -> None:
    """Refuse numbers of parts that such a release does not have."""
    if shape.part == "row":
        refuse(context, (*asked, "limit"), f"{shape.called}, which has rows (--rows N)")
    for part, number in asked.items():
        if number is not None and part != shape.part:
            kind = "baskets" if shape.data == "baskets" else "a table"
            raise InputError(f"{folder} is a release of {kind}, which has {shape.part}s: --{shape.part} {number}")


def _say_what_is_hidden(shape: Shape, contents: Contents) -> None:
    if shape.part == "row":
        result(f"... and {counted(contents.n_hidden, 'more row')} (--rows N)")
        return
    of_groups = f" {shape.part}{'s' if contents.n_hidden > 1 else ''}" if shape.data == "table" else ""
    result(
        f"... and {contents.n_hidden:,} more{of_groups}: --limit {contents.n_parts} shows all of them, "
        f"--{shape.part} N one"
    )
