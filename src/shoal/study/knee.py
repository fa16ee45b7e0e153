"""The knee of a risk-utility map: where a curve of risk and loss bends, beyond which privacy costs more than before.

Points have a risk and a loss; less of each is better. A point is on the front unless another one has no more of either
and less of one. With both axes scaled to 0..1 between the ends of the front, these are (0, 1) and (1, 0), and the knee
is the point furthest from the chord between them, on the side of less risk and less loss. Up to it a fall of the risk
costs less than on average, and beyond it more: that follows from where it lies.

The same idea is known from V. Satopaa et al.: Finding a "Kneedle" in a Haystack, ICDCS Workshops 2011.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_DISTANCE = 0.05
"""Of the scaled axes: a front that bends by less is straight, as far as anybody can tell from a few points."""


@dataclass(frozen=True)
class Knee:
    """A point of a front, and what it divides."""

    place: int
    """Its place among the points that were given."""
    distance: float
    """From the chord, on scaled axes: up to .7071."""
    price_before: float
    """What a fall of the risk by 1 costs in loss, from the riskiest point of the front to the knee."""
    price_beyond: float
    """And from the knee to the safest."""


def front(risks: Sequence[float], losses: Sequence[float]) -> list[int]:
    """The places of the points that no other point beats, the safest first; of points that are alike the first.

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
    """The knee of these points, or why there is none.

    Args:
        risks: of each point.
        losses: of each point, as many.

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
        return f"it takes three points of which none beats another{but}"
    safe, risky = places[0], places[-1]
    width, height = risks[risky] - risks[safe], losses[safe] - losses[risky]
    distances = [
        (1 - (risks[place] - risks[safe]) / width - (losses[place] - losses[risky]) / height) / math.sqrt(2)
        for place in places
    ]
    best = max(range(len(places)), key=lambda at: distances[at])  # the first of equals
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
