"""One measured number, with everything needed to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Direction = Literal["lower is better", "higher is better"]
Detail = int | float | None


@dataclass(frozen=True)
class Metric:
    """A number with its range, its better direction, and its meaning.

    Example:
        >>> Metric("tlost", 0.25, "lower is better", (0.0, 1.0), "items in term chunks only", "no item: nothing")
        Metric(tlost = 0.25, 0 to 1, lower is better)
    """

    name: str
    value: float | None
    """None if there is nothing to measure."""
    direction: Direction
    range: tuple[float, float]
    """The smallest and the largest possible value."""
    meaning: str
    """The definition; the same for all metrics of one name."""
    edges: str
    """The treatment of ties and 0/0; a value of None is shown as "nothing"."""
    part: str = ""
    """The ranks of items or sizes of itemsets that it covers, if not all."""
    details: Mapping[str, Detail] = field(default_factory=dict)
    """Counts behind the value."""
    reason: str = ""
    """The reason why it has no value, unless there were no data."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    def __repr__(self) -> str:
        low, high = self.range
        return f"Metric({self.label} = {self.shown}, {low:g} to {high:g}, {self.direction})"

    @property
    def label(self) -> str:
        """The name and the part: unique among the metrics."""
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
    """A part divided by a whole; None if the whole is zero."""
    return part / whole if whole else None
