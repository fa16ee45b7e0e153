"""Groups of options, passed to a command as one frozen value.

A command with thirty options is a function with a few groups: each is a frozen dataclass whose fields are annotated as
options are. On the command line every field is an option of its own, in the order of the fields.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints

from shoal.cli.every_command import option


def grouped(function: Callable[..., Any], *, behind: bool = False) -> Callable[..., Any]:
    """A command with an option for each field of its groups.

    Args:
        function: what it does.
        behind: whether the options of groups come after the command's own; required options always come first.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Place:
        ...     folder: str
        ...     force: bool = False
        >>> def write(place: Place, words: str) -> str:
        ...     return f"{words} in {place.folder}"
        >>> str(inspect.signature(grouped(write, behind=True)))
        '(*, folder: str, words: str, force: bool = False) -> str'
        >>> grouped(write)(folder="here", force=True, words="nothing")
        'nothing in here'
    """
    own = inspect.signature(function, eval_str=True)
    parameters: list[inspect.Parameter] = []
    last: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in own.parameters.values():
        group: Any = parameter.annotation
        if not is_dataclass(group):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = group
        hints = get_type_hints(group, include_extras=True)
        for one in fields(group):
            (last if behind and one.default is not MISSING else parameters).append(
                option(one.name, hints[one.name], _default(one))
            )
    parameters += last

    def call(**values: Any) -> Any:
        made = {
            name: group(**{one.name: values.pop(one.name) for one in fields(group)}) for name, group in groups.items()
        }
        return function(**values, **made)

    command: Callable[..., Any] = functools.wraps(function)(call)
    vars(command)["__signature__"] = own.replace(parameters=parameters)  # what Typer looks at
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def given_in(group: Any, *, but: tuple[str, ...] = ()) -> list[str]:
    """The options of a group that were given, as they are typed, except some."""
    return [
        f"--{one.name.replace('_', '-')}"
        for one in fields(group)
        if one.name not in but and getattr(group, one.name) != one.default
    ]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
