"""What was not tried, and why: part of every report that must not read as if it had been."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LeftOut:
    """A check or an attack that needs more than was at hand.

    Example:
        >>> print(LeftOut("second release", "it needs another release"))
        left out: second release: it needs another release
    """

    name: str
    why: str
    """What was missing, and how to give it."""

    def as_dict(self) -> dict[str, object]:
        """The entry as plain values."""
        return {"name": self.name, "why": self.why}

    def __str__(self) -> str:
        return f"left out: {self.name}: {self.why}"


@dataclass(frozen=True)
class NotAtHand:
    """Instead of something that an attack is handed: why nobody could hand it over."""

    why: str
    """What was missing, and how to get it."""
