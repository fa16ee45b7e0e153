"""What all promises have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol


class Promise(Protocol):
    """A promise is a dataclass of its numbers; it says itself in words, and what it does not cover."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def words(self) -> str:
        """The promise in one sentence."""

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What is missing, and what an adversary may still do."""
