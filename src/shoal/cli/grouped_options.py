"""Options that belong together, as one frozen value: a command has a parameter for all of them.

The fields of a dataclass are annotated as options are, and a command that has a parameter of that type gets an option
for each.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints


def ungrouped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with an option for each field of the groups that it takes.

    What must be given stands where the group does; the rest stands behind the command's own options.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Place:
        ...     folder: str
        ...     force: bool = False
        >>> def write(place: Place, words: str) -> str:
        ...     return f"{words} in {place.folder}"
        >>> str(inspect.signature(ungrouped(write), eval_str=True))
        '(*, folder: str, words: str, force: bool = False) -> str'
        >>> ungrouped(write)(folder="here", force=True, words="nothing")
        'nothing in here'
    """
    own = inspect.signature(function, eval_str=True)
    groups: dict[str, Any] = {
        name: one.annotation for name, one in own.parameters.items() if is_dataclass(one.annotation)
    }
    if not groups:
        return function

    @functools.wraps(function)
    def call(**values: Any) -> Any:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        return function(**values)

    flat: list[inspect.Parameter] = []
    last: list[inspect.Parameter] = []
    for name, one in own.parameters.items():
        for inner in _options(groups[name]) if name in groups else [one]:
            of_group = name in groups and inner.default is not inspect.Parameter.empty
            (last if of_group else flat).append(inner)
    keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*flat, *last)]
    vars(call)["__signature__"] = own.replace(parameters=keyword)
    return call


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, kind, annotation=hints[field.name], default=_default(field))
        for field in fields(group)
    ]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
