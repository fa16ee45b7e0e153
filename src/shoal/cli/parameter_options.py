"""Options of the command line made from the parameters of methods: names, help, defaults and choices.

A command says to which methods they apply and what they mean there; the rest is defined in ``shoal.parameters``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, StrEnum
from functools import cache
from typing import Annotated, Any, Literal

import typer

from shoal.cli.every_command import add_options, option
from shoal.errors import InputError
from shoal.method import Method
from shoal.methods import METHODS
from shoal.parameters import PARAMETERS, Parameter
from shoal.quoting import shown

Use = Literal["one", "several", "known"]
"""Whether a study takes one value of a parameter, several values to try, or a value that is already known."""
_FEW = 3


def option_of(name: str, method: str = "", *, default: bool = False) -> Any:
    """The Typer option of a parameter in the command of a method, with its default if the command has one."""
    parameter = PARAMETERS[name]
    said = METHODS[method].help(name) if method else parameter.help
    return _option(parameter, f"{said} Default: {parameter.default_text}." if default else said)


@cache
def choices_of(name: str) -> Any:
    """The choices of a word as a type that Typer checks and completes."""
    return StrEnum("Choice", {choice.replace("-", "_"): choice for choice in PARAMETERS[name].choices})


def options_of_method(method: Method) -> Iterator[inspect.Parameter]:
    """An option for each parameter of a method; required if the publisher must choose the value."""
    for name in method.parameters:
        parameter = PARAMETERS[name]
        kind: Any = list[str] if parameter.kind == "items" else _type(parameter)
        if parameter.required or name == method.needs:
            yield option(name, Annotated[kind, option_of(name, method.name)])
        else:
            yield option(name, Annotated[kind | None, option_of(name, method.name, default=True)], None)


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, as Python takes them."""
    return {
        name: value.value if isinstance(value, Enum) else value for name, value in values.items() if value is not None
    }


def with_settings(function: Callable[..., Any], use: Use) -> Callable[..., Any]:
    """A command with an option for each parameter; it gets their values by name as ``settings``."""
    names = [name for name, parameter in PARAMETERS.items() if parameter.is_setting]

    def call(**values: Any) -> Any:
        given = plain({name: values.pop(name) for name in names})
        if use == "several":
            given = {name: values_of(name, text) for name, text in given.items()}
        return function(settings=given, **values)

    more = [_of_study(PARAMETERS[name], use) for name in names]
    return add_options(function, more, call, instead="settings")


def _of_study(parameter: Parameter, use: Use) -> inspect.Parameter:
    takers = _takers(parameter)
    said = f"{takers}{parameter.help[0].lower()}{parameter.help[1:]}" if takers else parameter.help
    if use == "several":
        return _optional(parameter, str, f"{said} Comma-separated values to try. Default: {_tried(parameter)}.", "A,B")
    advised = use == "known" and parameter.grid
    more = "If given, no other value is tried." if advised else f"Default: {parameter.default_text}."
    return _optional(parameter, _type(parameter), f"{said} {more}")


def _tried(parameter: Parameter) -> str:
    """What a sweep tries if nothing is given: it varies one parameter of a method and keeps the others."""
    takers = [method for method in METHODS.values() if parameter.name in method.parameters]
    fixed = [method.name for method in takers if method.risk_of([]).parameters[0] != parameter.name]
    if len(fixed) == len(takers):
        return parameter.default_text
    values = ",".join(map(parameter.text_of, parameter.grid)) or parameter.default_text
    return f"{values} ({', '.join(fixed)}: {parameter.default_text})" if fixed else values


def _takers(parameter: Parameter) -> str:
    """Where it applies: to some methods, or to one kind of data."""
    found = [method for method in METHODS.values() if parameter.name in method.parameters]
    if len(found) <= _FEW:
        return f"{', '.join(method.name for method in found)}: " if found else ""
    kinds = {method.about for method in found}
    return f"{kinds.pop().capitalize()}: " if len(kinds) == 1 else ""


def _optional(parameter: Parameter, kind: Any, text: str, metavar: str = "") -> inspect.Parameter:
    return option(parameter.name, Annotated[kind | None, _option(parameter, text, metavar)], None)


def _type(parameter: Parameter) -> Any:
    return choices_of(parameter.name) if parameter.choices else parameter.type


def _option(parameter: Parameter, text: str, metavar: str = "") -> Any:
    return typer.Option(*parameter.flags, help=text, metavar=metavar or parameter.metavar or None)


def values_of(name: str, text: str) -> list[Any]:
    """Comma-separated values: whole numbers, numbers, or words; numeric parameters refuse words."""
    parts = [part.strip() for part in text.split(",")]
    long = PARAMETERS[name].flags[-1]
    if not all(parts):
        raise InputError(f"{long} is {shown(text)}: give comma-separated values, as in {long} 2,5,10")
    return [_number(part) for part in parts]


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
