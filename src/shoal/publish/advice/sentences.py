"""How advice is put."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

SPENT = "This try has spent its epsilon, and another one spends its own on top."


def either(parts: Sequence[str]) -> str:
    """Several ways, of which one is enough."""
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; or {parts[-1]}"


def smaller(name: str, number: int, least: int) -> Iterator[str]:
    """A smaller number, where one is left."""
    if number > least:
        yield f"a smaller -{name} than {number:,}"
