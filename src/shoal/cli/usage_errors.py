"""Messages about invalid arguments, with long or unsafe input cut and escaped, or with input hidden."""

from __future__ import annotations

from typing import Any

from shoal.cli.terminal import warn
from shoal.quoting import LONGEST, NOT_SHOWN, escaped, is_discreet

_TELLS_NAMES_ONLY = ("MissingParameter", "NoSuchOption", "BadOptionUsage")
"""The parser's errors that name options, and no values."""


def show_usage_error(error: Any, arguments: list[str]) -> None:
    """Write on standard error what is wrong with the arguments.

    Args:
        error: a usage error of the parser.
        arguments: the arguments as typed.
    """
    context = getattr(error, "ctx", None)
    if context is not None:
        warn(f"{context.get_usage()}\nTry '{context.command_path} {context.help_option_names[0]}' for help.\n")
    said = _discreetly(error, arguments) if is_discreet() else _with_short_words(error.format_message(), arguments)
    warn(f"Error: {said}")


def _discreetly(error: Any, arguments: list[str]) -> str:
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & set(_TELLS_NAMES_ONLY):
        said, _, _ = str(error.format_message()).partition("(Possible")
        return _with_short_words(said.strip(), arguments)
    option = getattr(error, "param_hint", None) or getattr(getattr(error, "param", None), "opts", [""])[0]
    return f"Invalid value for '{option}': {NOT_SHOWN}" if option else f"the arguments do not fit: {NOT_SHOWN}"


def _with_short_words(text: str, arguments: list[str]) -> str:
    """A message in which every typed argument is cut to the length that messages quote."""
    typed = {part for word in arguments for part in (word, *word.split("=", 1)) if len(part) > LONGEST}
    for part in sorted(typed, key=len, reverse=True):
        for written in (part, repr(part)[1:-1]):
            text = text.replace(written, f"{part[:LONGEST]}...")
    return escaped(text, keep="\n\t")
