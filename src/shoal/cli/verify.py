"""``shoal verify``: does this folder keep what it promises?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import evidence, options
from shoal.cli.leftovers import leftovers_as_dict, warn_of_leftovers
from shoal.cli.terminal import progress_bar, result, result_json
from shoal.errors import DamagedRelease

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.audit.verdict import Verdict
    from shoal.io.release_folder import OpenRelease


def verify(
    context: typer.Context,
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
    rules: evidence.RulesOption = None,
    hierarchy: evidence.HierarchyOption = None,
    complete: evidence.CompleteOption = False,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    trusted: Annotated[
        bool,
        typer.Option(
            "--trusted", help="The folder is your own: decode its files in this process, not in one of their own."
        ),
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Check from the published folder alone whether a release keeps its promise. Exit code 1: it does not."""
    from shoal.io.release_folder import opened

    left = warn_of_leftovers(release)
    with opened(release, trusted=trusted) as folder:
        verdict = _verdict(
            context,
            folder,
            original,
            rules,
            hierarchy,
            complete,
            format,
            separator,
            long,
            column,
            column_names,
            missing,
        )
    if json:
        result_json({**verdict.as_dict(), **leftovers_as_dict(left)})
    else:
        result(str(verdict))
    if not verdict.holds:
        raise typer.Exit(1)


def _verdict(
    context: typer.Context,
    folder: OpenRelease,
    original: str | None,
    rules: Path | None,
    hierarchy: list[str] | None,
    complete: bool,
    format: options.Format,
    separator: str | None,
    long: str | None,
    column: str | None,
    column_names: str | None,
    missing: options.Missing,
) -> Verdict:
    from shoal import pipeline

    try:
        columns = folder.columns
    except DamagedRelease:
        return pipeline.verify(folder)  # which says what is wrong; nothing else is needed for that
    with progress_bar() as progress:
        if columns is None:
            evidence.refuse_about_tables(context, folder)
            given = evidence.read_basket_evidence(original, hierarchy, complete, format, separator, long, column)
            return pipeline.verify(folder, original=given.original, hierarchy=given.hierarchy, progress=progress)
        evidence.refuse(context, evidence.BASKETS, "a release of a table")
        found = evidence.read_evidence(columns, original, rules, hierarchy, separator, column_names, missing, complete)
        return pipeline.verify(
            folder,
            original=found.original,
            background=found.background,
            hierarchies=found.hierarchies,
            progress=progress,
        )
