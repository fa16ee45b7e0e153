"""``--report``, ``--charts`` and ``--public`` of publishing commands: a report on the published release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from shoal.cli.publish.plans import plain_value
from shoal.cli.publish.publishing import Acted, AfterPublishing, Published
from shoal.cli.report.written import ChartsOption, PublicOption, ReportOption, Written
from shoal.cli.terminal import Progress, kernel_work
from shoal.errors import InputError
from shoal.io.manifest import require_outside_releases
from shoal.io.opening import as_text
from shoal.run import Run


class ReportPublished(AfterPublishing):
    """Write a report on the release as written to its folder, compared with the data as read."""

    parameters: ClassVar = {
        "report": (ReportOption, None),
        "charts": (ChartsOption, None),
        "public": (PublicOption, False),
    }
    wants_data = True

    def check(self, values: Mapping[str, Any], out: Path, *, force: bool) -> bool:
        """Refuse files that exist, or would be published."""
        if values["report"] is None and values["charts"] is None:
            if values["public"]:
                raise InputError("--public limits what a report shows: add --report FILE or --charts FOLDER")
            return False
        for path in (values["report"], values["charts"]):
            if path is not None:
                require_outside_releases(path, out)
        Written(values["report"], values["charts"], force).check()
        return True

    def act(self, values: Mapping[str, Any], published: Published, progress: Progress, *, force: bool) -> Acted:
        """Make the report, and write it."""
        public = values["public"]
        to = Written(values["report"], values["charts"], force)
        try:
            with kernel_work(progress) as step:
                from shoal.reporting.release_report import release_report

                found = release_report(
                    published.out,
                    None if public else published.data,
                    hierarchy=None if public else published.hierarchies,
                    background=None if public else getattr(published.release, "background", None),
                    source=None if public else published.source.file,
                    choices=None if public else _in_words(published),
                    run=Run(progress=step),
                )
                said = to.write(found, step)
        except InputError as error:
            raise InputError(f"the release was published, but no report was written: {error}") from None
        return Acted(said, to.told)


def _in_words(published: Published) -> dict[str, str]:
    """The method and the given options, in the form that a reader wants: files by their names alone."""
    given = {
        f"--{choice.name}": as_text(_text(plain_value(choice, lambda file: Path(file).name)))
        for choice in published.choices
    }
    return {"method": published.method, **given}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
