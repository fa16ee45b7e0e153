"""The interface of all promises."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol


class Promise(Protocol):
    """A promise is a dataclass of its parameters; it states itself in words, and states what it does not cover."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def words(self) -> str:
        """The promise in one sentence."""

    @property
    def not_promised(self) -> tuple[str, ...]:
        """Limits of the promise, and what an adversary may still do."""
