"""``shoal advise``: which method, with which numbers, for this need?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.study_data import HierarchyOption, SensitiveOption, StudySource, made_note, saying_how_to_go_on
from shoal.cli.terminal import note, progress_bar, result, result_json


class Purpose(StrEnum):
    """What a release is for."""

    mining = "mining"
    counting = "counting"


def advise(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Baskets or, with --quasi, a table; '-' reads standard input.")
    ],
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="A,B",
            help="identity: that a person's record is found; attributes: that it is learnt what they have; anything: "
            "whatever else is known. Several are parted by commas.",
        ),
    ] = "identity",
    exact_items: Annotated[
        bool,
        typer.Option("--exact-items/--any-items", help="Whether items and values must be published as they are."),
    ] = False,
    purpose: Annotated[
        Purpose, typer.Option("--for", help="mining: judged by frequent itemsets or rules; counting: by counts.")
    ] = Purpose.mining,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", help="Records looked at. Default: 20,000 of baskets, 10,000 of tables."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FOLDER", help="Where numbers are kept as they come. The same command goes on there."
        ),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", "--k", help="If you know it: it is not advised on then.")] = None,
    m: Annotated[
        int | None, typer.Option("-m", "--m", help="Baskets: items of a record that others may know. Default: 2.")
    ] = None,
    l: Annotated[  # noqa: E741  (the literature's name)
        int | None, typer.Option("-l", "--l", help="If you know it: it is not advised on then.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", metavar="E", help="If you know it: it is not advised on then.")
    ] = None,
    keep_prob: Annotated[
        float | None, typer.Option("--keep-prob", metavar="P", help="If you know it: it is not advised on then.")
    ] = None,
    quasi: options.QuasiOption = None,
    sensitive: SensitiveOption = None,
    hierarchy: HierarchyOption = None,
    complete: options.CompleteOption = False,
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", help="Baskets: itemsets that are compared. Default: 1000.")
    ] = None,
    min_support: Annotated[
        float | None,
        typer.Option(
            "--min-support", metavar="SHARE", help="From which share on itemsets and rules count. Default: .01."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="For experiments: draw the same sample and chance again.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what another request has left in the folder.")
    ] = False,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    json: options.JsonOption = False,
) -> None:
    """Propose a method and its parameters for a stated need, by numbers measured on (a sample of) the data.

    It says why each other method was not proposed, what the proposed promise does not cover, and ends with the command
    to run. Nothing but numbers is kept. Exit code 3: nothing can be proposed.
    """
    from shoal.study import advise as study

    source = StudySource(
        file, quasi, sensitive, hierarchy, complete, format, separator, long, column, column_names, missing
    )
    source.refuse_others(sensitive_items=True)
    # Say at once what is wrong, before a large file is read.
    items = source.sensitive_items
    needs = study.needs_of(against, exact_items=exact_items, purpose=purpose.value)
    numbers = {"k": k, "m": m, "l": l, "epsilon": epsilon, "keep_prob": keep_prob}
    given: dict[str, Any] = {name: value for name, value in numbers.items() if value is not None}
    study.jobs_of_needs(needs, source.about, given, items, seed)
    if source.about == "tables":
        study.require_sensitive(needs, there=bool(sensitive))
    with saying_how_to_go_on(out), progress_bar() as progress:
        progress("read", 0, 1)
        data, trees = source.read()
        progress("read", 1, 1)
        found = study.advise(
            data,
            against=needs.against,
            exact_items=exact_items,
            purpose=purpose.value,
            sensitive=items,
            sample=sample,
            folder=out,
            hierarchy=trees,
            **given,
            top=top,
            min_support=min_support,
            seed=seed,
            force=force,
            progress=progress,
        )
    if found.resumed:
        note(f"note: done before, and not again: {'; '.join(found.resumed)}")
    command = found.command(source.as_typed, source.hierarchies_as_typed)
    if json:
        result_json({**found.as_dict(), "command": command})
    else:
        if found.made:
            note(made_note(found.made, source.about))
        result(str(found))
        if command:
            result()
            result("to publish so:")
            result(command)
        if out is not None:
            result()
            result(f"numbers are kept in {out}: internal, not for publication")
    if found.exit_code:
        raise typer.Exit(found.exit_code)
