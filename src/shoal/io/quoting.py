"""Values from outside, as messages show them."""

from __future__ import annotations

_LONGEST = 200


def cut(value: object) -> str:
    """A value from outside as messages show it: quoted, and cut if it is long."""
    text = str(value) if isinstance(value, Exception) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
