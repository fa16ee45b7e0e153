"""The reference pages that are made while building: every command, method, parameter and Python name.

Nothing is listed by hand, so that a new command, option or name is in the next build.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

import shoal

GROUPS = {
    "read": ("shoal.io", "shoal.data", "shoal.generate"),
    "publish": ("shoal.publish",),
    "releases": ("shoal.release",),
    "verify": ("shoal.pipeline.verifying", "shoal.pipeline.attacking", "shoal.audit"),
    "measure": ("shoal.measuring", "shoal.pipeline.measuring", "shoal.pipeline.risk", "shoal.pipeline.privacy"),
    "analyse": ("shoal.analyse", "shoal.mining", "shoal.pipeline.asking"),
    "study": ("shoal.study",),
    "promises": ("shoal.promises",),
    "errors": ("shoal.errors",),
    "more": (),
}
"""Pages of the Python reference, and where the names on each live; what lives elsewhere is on the last one."""


_NOT_LISTED = ("MEMBERSHIPS", "BucketPromise", "KmPromise")
"""What modules use, and users need not name."""


# --- the commands ----------------------------------------------------------------------------------------------------


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Every command that can be run, with its whole name and its context, as ``shoal --help`` lists them."""
    import typer

    from shoal.cli.main import app

    top = typer.main.get_command(app)
    yield from _below("shoal", top, top.context_class(top, info_name="shoal"))


def _below(name: str, group: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    for part in group.list_commands(context):
        command = group.get_command(context, part)
        inner = command.context_class(command, info_name=part, parent=context)
        if hasattr(command, "list_commands"):
            yield from _below(f"{name} {part}", command, inner)
        else:
            yield f"{name} {part}", command, inner


def commands_page() -> str:
    """A section for each command: what it does, how it is called, its options, and what its help ends with."""
    parts = []
    for name, command, context in commands():
        parts.append(f"\n## {name}\n\n{_prose(command.help or '')}\n")
        parts.append(f"```text\n{' '.join([name, *command.collect_usage_pieces(context)])}\n```\n")
        records = [record for param in command.get_params(context) if (record := param.get_help_record(context))]
        parts.append("| | |\n|---|---|")
        parts.extend(f"| {_code(option)} | {_cell(words)} |" for option, words in records)
        ending = _epilog(command, context)
        if ending:
            parts.append(f"\n```text\n{ending}\n```")
        parts.append("")
    return "\n".join(parts)


def _prose(text: str) -> str:
    """The help of a command, paragraph by paragraph; what is marked as drawn by hand stays as it is drawn."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.replace("\f", "").strip()):
        if "\b" in paragraph:
            paragraphs.append("```text\n" + paragraph.replace("\b", "").strip("\n") + "\n```")
        else:
            paragraphs.append(_escape(" ".join(paragraph.split())))
    return "\n\n".join(paragraphs)


def _epilog(command: Any, context: Any) -> str:
    formatter = context.make_formatter()
    formatter.width = 100
    command.format_epilog(context, formatter)
    lines = formatter.getvalue().strip("\n").splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:].rstrip() for line in lines)


def _code(option: str) -> str:
    return "`" + option.replace("|", r"\|") + "`"


def _cell(words: str) -> str:
    return _escape(" ".join(words.split())).replace("|", r"\|")


def _escape(text: str) -> str:
    return re.sub(r"([*_<>\[\]{}$`])", r"\\\1", text)


# --- the methods and their parameters --------------------------------------------------------------------------------


def methods_page() -> str:
    """What each method promises, whom it serves and what it takes; then every parameter, with its range."""
    from shoal.methods import methods_about
    from shoal.parameters import PARAMETERS

    parts = []
    for about, title in (("baskets", "Baskets"), ("tables", "Tables")):
        heads = ("method", "command", "what it promises", "made for", "parameters")
        rows = [
            (
                _code(method.name),
                _code(" ".join(["shoal publish", method.published_by, *method.words])),
                _cell(method.promised),
                ", ".join(sorted(method.serves)),
                ", ".join(map(_code, method.parameters)),
            )
            for method in methods_about(about)
        ]
        parts.append(f"\n## {title}\n\n{_table(heads, rows)}")
    heads = ("parameter", "option", "what it says", "range", "default", "promises more")
    rows = [
        (
            _code(one.name),
            _code(", ".join(one.flags)),
            _cell(one.help),
            _cell(f"{one.range} {one.unit}".strip()),
            _cell(one.default_text),
            {"more": "the greater", "less": "the smaller", "": ""}[one.stronger],
        )
        for one in PARAMETERS.values()
    ]
    parts.append(f"\n## Parameters\n\n{_table(heads, rows)}")
    return "\n".join(parts)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(heads), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


# --- the Python names ------------------------------------------------------------------------------------------------


def names_of(group: str) -> list[str]:
    """The public names on a page: functions first, each kind in the order of the alphabet."""
    homes = public_homes()
    if GROUPS[group]:
        found = [name for name, home in homes.items() if home.startswith(GROUPS[group])]
    else:
        known = tuple(prefix for prefixes in GROUPS.values() for prefix in prefixes)
        found = [name for name, home in homes.items() if not home.startswith(known)]
    return sorted(found, key=lambda name: (isinstance(_named(name), type), name))


def public_homes() -> dict[str, str]:
    """Where each public name lives: those of ``shoal``, and those of its modules of errors, promises and results."""
    homes = {name: shoal._HOMES[name] for name in shoal.__all__}
    for module in (shoal.errors, shoal.promises):
        last = module.__name__.rpartition(".")[2]
        homes |= {f"{last}.{name}": module.__name__ for name in module.__all__ if name not in _NOT_LISTED}
    return homes | {f"results.{name}": shoal.results._HOMES[name] for name in shoal.results.__all__}


def _named(name: str) -> Any:
    """What has a public name."""
    return attrgetter(name)(shoal)


def names_page(group: str) -> str:
    """What autodoc makes of the names of a group."""
    lines = ["\n```{eval-rst}\n.. currentmodule:: shoal\n"]
    for name in names_of(group):
        value = _named(name)
        if isinstance(value, type):
            lines.append(f".. autoclass:: shoal.{name}\n   :members:\n")
        elif callable(value):
            lines.append(f".. autofunction:: shoal.{name}\n")
        else:
            lines.append(f".. autodata:: shoal.{name}\n")
    if len(lines) == 1:
        return "\nThere are none.\n"
    return "\n".join([*lines, "```\n"])


def public_target(target: str) -> str | None:
    """The public name of what is called by where it is defined, if it has one."""
    last = target.rpartition(".")[2]
    found = next((f"shoal.{name}" for name in public_homes() if name.rpartition(".")[2] == last), None)
    return None if found == target else found


def _names(group: str) -> Callable[[], str]:
    return lambda: names_page(group)


PAGES: dict[str, Callable[[], str]] = {
    "reference/commands": commands_page,
    "reference/methods": methods_page,
    **{f"reference/api/{group}": _names(group) for group in GROUPS},
}
"""What is added to which page."""
