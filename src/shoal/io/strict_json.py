"""Parse JSON that means the same in every program: refuse what parsers read differently, or what exhausts them.

Of two entries with the same name, some readers take the first and some the last; a number beyond 64 bits is exact in
one program and rounded in another; half a character (an unpaired surrogate) is text only in JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from shoal.quoting import bare, named, shown

DEEPEST = 32
"""The deepest nesting of lists and objects."""
LONGEST_NUMBER = 40
"""The most characters of a number: one of 64 bits needs no more than 25."""
# A text without an end extends to the end: otherwise a search would begin again at each quotation mark in it.
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def parse_strictly(raw: bytes) -> Any:
    """The value of a JSON text.

    Args:
        raw: the text, in UTF-8.

    Raises:
        ValueError: it is not JSON; an object has two entries with the same name; a number is not finite, beyond 64
            bits, or longer than any such number; a text holds half a character; or it is nested too deeply. The message
            says what is wrong and, for invalid JSON, where.

    Example:
        >>> parse_strictly(b'{"k": 1000, "k": 3}')
        Traceback (most recent call last):
        ...
        ValueError: the entry 'k' is there twice
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start:,} is not UTF-8 text") from None
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > DEEPEST:
            raise ValueError(f"lists and objects are more than {DEEPEST} deep")
    value = json.loads(
        text, object_pairs_hook=_object, parse_constant=_no_number, parse_int=_integer, parse_float=_float
    )
    for word in _texts(value):
        if not _is_text(word):
            raise ValueError(f"{shown(word)} holds half a character")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the entry {named(name)} is there twice")
        found[name] = value
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _integer(text: str) -> int:
    if len(text) <= LONGEST_NUMBER and -(2**63) <= (number := int(text)) < 2**63:
        return number
    raise ValueError(f"the number {_cut(text)} is beyond 64 bits")


def _float(text: str) -> float:
    if len(text) <= LONGEST_NUMBER and math.isfinite(number := float(text)):
        return number
    raise ValueError(f"the number {_cut(text)} is beyond 64 bits")


def _cut(digits: str) -> str:
    return bare(digits) if len(digits) <= LONGEST_NUMBER else f"{bare(digits[:20])}... ({len(digits):,} characters)"


def _texts(value: Any) -> Iterator[str]:
    """All texts of a value, names of entries too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
