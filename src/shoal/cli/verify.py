"""``shoal verify``: does this folder keep what it promises?"""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import evidence, options
from shoal.cli.basket_reading import Reading
from shoal.cli.leftovers import leftovers_as_dict, warn_of_leftovers
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import progress_bar, result, result_json
from shoal.errors import DamagedRelease
from shoal.run import Run


@grouped
def verify(
    context: typer.Context,
    release: options.ReleaseArgument,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="FILE",
            help="The original data: also check that nothing was added or lost.",
        ),
    ] = None,
    *,
    reading: Reading,
    rules: evidence.RulesOption = None,
    hierarchies: evidence.Hierarchies,
    tables: evidence.TableReading,
    trusted: Annotated[
        bool,
        typer.Option(
            "--trusted", help="The folder is your own: decode its files in this process, not in a separate one."
        ),
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Check from the published folder alone whether a release keeps its promise. Exit code 1: it does not."""
    from shoal import pipeline
    from shoal.io.release_folder import open_release

    left = warn_of_leftovers(release)
    given = evidence.Given(original, rules, hierarchies, reading, tables)
    with open_release(release, trusted=trusted) as folder:
        try:
            _ = folder.columns
        except DamagedRelease:
            verdict = pipeline.verify(folder)  # which says what is wrong; nothing else is needed for that
        else:
            with progress_bar() as progress:
                verdict = pipeline.verify(folder, given.read(context, folder), run=Run(progress=progress))
    if json:
        result_json({**verdict.as_dict(), **leftovers_as_dict(left)})
    else:
        result(str(verdict))
    if not verdict.holds:
        raise typer.Exit(1)
