"""How messages quote values and names: escaped, shortened, and with ``discreet()`` not at all.

Values of data are quoted with ``shown``, names of places (columns, hierarchies, files, options) with ``named``.
Messages reach logs, and more people may read logs than the data: ``discreet()`` leaves out all values, and gives their
places instead.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager

LONGEST = 80
"""The largest number of characters of a value that a message quotes."""
LISTED = 12
"""The largest number of names that a message lists."""
NOT_SHOWN = "(not shown)"
"""The placeholder for a value in a discreet message."""
VARIABLE = "SHOAL_DISCREET"
"""The environment variable that makes all messages discreet, including those of child processes."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0")
"""Letters and marks that are invisible, although Unicode counts them as printable."""
_HUGE = 10**40
_lock = threading.Lock()
_before: list[str | None] = []


def is_discreet() -> bool:
    """Whether messages leave out values of data."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


@contextmanager
def discreet() -> Iterator[None]:
    """A block in which messages (errors, warnings, notes) show no value of the data, but its place.

    Places are files, lines, rows, and names of columns. In a file without a header line, values serve as column names:
    name the columns yourself. The block applies to all threads, and to the child processes that start in it. Errors
    that leave the block have no causes attached, since these also quote values. The environment variable
    ``SHOAL_DISCREET=1`` does the same for a whole process, except for this last step.

    Example:
        >>> import shoal
        >>> with shoal.discreet():
        ...     shoal.Transactions.from_records([["bread"]]).codes_of(["HIV"])
        Traceback (most recent call last):
        ...
        shoal.errors.InputError: not in the data: (not shown) (of 1 items)
    """
    from shoal.errors import ShoalError

    with _lock:
        _before.append(os.environ.get(VARIABLE))
        os.environ[VARIABLE] = "1"
    try:
        yield
    except ShoalError as error:
        error.__cause__ = error.__context__ = None
        raise
    finally:
        with _lock:
            before = _before.pop()  # the value from before, or "1", no matter which thread leaves first
            if before is None:
                del os.environ[VARIABLE]
            else:
                os.environ[VARIABLE] = before


def escaped(text: str, keep: str = "") -> str:
    r"""Escape a text for output: characters that could control a terminal, reverse the text direction, or be invisible.

    Args:
        text: any text, also one with unpaired surrogates.
        keep: characters that stay as they are, such as line ends.

    Example:
        >>> print(escaped("red\x1b[31m, \u202eturned"))
        red\x1b[31m, \u202eturned
    """
    if text.isprintable() and not _INVISIBLE & set(text):
        return text
    return "".join(c if c in keep else _escape(c) for c in text)


def is_plain(text: str) -> bool:
    """Whether a text is shown without escapes."""
    return text.isprintable() and not _INVISIBLE & set(text)


def shown(value: object) -> str:
    """A value of the data, or a given value, as messages show it: quoted, escaped and shortened; or not at all.

    Example:
        >>> shown("HIV")
        "'HIV'"
        >>> with discreet():
        ...     shown("HIV")
        '(not shown)'
    """
    return NOT_SHOWN if is_discreet() else named(value)


def named(name: object) -> str:
    """The name of a place, or a given number, as messages show it: quoted, escaped and shortened.

    Example:
        >>> named("age")
        "'age'"
    """
    if isinstance(name, str):
        return _in_quotes(name)
    if isinstance(name, int) and abs(name) >= _HUGE:
        return "a number of very many digits"
    try:
        text = repr(name[:LONGEST] if isinstance(name, bytes | list | tuple) else name)
    except ValueError:  # numbers of very many digits in a list
        text = f"a {type(name).__name__}"
    whole = not isinstance(name, Sized) or not isinstance(name, bytes | list | tuple) or len(name) <= LONGEST
    text, all_of_it = _cut(text)
    return text if whole and all_of_it else f"{text}..."


def given(value: object) -> str:
    """An argument, as messages show it: numbers are always shown, but a text may be a value of the data."""
    return named(value) if value is None or isinstance(value, int | float) else shown(value)


def bare(text: str) -> str:
    """A value as lists show it: unquoted if possible, otherwise in quotes; shortened; or not at all."""
    return NOT_SHOWN if is_discreet() else called(text)


def called(text: str) -> str:
    """The name of a place as lists show it: unquoted if possible, otherwise in quotes; shortened."""
    plain = text and is_plain(text) and text == text.strip() and not set(text) & set("{},'\"")
    return text if plain and len(text) <= LONGEST else _in_quotes(text)


def in_quotes(text: str) -> str:
    """A whole text in quotes, with escapes, as lists of results show it."""
    return escaped(repr(text))


def listed(values: Iterable[object], none: str = "none") -> str:
    """Comma-separated values or names of the data; long lists are shortened; discreetly, only their number."""
    every = list(values)
    if not every:
        return none
    if is_discreet():
        return f"{len(every):,}, {NOT_SHOWN[1:-1]}"
    more = f", ... {len(every) - LISTED:,} more" if len(every) > LISTED else ""
    return ", ".join(named(value) for value in every[:LISTED]) + more


def said_by(error: BaseException) -> str:
    """A library's message about a failure: one line, escaped and shortened; in discreet messages, only its kind."""
    from json import JSONDecodeError

    from shoal.errors import ShoalError

    kind = type(error).__name__
    if isinstance(error, ShoalError | JSONDecodeError):  # ours, or quotes nothing
        return escaped(str(error), keep="\n")
    if is_discreet():
        return kind
    line = next(iter(str(error).splitlines()), kind)
    head = escaped(line[: 2 * LONGEST])
    return head if len(line) <= 2 * LONGEST else f"{head}..."


def _in_quotes(text: str) -> str:
    quote = '"' if "'" in text[:LONGEST] and '"' not in text[:LONGEST] else "'"
    inside, whole = _cut(
        "".join(f"\\{c}" if c in ("\\", quote) else c for c in text[:LONGEST]), all_of_it=len(text) <= LONGEST
    )
    return f"{quote}{inside}{quote}{'' if whole else '...'}"


def _cut(text: str, *, all_of_it: bool = True) -> tuple[str, bool]:
    """A text with escapes, up to a number of characters that counts escapes in full; and whether that is all of it."""
    parts: list[str] = []
    length = 0
    for c in text[: LONGEST + 1]:
        part = c if c == " " else _escape(c)
        length += len(part)
        if length > LONGEST:
            return "".join(parts).removesuffix("\\"), False
        parts.append(part)
    return "".join(parts), all_of_it


def _escape(c: str) -> str:
    if c.isprintable() and c not in _INVISIBLE:
        return c
    if c.isprintable():
        return f"\\u{ord(c):04x}"
    return repr(c)[1:-1]
