"""Sentences shared by all advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

SPENT = "This try has spent its epsilon. Another one spends its own in addition."


def either(parts: Sequence[str]) -> str:
    """Alternatives, joined by 'or'."""
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; or {parts[-1]}"


def smaller(name: str, number: int, least: int) -> Iterator[str]:
    """A smaller number, if there is one."""
    if number > least:
        yield f"a smaller -{name} than {number:,}"
