"""Where a report and its charts go: the options that commands share, and what they do."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.terminal import Progress, warn

if TYPE_CHECKING:
    from shoal.reporting.page import Report

ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Also write a report: one HTML page with charts. It shows facts about the original: do not publish it.",
    ),
]
ChartsOption = Annotated[
    Path | None,
    typer.Option(
        "--charts", metavar="FOLDER", help="Write every chart of the report as PNG, SVG and Vega-Lite with its data."
    ),
]
PublicOption = Annotated[
    bool,
    typer.Option("--public", help="Make the report and the charts from the published folder alone."),
]


@dataclass(frozen=True)
class Written:
    """Files that a report goes to."""

    page: Path | None
    charts: Path | None
    force: bool

    def check(self) -> None:
        """Say at once what is wrong, before anything is computed."""
        from shoal.reporting.drawing import require_packages
        from shoal.reporting.saving import require_folder, require_free

        require_packages()
        if self.page is not None:
            require_free(self.page, force=self.force)
        if self.charts is not None:
            require_folder(self.charts)

    def write(self, report: Report, progress: Progress) -> str:
        """Write what was asked for; returns a sentence that says what and where."""
        said = []
        progress("draw", 0, 1)
        # Which files charts go to is known only now: if one of them is there, nothing is written.
        files = [] if self.charts is None else report.save_charts(self.charts, force=self.force)
        if self.page is not None:
            self._save(report, self.page)
            said.append(f"{report.audience} report in {self.page}")
        if self.charts is not None:
            said.append(f"{len(files)} files of its {len(report.charts)} charts in {self.charts}")
        progress("draw", 1, 1)
        return ", ".join(said)

    def _save(self, report: Report, page: Path) -> None:
        """Write the page, and say what is missing on it."""
        from shoal.reporting.html import NoCharts

        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", NoCharts)
            report.save(page, force=self.force)
        for warning in heard:
            warn(str(warning.message))

    @property
    def told(self) -> dict[str, object]:
        """The same for JSON."""
        return {
            **({} if self.page is None else {"report": str(self.page)}),
            **({} if self.charts is None else {"charts": str(self.charts)}),
        }
