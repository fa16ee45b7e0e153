"""``shoal compare``: compare what the methods keep of a data set, and what they cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.report.written import ChartsOption, ReportOption
from shoal.cli.study import data as study_data
from shoal.cli.terminal import progress_bar, result, result_json
from shoal.kernels.needed import require_numba
from shoal.run import Run


def compare(
    source: study_data.StudySource,
    out: Annotated[Path, study_data.KEPT],
    settings: dict[str, Any],
    measured: study_data.Measured,
    methods: Annotated[
        str, typer.Option("--methods", metavar="A,B", help="Comma-separated names, or all for these data.")
    ] = "all",
    keep_releases: Annotated[
        bool,
        typer.Option("--keep-releases", help="Also keep the releases, each marked as not to be published."),
    ] = False,
    force: study_data.ForceOption = False,
    report: ReportOption = None,
    charts: ChartsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Publish the same data by several methods, verify and measure each release, and print one table.

    Numbers are kept, not releases: several releases of the same people undo each other. Exit code 3: no method can
    publish these data with these settings; 4: a method failed because of a bug in Shoal, the others are shown.
    """
    from shoal.study import compare as study

    # Fail early, before a large file is read.
    study_data.check_report(report, charts, force=force)
    source.refuse_others(sensitive_items=True)
    settings |= {"sensitive": source.sensitive_items} if source.sensitive_items else {}
    study.jobs_of(methods, source.about, settings, measured.seed)
    require_numba()
    with study_data.keeping_numbers(out), progress_bar() as progress:
        data, trees = source.read(progress)
        comparison = study.compare(
            data,
            methods=methods,
            folder=out,
            hierarchy=trees,
            **settings,
            top=measured.top,
            min_support=measured.min_support,
            keep_releases=keep_releases,
            force=force,
            run=Run(progress=progress, chance=measured.seed),
        )
    said, told = study_data.report_on(comparison, source.file, report, charts, force=force)
    study_data.say_what_was_done_before(comparison.resumed)
    if json:
        result_json({**comparison.as_dict(), **told})
    else:
        study_data.say_what_was_made(comparison.made, source.about)
        result(str(comparison))
        kept = f"; releases, none of which may be published, in {out / 'releases'}" if keep_releases else ""
        study_data.say_where_numbers_are(out, f"{kept}{said}")
    if comparison.exit_code:
        raise typer.Exit(comparison.exit_code)
