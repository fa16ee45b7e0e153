"""``shoal verify``: does this folder keep what it promises?"""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import evidence, options
from shoal.cli.terminal import progress_bar, result, result_json
from shoal.errors import DamagedRelease


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
    json: options.JsonOption = False,
) -> None:
    """Check from the published folder alone whether a release keeps its promise. Exit code 1: it does not."""
    from shoal import pipeline
    from shoal.io.release_folder import table_columns

    try:
        columns = table_columns(release)
    except DamagedRelease:
        verdict = pipeline.verify(release)  # which says what is wrong; nothing else is needed for that
    else:
        with progress_bar() as progress:
            if columns is None:
                evidence.refuse_about_tables(context, release)
                given = evidence.read_basket_evidence(original, hierarchy, complete, format, separator, long, column)
                verdict = pipeline.verify(
                    release, original=given.original, hierarchy=given.hierarchy, progress=progress
                )
            else:
                evidence.refuse(context, evidence.BASKETS, "a release of a table")
                found = evidence.read_evidence(
                    columns, original, rules, hierarchy, separator, column_names, missing, complete
                )
                verdict = pipeline.verify(
                    release,
                    original=found.original,
                    background=found.background,
                    hierarchies=found.hierarchies,
                    progress=progress,
                )
    if json:
        result_json(verdict.as_dict())
    else:
        result(str(verdict))
    if not verdict.holds:
        raise typer.Exit(1)
