"""Suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from shoal.quoting import is_discreet, named

_MOST = 2_000
"""So many names are all compared letter by letter, in a tenth of a second. Of more, only near ones are compared."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suffix that suggests the most similar known name; empty if there is none.

    Discreet messages suggest nothing: the names may be values of the data.

    Args:
        name: the misspelt name.
        known: the known names.

    Example:
        >>> did_you_mean("Agee", ["age", "sex"])
        " (did you mean 'age'?)"
        >>> did_you_mean("income", ["age", "sex"])
        ''
    """
    if is_discreet():
        return ""
    # Case is the most frequent mistake, and difflib counts a changed case as a changed letter.
    typed = name.casefold()
    names = list(known)
    if len(names) > _MOST:
        near = _one_slip_away(typed, set("abcdefghijklmnopqrstuvwxyz0123456789-_ ").union(*names[:_MOST]))
        names = [text for text in names if text.casefold() in near]
    folded = {text.casefold(): text for text in names}
    close = get_close_matches(typed, folded, n=1)
    return f" (did you mean {named(folded[close[0]])}?)" if close else ""


def _one_slip_away(text: str, letters: set[str]) -> set[str]:
    """All texts with one letter added, removed or replaced, or two neighbours swapped."""
    parts = [(text[:at], text[at:]) for at in range(len(text) + 1)]
    near = {text} | {left + right[1:] for left, right in parts}
    near |= {left + right[1::-1] + right[2:] for left, right in parts}
    for letter in letters:
        near |= {left + letter + right for left, right in parts}
        near |= {left + letter + right[1:] for left, right in parts}
    return near
