"""The knee of a risk-utility map: the point of a curve beyond which privacy costs more than before.

Points have a risk and a loss; less of each is better. A point is on the front if no other point has at most the same
risk and loss, and less of one. Both axes are scaled to 0..1, so that the ends of the front are (0, 1) and (1, 0). The
knee is the point furthest from the chord between them, on the side of less risk and less loss. It follows that up to
the knee a fall of the risk costs less than on average, and beyond it more.

The same idea is known from V. Satopaa et al.: Finding a "Kneedle" in a Haystack, ICDCS Workshops 2011.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_DISTANCE = 0.05
"""On scaled axes: a front that bends by less counts as straight, given how few points there are."""


@dataclass(frozen=True)
class Knee:
    """A point of a front, and the cost on both sides of it."""

    place: int
    """Its place among the given points."""
    distance: float
    """The distance from the chord, on scaled axes: up to .7071."""
    price_before: float
    """The loss for a fall of the risk by 1, from the riskiest point of the front to the knee."""
    price_beyond: float
    """The same, from the knee to the safest point."""


def front(risks: Sequence[float], losses: Sequence[float]) -> list[int]:
    """The places of the points that no other point beats, the safest first; of equal points the first.

    Example:
        >>> front([0.5, 0.2, 0.1], [0.1, 0.4, 0.3])
        [2, 0]
    """
    order = sorted(range(len(risks)), key=lambda place: (risks[place], losses[place], place))
    found: list[int] = []
    for place in order:
        if not found or losses[place] < losses[found[-1]]:
            found.append(place)
    return found


def knee(risks: Sequence[float], losses: Sequence[float]) -> Knee | str:
    """The knee of these points, or the reason why there is none.

    Args:
        risks: one per point.
        losses: one per point.

    Returns:
        The knee; of points equally far from the chord the safest.

    Example:
        >>> knee([0.5, 0.2, 0.1], [0.1, 0.15, 0.3]).place
        1
        >>> knee([0.5, 0.3, 0.1], [0.1, 0.2, 0.3])
        'the points lie on a straight line, or nearly'
    """
    places = front(risks, losses)
    if len(places) < 3:
        beaten = len(risks) - len(places)
        but = f" ({beaten} of {len(risks)} are beaten by another in both)" if beaten and len(risks) > 2 else ""
        return f"a knee needs three points that do not beat each other{but}"
    safe, risky = places[0], places[-1]
    width, height = risks[risky] - risks[safe], losses[safe] - losses[risky]
    distances = [
        (1 - (risks[place] - risks[safe]) / width - (losses[place] - losses[risky]) / height) / math.sqrt(2)
        for place in places
    ]
    best = max(range(len(places)), key=lambda at: distances[at])  # ties: the first
    if distances[best] < LEAST_DISTANCE:
        if min(distances) <= -LEAST_DISTANCE:
            return "the curve bends the other way: the middle points cost more than a line between the ends"
        return "the points lie on a straight line, or nearly"
    place = places[best]
    return Knee(
        place,
        distances[best],
        (losses[place] - losses[risky]) / (risks[risky] - risks[place]),
        (losses[safe] - losses[place]) / (risks[place] - risks[safe]),
    )
