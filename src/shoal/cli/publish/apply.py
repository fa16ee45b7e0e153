"""``shoal apply``: publish other data as a plan says, with the command that saved the plan."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.publish.plans import COLUMN_FILE, Plan, in_column_file, read_plan
from shoal.cli.publish.publishing import WARNINGS, ThreadsOption, not_in_plans, with_publishing_options
from shoal.cli.publish.traces import KeepTraceOption
from shoal.cli.terminal import warn
from shoal.errors import InputError
from shoal.io.manifest import MANIFEST
from shoal.quoting import shown
from shoal.suggestions import did_you_mean

_ALONE = (
    "the promise is about this release alone. If people of an earlier release are in these data too, no promise covers "
    "what the two releases show together: anyone who holds both can rule out all that is not possible in both. Publish "
    "only records of people who are in no earlier release, or replace the earlier release by one of all records; "
    "copies of the earlier one remain."
)
_BUDGETS = (
    "budgets of differential privacy add up: a person in several releases is protected only by the sum of the epsilons."
)


def _apply(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan written by shoal publish METHOD --save-plan.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="The data to publish; '-' reads standard input.")],
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    keep_trace: KeepTraceOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Publish data with a saved plan: the same method and options, and verified again from disk.

    The options that say how to read the file, and others that a plan does not hold, can be given here. The promise is
    about this release alone: it does not cover people who are also in another release.
    """


def _run(*, context: typer.Context, plan: Path, file: str, out: Path, force: bool, **_others: Any) -> None:
    from shoal.cli.commands import COMMANDS, Commands, Group

    group = COMMANDS["publish"]
    assert isinstance(group, Group)
    found = read_plan(plan, group.commands)
    command = Commands(name="publish", known=group.commands, silent=group.silent).get_command(context, found.method)
    known = {text for parameter in command.params for text in parameter.opts}
    given = list(_given(context, known, found.method))
    here = {text for parameter in context.command.params for text in parameter.opts}
    words = [*_planned(found, command, here), *given, "--", file]  # if an option is repeated, the last one counts
    context.meta[WARNINGS] = list(_warnings(found, out, force=force))
    for warning in context.meta[WARNINGS]:
        warn(f"warning: {warning}")
    try:
        inside = command.make_context(f"publish {found.method}", words, parent=context.parent)
    except Exception as error:
        said = getattr(error, "format_message", None)  # the parser's words, for a usage error
        if said is None:
            raise
        raise InputError(f"{plan}: {said()} (shoal publish {found.method} --help explains the options)") from None
    with inside:
        command.invoke(inside)


apply = with_publishing_options(_apply, _run)


def _warnings(plan: Plan, out: Path, *, force: bool) -> Iterator[str]:
    yield _ALONE
    if {"epsilon", "max-basket"} & plan.choices.keys():
        yield _BUDGETS
    if force and (out / MANIFEST).exists():
        yield f"the release in {out} is replaced: anyone who has a copy of it holds both."


def _given(context: typer.Context, known: set[str], method: str) -> Iterator[str]:
    """The options given here, as words for the publishing command."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.param_type_name != "option" or source is None or source.name != "COMMANDLINE":
            continue
        name = next(text for text in parameter.opts if text.startswith("--"))
        if name not in known:
            raise InputError(f"{name} is not an option of shoal publish {method}: remove it")
        yield from _words(parameter, context.params[parameter.name or ""])


def _planned(plan: Plan, command: Any, here: set[str]) -> Iterator[str]:
    """The options of a plan, as words for the command; some options that a plan does not hold can be given here."""
    known = {
        text.removeprefix("--"): parameter
        for parameter in command.params
        for text in parameter.opts
        if text.startswith("--") and parameter.name not in not_in_plans()
    }
    for name, value in plan.choices.items():
        if name not in known:
            if any(f"--{name}" in parameter.opts for parameter in command.params):
                instead = f"give --{name} to shoal apply if you need it" if f"--{name}" in here else "remove it"
                raise InputError(f"{plan.path}: {name} is not part of a plan: {instead}")
            meant = did_you_mean(name, known)
            raise InputError(
                f"{plan.path}: {shown(name)} is not an option of {plan.method}{meant}: shoal publish {plan.method} "
                "--help lists them"
            )
        parameter = known[name]
        _require_kind(plan, name, value, command.kinds[parameter.name])
        yield from _words(parameter, _with_files(plan, name, value, parameter.metavar, command.kinds[parameter.name]))


def _words(parameter: Any, value: Any) -> list[str]:
    name = next(text for text in parameter.opts if text.startswith("--"))
    if isinstance(value, bool):
        return [name] if value else list(parameter.secondary_opts[:1])
    values = value if isinstance(value, list | tuple) else [value]
    return [f"{name}={one.value if isinstance(one, Enum) else one}" for one in values]


def _require_kind(plan: Plan, name: str, value: Any, kind: Any) -> None:
    """Refuse a value whose type the option does not take."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    known = [one.value for one in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
    fits, wanted = {
        bool: (isinstance(value, bool), "true or false"),
        int: (is_number, "a whole number, as in 5"),
        float: (is_number or isinstance(value, float), "a number, as in 0.5"),
        list[str]: (
            isinstance(value, list) and all(isinstance(one, str) for one in value),
            'a list of texts, as in ["a", "b"]',
        ),
    }.get(kind, (isinstance(value, str), 'a text, as in "a"'))
    if known and value not in known:
        meant = did_you_mean(str(value), known)
        raise InputError(f"{plan.path}: {name} is {shown(value)}{meant}: it must be one of {', '.join(known)}")
    if not fits:
        raise InputError(f"{plan.path}: {name} is {shown(value)}: it must be {wanted}")


def _with_files(plan: Plan, name: str, value: Any, metavar: str | None, kind: Any) -> Any:
    """A value whose files are resolved from here."""

    def found(file: str) -> str:
        place = plan.path.parent / file
        if not place.exists():
            raise InputError(
                f"{plan.path}: {name} names {file}, and there is no {place}: put it there, or edit the plan"
            )
        return str(place)

    if kind is Path:
        return found(value)
    if metavar == COLUMN_FILE:
        return [in_column_file(text, found) for text in value]
    return value
