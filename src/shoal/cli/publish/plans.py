"""Plans: files that hold how a release was published, to publish other data the same way.

A plan holds the method and the options that were given, and nothing about the data. Its file names are relative to its
folder, so that both can be moved together.
"""

from __future__ import annotations

import json
import os
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import typer

from shoal.atomic.files import atomic_file
from shoal.cli.options import HIERARCHY_KINDS
from shoal.cli.publish.publishing import Acted, AfterPublishing, Choice, Published
from shoal.cli.terminal import Progress
from shoal.errors import InputError
from shoal.io.manifest import require_outside_releases
from shoal.io.opening import like_named, small_file
from shoal.links import followed
from shoal.quoting import named, said_by, shown
from shoal.suggestions import did_you_mean

VERSION = 1
_VERSION_KEY = "shoal-plan"
_KEYS = (_VERSION_KEY, "method", "choices")
COLUMN_FILE = "COLUMN=FILE"
"""The metavar of options that name a column and either a file or a way to build the hierarchy."""


SavePlanOption = Annotated[
    Path | None,
    typer.Option(
        "--save-plan",
        metavar="FILE",
        help="Save the method and its options to a TOML file after publishing; shoal apply uses it to publish other "
        "data. The data, -o, --seed, --threads and --keep-trace are not saved.",
    ),
]


class Plan(NamedTuple):
    """A plan as read from its file."""

    path: Path
    method: str
    choices: dict[str, Any]
    """The values by option name, without dashes."""


class SavePlan(AfterPublishing):
    """``--save-plan``: save the choices of this release for ``shoal apply``."""

    parameters: ClassVar = {"save_plan": (SavePlanOption, None)}

    def check(self, values: Mapping[str, Any], out: Path, *, force: bool) -> bool:
        """Refuse a file that exists, or would be published."""
        value: Path | None = values["save_plan"]
        if value is None:
            return False
        require_outside_releases(value, out)
        if value.exists() and not force:
            raise InputError(f"{value} exists already; choose another name, or --force to replace it (--save-plan)")
        if not value.parent.is_dir():
            raise InputError(f"cannot write {value}: there is no folder {value.parent}; make it first (--save-plan)")
        return True

    def act(self, values: Mapping[str, Any], published: Published, progress: Progress, *, force: bool) -> Acted:
        """Write the plan."""
        del progress, force  # it takes no time, and replacing was checked
        value: Path = values["save_plan"]
        text = plan_text(published.method, published.choices, followed(value).parent)
        try:
            written = text.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"the release was published, but no plan was saved: {value} cannot hold what is not text"
            ) from None
        try:
            with atomic_file(value) as file:
                file.write(written)
        except InputError as error:
            raise InputError(f"the release was published, but no plan was saved: {error}") from None
        without = ", without the seed" if getattr(published.release, "reproducible", False) else ""
        sentence = f"the plan is saved in {value}{without}; other data: shoal apply {value} FILE -o FOLDER"
        return Acted(sentence, {"plan": str(value)})


def plan_text(method: str, choices: Iterable[Choice], folder: Path) -> str:
    """A plan as TOML; each option with its help text.

    Args:
        method: the name of the method.
        choices: the options that were given.
        folder: the future folder of the plan.
    """
    lines = [
        "# How a release was published. To publish other data the same way:",
        "#   shoal apply THIS-FILE DATA -o RELEASE",
        f"# The lines below can be edited: the names are those of shoal publish {method} --help, and file names are",
        "# relative to the folder of this file.",
        f"{_VERSION_KEY} = {VERSION}",
        f"method = {toml(method)}",
        "",
        "[choices]",
    ]
    for choice in choices:
        lines += textwrap.wrap(" ".join(choice.help.split()), 118, initial_indent="# ", subsequent_indent="# ")
        value = plain_value(choice, lambda file: os.path.relpath(followed(Path(file)), folder))
        lines.append(f"{choice.name} = {toml(value)}")
    return "\n".join([*lines, ""])


def plain_value(choice: Choice, of_file: Callable[[str], str]) -> Any:
    """The value of an option as text, number, truth value, or list of them; file names converted by ``of_file``."""
    if isinstance(choice.value, Path):
        return of_file(str(choice.value))
    if isinstance(choice.value, Enum):
        return choice.value.value
    if choice.metavar == COLUMN_FILE:
        return [in_column_file(text, of_file) for text in choice.value]
    return list(choice.value) if isinstance(choice.value, list | tuple) else choice.value


def in_column_file(text: str, change: Callable[[str], str]) -> str:
    """A column and a file, with the file name converted; other ways to build a hierarchy are unchanged."""
    name, equals, file = text.partition("=")
    return text if not equals or file in HIERARCHY_KINDS else f"{name}={change(file)}"


def toml(value: Any) -> str:
    """A text, number, truth value, or list of them, as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):  # TOML escapes like JSON, plus one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return repr(value)


def read_plan(path: Path, methods: Iterable[str]) -> Plan:
    """Read a plan.

    Args:
        path: the file.
        methods: the names of all methods.

    Raises:
        InputError: it cannot be read, is not a plan, or has another version or an unknown method.
    """
    try:
        found = tomllib.loads(small_file(path).decode("utf-8-sig"))
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file{like_named(path)}; shoal publish METHOD ... --save-plan FILE writes a plan"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text, and so not a plan (--save-plan writes one)") from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, and very deep lists
        raise InputError(f"{path}: is not TOML, and so not a plan: {said_by(error)} (--save-plan writes one)") from None
    version = found.get(_VERSION_KEY)
    if version is None:
        like = next((f", only {named(key)}" for key in found if did_you_mean(key, [_VERSION_KEY])), "")
        raise InputError(f"{path}: has no key {_VERSION_KEY}{like}, so it is not a plan (--save-plan writes one)")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(f"{path}: {_VERSION_KEY} is {shown(version)}: it must be {VERSION}")
    if version > VERSION:
        raise InputError(
            f"{path}: is a plan of version {version}, and this Shoal reads version {VERSION}: update Shoal, or publish "
            "once by hand and save a plan with this one"
        )
    for key in found:
        if key not in _KEYS:
            raise InputError(
                f"{path}: unknown key {named(key)}{did_you_mean(key, _KEYS)}: options belong under [choices]"
            )
    method, choices, known = found.get("method"), found.get("choices", {}), list(methods)
    if method not in known:
        meant = did_you_mean(str(method), known)
        raise InputError(f"{path}: there is no method {shown(method)}{meant}: method is one of {', '.join(known)}")
    if not isinstance(choices, dict):
        raise InputError(f"{path}: choices must be a table of options: [choices], then one option per line")
    return Plan(path, method, choices)
