"""The front and the knee of points of risk and loss, straight from the definitions, with exact fractions."""

from __future__ import annotations

from fractions import Fraction


def front(points: list[tuple[Fraction, Fraction]]) -> list[int]:
    """The places of the points that no other beats, the safest first; of points that are alike the first."""

    def beaten(place: int) -> bool:
        risk, loss = points[place]
        return any(
            (r <= risk and cost <= loss and (r, cost) != (risk, loss)) or ((r, cost) == (risk, loss) and other < place)
            for other, (r, cost) in enumerate(points)
        )

    return sorted((place for place in range(len(points)) if not beaten(place)), key=lambda place: points[place])


def knee(points: list[tuple[Fraction, Fraction]]) -> tuple[int, Fraction] | None:
    """The place of the point furthest below the chord, and twice the square of its distance on scaled axes.

    The distance of a point from the line through two others: twice the area of the triangle, by the length of its base.
    """
    places = front(points)
    if len(places) < 3:
        return None
    (low, most), (high, least) = points[places[0]], points[places[-1]]
    best: tuple[int, Fraction] | None = None
    for place in places:
        x, y = (points[place][0] - low) / (high - low), (points[place][1] - least) / (most - least)
        # The chord goes from (0, 1) to (1, 0), and is as long as the root of 2; the sign says on which side.
        area = (Fraction(1) - 0) * (Fraction(1) - y) - (x - 0) * (1 - Fraction(0))
        if area > 0 and (best is None or area**2 > best[1]):
            best = place, area**2
    return best
