"""What every command has beside its own options: --quiet, and examples in its help."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from types import MappingProxyType, NoneType
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperCommand

from shoal.cli.examples import write_examples
from shoal.cli.terminal import saying
from shoal.suggestions import did_you_mean

QuietOption = Annotated[
    bool,
    typer.Option(
        "-q",
        "--quiet",
        help="No progress and no notes; warnings and errors stay. A command that writes something, or whose exit code "
        "tells, prints nothing but JSON.",
    ),
]
EVERYWHERE = ("quiet",)
"""The parameters that all commands have."""


_NOT_ONE_OF = re.compile(r"(?:Value error, )?(?P<said>'(?P<typed>.*?)' is not one of .*)", re.DOTALL)
"""What the parser says of a value that is none of an option's; its validator puts its own kind of error first."""


class _WithExamples(TyperCommand):
    examples: tuple[str, ...] = ()
    kinds: Mapping[str, Any] = MappingProxyType({})
    """The type of each parameter, without None and without what Typer says of it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Offer what may have been meant by a value that an option does not have."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            kind = self.kinds.get(getattr(getattr(error, "param", None), "name", None) or "")
            found = _NOT_ONE_OF.match(getattr(error, "message", ""))
            if found and isinstance(kind, type) and issubclass(kind, Enum):
                meant = did_you_mean(found["typed"], [one.value for one in kind])
                vars(error)["message"] = f"{found['said'].rstrip('.')}{meant}"
            raise

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, each in a line of its own, to be copied."""
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def add_options(
    function: Callable[..., Any], more: Iterable[inspect.Parameter], call: Callable[..., Any]
) -> Callable[..., Any]:
    """A command with the options of a function and some more, which runs ``call`` with the values of all of them."""
    own = inspect.signature(function, eval_str=True).parameters
    parameters = {**own, **{parameter.name: parameter for parameter in more}}

    command: Callable[..., Any] = functools.wraps(function)(lambda **values: call(**values))
    keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    vars(command)["__signature__"] = inspect.Signature(keyword)  # what Typer looks at
    command.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return command


def option(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """An option as a parameter of a function; without a default it must be given."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def make(name: str, function: Callable[..., Any], *, silent: bool, examples: Iterable[str]) -> Any:
    """A command with what every command has.

    Args:
        name: what it is called.
        function: what it does.
        silent: whether --quiet leaves out the text of its result, too.
        examples: command lines that its help shows.
    """

    def call(*, quiet: bool, **values: Any) -> Any:
        with saying(notes=not quiet, text=not (quiet and silent)):
            return function(**values)

    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    command = add_options(function, [option("quiet", QuietOption, False)], call)
    alone.command(cls=_WithExamples)(command)
    made: Any = typer.main.get_command(alone)
    made.name, made.examples = name, tuple(examples)
    made.kinds = {one.name: _kind(one.annotation) for one in inspect.signature(command).parameters.values()}
    return made


def _kind(annotation: Any) -> Any:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    others = [one for one in get_args(annotation) if one is not NoneType]
    return others[0] if NoneType in get_args(annotation) else annotation
