"""Messages name options on the command line, and arguments in Python.

Both have the same names, so one sentence serves both: ``--missing drop`` is ``missing="drop"``. The command line states
that it speaks options (:func:`speaking_options`); elsewhere :func:`spoken` translates. Quoted values and whole commands
stay unchanged.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

VARIABLE = "SHOAL_SPEAKS_OPTIONS"
"""The environment variable that says so, to child processes too."""
_FLAGS = {"even-if-empty", "force", "complete", "fill", "print-thresholds", "drop-rare", "cover-safe", "trusted"}
_WORDS = {"missing", "estimator", "term-items"}
_ARGUMENTS = {"hierarchy": "hierarchies", "other": "others", "to": "format"}
"""The arguments that have another name than their options."""
_SPOKEN = re.compile(
    r"""
    (?P<kept> '[^'\n]*' | "[^"\n]*" | \bshoal (?:\ [a-z][a-z-]*)+ (?:\ [A-Z][A-Z.]+)?
      (?:\ --?[a-z][a-z-]*(?:[\ =][A-Z0-9.=]+)?)* )
    | (?<![\w-]) --(?P<name> [a-z][a-z-]* )
      (?P<value> \ (?: [A-Z]+(?:[=,][A-Z]+)*\b
        | (?P<column> "[^"\n]*" | '[^'\n]*' | [^\s=()"']+ )=[A-Z]+\b | \d[\d.,-]*\d\b | \d\b
        | (?:error|drop|keep|counts|matrix|constant|once|uniform)\b ) )?
    """,
    re.VERBOSE,
)


def spoken(message: str) -> str:
    """The message as its reader speaks: with options on the command line, else with arguments.

    Example:
        >>> spoken("rows lack a value: --missing drop leaves them out, or raise --min-support")
        'rows lack a value: missing="drop" leaves them out, or raise min_support'
        >>> spoken("it needs the data (--original FILE)"), spoken("shoal verify --original says why: '--force'")
        ('it needs the data (original=...)', "shoal verify --original says why: '--force'")
        >>> with speaking_options():
        ...     spoken("raise --min-support")
        'raise --min-support'
    """
    return message if "--" not in message or VARIABLE in os.environ else _by_column(_SPOKEN.sub(_argument, message))


@contextlib.contextmanager
def speaking_options() -> Iterator[None]:
    """In this block, messages name options of the command line."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(VARIABLE, None)


def _argument(found: re.Match[str]) -> str:
    if found["kept"] is not None:
        return found["kept"]
    option, value = found["name"], (found["value"] or "").strip()
    name = option.replace("-", "_")
    if option in _FLAGS:
        return f"{name}=True{found['value'] or ''}"
    if option in _WORDS and value:
        return f'{name}="{value}"'
    if not value:
        return name
    if found["column"] is not None:
        column = found["column"].strip("\"'")
        return f'{_ARGUMENTS.get(option, name)}={{"{column}": ...}}'
    if value[0].isdigit():
        return f"{name}={value}"
    if "=" in value:  # a value for each column
        return f"{_ARGUMENTS.get(option, name)}=..."
    return f"{name}=..."


def _by_column(message: str) -> str:
    """The message with the same option of several columns as one argument."""
    return re.sub(r': \.\.\.\} \w+=\{(?=")', ": ..., ", message)
