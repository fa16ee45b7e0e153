"""What every command has besides its own options: --quiet, --discreet, and examples in its help."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from enum import Enum
from types import MappingProxyType, NoneType
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperCommand

from shoal import quoting
from shoal.cli.examples import write_examples
from shoal.cli.terminal import saying
from shoal.errors import InputError
from shoal.suggestions import did_you_mean

QuietOption = Annotated[
    bool,
    typer.Option(
        "-q",
        "--quiet",
        help="No progress and no notes; warnings and errors stay. A command that writes something, or whose exit code "
        "is its result, prints nothing but JSON.",
    ),
]
MaxSizeOption = Annotated[
    str | None,
    typer.Option(
        "--max-size",
        metavar="BYTES",
        help="Maximum size of unpacked gzip, of standard input, and of a device: bytes, as in 500M or 20G. Default: "
        "half of the available memory.",
    ),
]
DiscreetOption = Annotated[
    bool,
    typer.Option(
        "--discreet",
        help="For logs: errors, warnings, notes and findings show no value of the data, only its position. The result "
        "of a request, such as itemsets, is still printed. SHOAL_DISCREET=1 in the environment has the same effect.",
    ),
]
EVERYWHERE = ("quiet", "discreet", "max_size")
"""The parameters of all commands, or of all that read data."""
_READING = {"separator", "column_names"}
"""Parameters of commands that read data."""


_NOT_ONE_OF = re.compile(r"(?:Value error, )?(?P<said>'(?P<typed>.*?)' is not one of .*)", re.DOTALL)
"""The parser's message for a value that is not among the choices; its validator puts its own kind of error first."""


class _WithExamples(TyperCommand):
    examples: tuple[str, ...] = ()
    kinds: Mapping[str, Any] = MappingProxyType({})
    """The type of each parameter, without None and without Typer's annotations."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Suggest what a value that an option does not have may have meant."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if isinstance(error, ValueError) and "null byte" in str(error):  # some versions of Typer look such files up
                raise InputError("a name contains a NUL byte, and no file has such a name") from None
            kind = self.kinds.get(getattr(getattr(error, "param", None), "name", None) or "")
            found = _NOT_ONE_OF.match(getattr(error, "message", ""))
            if found and isinstance(kind, type) and issubclass(kind, Enum):
                meant = did_you_mean(found["typed"], [one.value for one in kind])
                vars(error)["message"] = f"{found['said'].rstrip('.')}{meant}"
            raise

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, one per line, ready to copy."""
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def add_options(
    function: Callable[..., Any], more: Iterable[inspect.Parameter], call: Callable[..., Any], instead: str = ""
) -> Callable[..., Any]:
    """A command with the options of a function and some more, which runs ``call`` with the values of all of them.

    The additional options come after the function's own, or replace the parameter ``instead``.
    """
    added = {parameter.name: parameter for parameter in more}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        parameters |= added if name == instead else {name: parameter}
    parameters |= added

    command: Callable[..., Any] = functools.wraps(function)(lambda **values: call(**values))
    keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    vars(command)["__signature__"] = inspect.Signature(keyword)  # what Typer looks at
    command.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return command


def option(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """An option as a parameter of a function; without a default it must be given."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def make(name: str, function: Callable[..., Any], *, silent: bool, examples: Iterable[str]) -> Any:
    """A command with the options that every command has.

    Args:
        name: its name.
        function: what it runs.
        silent: whether --quiet also suppresses the text of its result.
        examples: command lines shown in its help.
    """
    reading = _READING & set(inspect.signature(function).parameters)

    def call(*, quiet: bool, discreet: bool, **values: Any) -> Any:
        size = values.pop("max_size") if reading else None  # otherwise it is an option of the command itself
        wanted = quoting.discreet() if discreet else nullcontext()
        with wanted, saying(notes=not quiet, text=not (quiet and silent)), _bounded(size):
            return function(**values)

    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    more = [option("max_size", MaxSizeOption, None)] if reading else []
    command = add_options(
        function, [*more, option("discreet", DiscreetOption, False), option("quiet", QuietOption, False)], call
    )
    alone.command(cls=_WithExamples)(command)
    made: Any = typer.main.get_command(alone)
    made.name, made.examples = name, tuple(examples)
    made.kinds = {one.name: _kind(one.annotation) for one in inspect.signature(command).parameters.values()}
    return made


@contextmanager
def _bounded(size: str | None) -> Iterator[None]:
    if size is None:
        yield
        return
    from shoal.io.size_bound import max_size, size_of

    with max_size(size_of(size)):
        yield


def _kind(annotation: Any) -> Any:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    others = [one for one in get_args(annotation) if one is not NoneType]
    return others[0] if NoneType in get_args(annotation) else annotation
