"""``--keep-trace``: save which record went to which cluster, after publishing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from shoal.cli.publish.publishing import Acted, AfterPublishing, Published
from shoal.cli.terminal import Progress
from shoal.errors import InputError

KeepTraceOption = Annotated[
    Path | None,
    typer.Option(
        "--keep-trace",
        metavar="FILE",
        help="Save which record went to which cluster, readable only by you, for shoal measure --trace and shoal "
        "attack --trace. It undoes the release: protect it like the original, and never publish it.",
    ),
]


class KeepTrace(AfterPublishing):
    """Write the trace of the release."""

    parameters: ClassVar = {"keep_trace": (KeepTraceOption, None)}

    def check(self, values: Mapping[str, Any], out: Path, *, force: bool) -> bool:
        """Refuse a file that exists, or would be published."""
        from shoal.io.traces import require_place

        place: Path | None = values["keep_trace"]
        if place is None:
            return False
        if str(place) == "-":
            raise InputError("--keep-trace is -, which is not a place for a trace: name a file")
        if place.exists() and not force:
            raise InputError(f"{place} exists already; choose another name, or --force to replace it (--keep-trace)")
        require_place(place, out, force=force)
        return True

    def act(self, values: Mapping[str, Any], published: Published, progress: Progress, *, force: bool) -> Acted:
        """Write it."""
        del progress
        place: Path = values["keep_trace"]
        try:
            published.trace.write(place, force=force)
        except InputError as error:
            raise InputError(f"the release was published, but no trace was saved: {error}") from None
        sentence = f"the trace is in {place}, as sensitive as the original; use it with: shoal measure --trace {place}"
        return Acted(sentence, {"trace": str(place)})
