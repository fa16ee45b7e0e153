"""``shoal sweep``: measure the cost of each step of privacy, and find the knee."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.report.written import ChartsOption, ReportOption
from shoal.cli.study import data as study_data
from shoal.cli.terminal import progress_bar, result, result_json
from shoal.kernels.needed import require_numba
from shoal.methods import METHODS
from shoal.run import Run


def sweep(
    source: study_data.StudySource,
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="One method, as shoal compare names it.")],
    out: Annotated[Path, study_data.KEPT],
    settings: dict[str, Any],
    measured: study_data.Measured,
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss",
            metavar="METRIC",
            help="The metric shown in the map. Default: 'pairs kept' for baskets; 'query error' for tables, or NCP.",
        ),
    ] = None,
    force: study_data.ForceOption = False,
    report: ReportOption = None,
    charts: ChartsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Publish the same data by one method with every setting of a grid, and draw the risk-utility map.

    Every point is verified and measured as in shoal compare. Numbers are kept, not releases: several releases of the
    same people undo each other. Exit code 3: no setting is possible; 4: one failed because of a bug in Shoal.
    """
    from shoal.study import losses
    from shoal.study import sweep as study

    # Fail early, before a large file is read.
    study_data.check_report(report, charts, force=force)
    items = source.sensitive_items
    named = METHODS.get(method.strip())
    source.refuse_others(sensitive_items=bool(items) and named is not None and "sensitive" in named.parameters)
    grid = {**settings, **({"sensitive": items} if items else {})}
    study.jobs_of_grid(method, grid, source.about, measured.seed)
    losses.require_loss(loss, source.about)
    require_numba()
    with study_data.keeping_numbers(out), progress_bar() as progress:
        data, trees = source.read(progress)
        found = study.sweep(
            data,
            method,
            grid,
            folder=out,
            hierarchy=trees,
            loss=loss,
            top=measured.top,
            min_support=measured.min_support,
            force=force,
            run=Run(progress=progress, chance=measured.seed),
        )
    said, told = study_data.report_on(found, source.file, report, charts, force=force)
    study_data.say_what_was_done_before(found.resumed)
    if json:
        result_json({**found.as_dict(), **told})
    else:
        study_data.say_what_was_made(found.made, source.about)
        result(str(found))
        study_data.say_where_numbers_are(out, said)
    if found.exit_code:
        raise typer.Exit(found.exit_code)
