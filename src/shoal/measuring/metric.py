"""One measured number, with all that it takes to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Direction = Literal["lower is better", "higher is better"]
Detail = int | float | None


@dataclass(frozen=True)
class Metric:
    """A number between two bounds, which of them is good, and what it means.

    Example:
        >>> Metric("tlost", 0.25, "lower is better", (0.0, 1.0), "items in term chunks only", "no item: nothing")
        Metric(tlost = 0.25, 0 to 1, lower is better)
    """

    name: str
    value: float | None
    """None where there is nothing to measure."""
    direction: Direction
    range: tuple[float, float]
    """The smallest and the largest value that is possible."""
    meaning: str
    """What it is; the same for all metrics of one name."""
    edges: str
    """What ties and 0/0 do to it; a value of None is shown as "nothing"."""
    part: str = ""
    """Which ranks of items, or which sizes of itemsets, where it is not about all of them."""
    details: Mapping[str, Detail] = field(default_factory=dict)
    """Counts that stand behind the value."""
    reason: str = ""
    """Why there is nothing, where that is not for want of data."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    def __repr__(self) -> str:
        low, high = self.range
        return f"Metric({self.label} = {self.shown}, {low:g} to {high:g}, {self.direction})"

    @property
    def label(self) -> str:
        """The name and the part: what tells a metric from all others."""
        return f"{self.name} {self.part}" if self.part else self.name

    @property
    def shown(self) -> str:
        """The value as text."""
        return "nothing" if self.value is None else f"{self.value:.4g}"

    def as_dict(self) -> dict[str, Any]:
        """The metric as plain values, ready for JSON."""
        return {
            "name": self.name,
            "part": self.part,
            "value": self.value,
            "direction": self.direction,
            "range": list(self.range),
            "meaning": self.meaning,
            "edges": self.edges,
            "details": dict(self.details),
            "reason": self.reason,
        }


def share(part: int, whole: int) -> float | None:
    """A part of a whole; of nothing there is no share."""
    return part / whole if whole else None
