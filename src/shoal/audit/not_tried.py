"""What was not tried, and why: part of every report, so that nobody reads it as tried."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.speaking import spoken


@dataclass(frozen=True)
class LeftOut:
    """A check or an attack that needs more than was given.

    Example:
        >>> print(LeftOut("second release", "it needs another release"))
        left out: second release: it needs another release
    """

    name: str
    why: str
    """What was missing, and how to provide it."""

    def as_dict(self) -> dict[str, object]:
        """The entry as plain values."""
        return {"name": self.name, "why": spoken(self.why)}

    def __str__(self) -> str:
        return f"left out: {self.name}: {spoken(self.why)}"


@dataclass(frozen=True)
class NotAtHand:
    """The reason why something that an attack needs is not available; takes its place."""

    why: str
    """What was missing, and how to obtain it."""
