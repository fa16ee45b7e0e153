"""Find entries of a manifest that mean nothing in its release: they are published, but not checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.quoting import named

_WORDS = ("words", "not_promised")
"""The sentences of a promise, which are checked against its parameters elsewhere."""


def unknown_entries(found: Any, meant: Any, place: str = "") -> Iterator[str]:
    """The places where a manifest has other or more entries than Shoal would write for its release.

    Args:
        found: the manifest, or a part of it.
        meant: what it would be if Shoal wrote it for the same release.
        place: the place of that part.

    Yields:
        Each place, as messages show it.

    Example:
        >>> list(unknown_entries({"k": 3, "rows": [{"id": 1}]}, {"k": 3}))
        ['rows']
        >>> list(unknown_entries({"promises": [{"k": 3, "note": "", "a b": 1}]}, {"promises": [{"k": 3}]}))
        ['promises[0].note', "promises[0].'a b'"]
    """
    if isinstance(found, dict) and isinstance(meant, dict):
        for name, inner in found.items():
            called = name if name.isidentifier() and name.isascii() and len(name) <= 40 else named(name)
            below = f"{place}.{called}" if place else called
            if name not in meant:
                yield below
            elif name not in _WORDS:
                yield from unknown_entries(inner, meant[name], below)
    elif isinstance(found, list) and isinstance(meant, list | tuple):
        for number, inner in enumerate(found):
            below = f"{place}[{number}]"
            if number >= len(meant):
                yield below
            else:
                yield from unknown_entries(inner, meant[number], below)
    elif found != meant:
        yield place
