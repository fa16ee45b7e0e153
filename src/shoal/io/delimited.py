"""One record in each line, items separated by a comma, a semicolon or any text, and quoted if needed."""

from __future__ import annotations

import re
from pathlib import PurePath

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.opening import Opened
from shoal.io.tokens import STAND_IN, Grammar, read_tokens
from shoal.quoting import shown

SEPARATORS = (",", ";", "\t", "|")
"""The separators that are recognised automatically."""


def read_delimited(source: Opened, separator: str) -> Transactions:
    """Read baskets with one record in each line, items separated by ``separator``.

    Blanks and tabs around an item are trimmed and empty items are skipped. An item in double quotes may hold
    the separator, line ends, outer blanks, and double quotes written twice.

    Args:
        source: the text.
        separator: one or more characters, without double quotes and line ends.

    Returns:
        The records.

    Raises:
        InputError: the separator cannot be one, the text is not UTF-8, a double quote is misplaced or never
            closed, or there are no records.
    """
    return read_tokens(source, grammar_of(separator))


def grammar_of(separator: str, *, whole_lines: bool = False) -> Grammar:
    """The grammar of lines whose items are separated by ``separator``.

    Raises:
        InputError: the text cannot be a separator.
    """
    if not separator or re.search(r'["\r\n\0\ud800-\udfff]', separator):
        raise InputError(
            f"the separator {shown(separator)} cannot be used: give one or more characters, but no double quote, "
            "line end, NUL or byte that is no text"
        )
    written = separator.encode()
    if len(written) == 1:
        return Grammar(ends=written, quotes=True, whole_lines=whole_lines)
    return Grammar(ends=STAND_IN, quotes=True, separator=written, whole_lines=whole_lines)


def recognised_separator(text: bytes, name: str = "") -> str | None:
    r"""The separator of a delimited text, or None if it does not look delimited.

    It is the most frequent of comma, semicolon, tab and bar outside double quotes, in this order if two are
    equally frequent. A name that ends in ``.tsv`` means the tab. Without any of them, a name that
    ends in ``.csv`` or a line that begins with a double quote means that each line is one item, and the
    result is a comma.

    Args:
        text: the first lines.
        name: the file's name, if it has one; a suffix ``.gz`` is ignored.

    Example:
        >>> recognised_separator(b"tea;milk, fresh;bread\n")
        ';'
        >>> recognised_separator(b"1 2 3\n") is None
        True
    """
    ending = PurePath(name.lower().removesuffix(".gz")).suffix
    if ending == ".tsv":
        return "\t"
    unquoted = re.sub(rb'"[^"]*"', b"", text)
    counts = {separator: unquoted.count(separator.encode()) for separator in SEPARATORS}
    best = max(counts, key=lambda separator: counts[separator])
    if counts[best]:
        return best
    return "," if ending == ".csv" or re.search(rb'^[ \t]*"', text, re.MULTILINE) else None
