"""A sentence of a paper and whether it was confirmed: yes, partly or no, by a criterion in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

Outcome = Literal["yes", "partly", "no", "nothing to compare"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and what came out."""

    figure: str
    says: str
    criterion: str
    """What counts as yes, and what as partly."""
    measured: str
    outcome: Outcome

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return dict(vars(self))


def outcome_of(yes: bool, partly: bool) -> Outcome:
    """Yes before partly, and no where neither holds."""
    return "yes" if yes else "partly" if partly else "no"


def nothing(figure: str, says: str, criterion: str) -> Claim:
    """A claim for which there are too few numbers."""
    return Claim(figure, says, criterion, "too few numbers", "nothing to compare")


def span(values: Sequence[float]) -> float:
    """The largest less the smallest."""
    return max(values) - min(values)


def listed(series: Iterable[tuple[object, float]]) -> str:
    """Places and their values as text."""
    return ", ".join(f"{_place(place)}: {value:.3g}" for place, value in series)


def _place(place: object) -> str:
    return f"{place:,}" if isinstance(place, int) else str(place)


def slope(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """The slope of the straight line through the points, by least squares, and the share of variance it explains.

    Example:
        >>> slope([1, 2, 3], [2, 4, 6])
        (2.0, 1.0)
    """
    left, right = np.subtract(x, np.mean(x)), np.subtract(y, np.mean(y))
    found = float(left @ right / (left @ left))
    spread = float(right @ right)
    return found, 1.0 if spread == 0 else float((left @ right) ** 2 / (left @ left) / spread)


def exponent(x: Sequence[float], seconds: Sequence[float]) -> float:
    """The power of x with which seconds grow: the slope on logarithmic axes."""
    return slope([math.log(one) for one in x], [math.log(one) for one in seconds])[0]


def order_of(pairs: Sequence[tuple[float, float]]) -> float:
    """Kendall's tau of two rows of numbers: 1 where they rise together, -1 where one falls as the other rises."""
    signs = [np.sign((a - c) * (b - d)) for (a, b), (c, d) in combinations(pairs, 2)]
    return float(np.mean(signs))
