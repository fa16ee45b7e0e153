"""``shoal advise``: recommend a method and its parameters for a need."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.study import data as study_data
from shoal.cli.terminal import progress_bar, result, result_json
from shoal.kernels.needed import require_numba
from shoal.run import Run


class Purpose(StrEnum):
    """What a release is for."""

    mining = "mining"
    counting = "counting"


def advise(
    source: study_data.StudySource,
    settings: dict[str, Any],
    measured: study_data.Measured,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="A,B",
            help="identity: finding a person's record; attributes: learning what a person has; anything: whatever else "
            "the adversary knows. Several are comma-separated.",
        ),
    ] = "identity",
    exact_items: Annotated[
        bool,
        typer.Option(
            "--exact-items/--any-items", help="Whether items and values must be published without generalization."
        ),
    ] = False,
    purpose: Annotated[
        Purpose, typer.Option("--for", help="mining: judged by frequent itemsets or rules; counting: by counts.")
    ] = Purpose.mining,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="Size of the sample. Default: 20,000 baskets, 10,000 table rows."),
    ] = None,
    out: Annotated[Path | None, study_data.KEPT] = None,
    force: study_data.ForceOption = False,
    json: options.JsonOption = False,
) -> None:
    """Recommend a method and its parameters for a stated need, by numbers measured on (a sample of) the data.

    The output says why each other method was not recommended, what the promise does not cover, and the command to
    run. Only numbers are kept. Exit code 3: nothing can be recommended.
    """
    from shoal.study import advise as study

    source.refuse_others(sensitive_items=True)
    # Fail early, before a large file is read.
    items = source.sensitive_items
    needs = study.needs_of(against, exact_items=exact_items, purpose=purpose.value)
    study.jobs_of_needs(needs, source.about, settings, items, measured.seed)
    if source.about == "tables":
        study.require_sensitive(needs, there=bool(source.sensitive))
    require_numba()
    with study_data.keeping_numbers(out), progress_bar() as progress:
        data, trees = source.read(progress)
        found = study.advise(
            data,
            needs,
            sensitive=items,
            sample=sample,
            folder=out,
            hierarchy=trees,
            **settings,
            top=measured.top,
            min_support=measured.min_support,
            force=force,
            run=Run(progress=progress, chance=measured.seed),
        )
    study_data.say_what_was_done_before(found.resumed)
    command = found.command(source.as_typed, source.hierarchies_as_typed)
    if json:
        result_json({**found.as_dict(), "command": command})
    else:
        study_data.say_what_was_made(found.made, source.about)
        result(str(found))
        if command:
            result()
            result("to publish:")
            result(command)
        if out is not None:
            study_data.say_where_numbers_are(out)
    if found.exit_code:
        raise typer.Exit(found.exit_code)
