"""``shoal report``: a one-page HTML report on a release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import evidence, options
from shoal.cli.basket_reading import Reading
from shoal.cli.option_groups import grouped
from shoal.cli.report.written import ChartsOption, PublicOption, Written
from shoal.cli.terminal import kernel_work, note, progress_bar, result, result_json, warn
from shoal.errors import InputError
from shoal.run import Run

_READING = ("format", "separator", "long", "column", "hierarchy", "complete", "column_names", "missing")
"""Parameters about the original."""


@dataclass(frozen=True)
class Page:
    """Where the page and its charts go, and who may read them."""

    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Where to write the page.")] = Path(
        "report.html"
    )
    public: PublicOption = False
    charts: ChartsOption = None
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there already.")] = False


@grouped
def report(
    context: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="[ORIGINAL] RELEASE",
            help="The data that were published, and the folder of the release. With --public the folder alone.",
        ),
    ],
    *,
    page: Page,
    rules: evidence.RulesOption = None,
    hierarchies: evidence.Hierarchies,
    reading: Reading,
    tables: evidence.TableReading,
    json: options.JsonOption = False,
) -> None:
    """Write a one-page HTML report on a release, with charts.

    It shows what is promised and what is not, whether the promise is kept, the risks before and after publishing, what
    publishing cost, and how to read the release. A report with the original is internal, and says so on every page. A
    report with --public uses the published folder alone. --json prints the report as data. Exit code 1: the release
    does not keep its promise, and the report says where.
    """
    if len(paths) > 2:
        raise InputError(f"shoal report takes an original and a release, and {len(paths)} names are given")
    release, original = Path(paths[-1]), paths[0] if len(paths) == 2 else None
    if original is None and release.is_file():
        raise InputError(
            f"{release} is a file: give the folder of the release, too, as in shoal report {release} release"
        )
    if original is None and not page.public:
        raise InputError(
            f"give the original, too, as in shoal report baskets.dat {release}; or --public, for a report that "
            "uses the published folder alone"
        )
    if page.public:
        evidence.refuse(context, _READING, "a public report, which does not read the original")
        if original is not None:
            note(f"note: {original} is not read: a public report uses the published folder alone")
        original = None
    to = Written(page.out, page.charts, page.force)
    to.check()
    from shoal.io.release_folder import open_release
    from shoal.release.evidence import NOTHING

    given = evidence.Given(original, rules, hierarchies, reading, tables)
    with open_release(release) as folder, progress_bar() as progress, kernel_work(progress) as step:
        from shoal.reporting.release_report import report_with

        beside = NOTHING if page.public else given.read(context, folder)
        found = report_with(folder, beside, source=original, run=Run(progress=step))
        said = to.write(found, step)
    if json:
        result_json({**found.as_dict(), **to.told})
    else:
        result(said)
    if found.audience == "internal":
        note("note: this report shows facts about the original: keep it internal. --public makes one to pass on.")
    if found.alarms:
        warn(f"warning: {release} does not keep its promise: {found.keys[0].value}; the report says where")
        raise typer.Exit(1)
