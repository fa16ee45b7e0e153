"""The knee of a risk-utility map, against its definition, on curves that bend, that do not, and that go astray."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.study.knee import LEAST_DISTANCE, Knee, front, knee
from tests.oracles import knee as oracle

# Whole numbers, so that ties and straight lines come up, and are the same for floats and fractions.
GRID = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=8)


@given(GRID)
def test_front_and_knee_are_those_of_the_definition(whole: list[tuple[int, int]]) -> None:
    points = [(Fraction(risk), Fraction(loss)) for risk, loss in whole]
    risks, losses = [float(risk) for risk, _ in whole], [float(loss) for _, loss in whole]
    assert front(risks, losses) == oracle.front(points)
    expected, found = oracle.knee(points), knee(risks, losses)
    if expected is None or expected[1] < 2 * Fraction(LEAST_DISTANCE) ** 2:
        assert isinstance(found, str)
        return
    assert isinstance(found, Knee)
    assert found.distance == pytest.approx(math.sqrt(expected[1] / 2))
    # Of points equally far, but for the last digit, any may come first: they are as good.
    assert found.place == expected[0] or math.isclose(
        found.distance, math.sqrt(_distance(points, found.place) / 2), rel_tol=1e-9
    )
    assert found.price_before < found.price_beyond


def _distance(points: list[tuple[Fraction, Fraction]], place: int) -> Fraction:
    kept = [points[at] for at in (oracle.front(points)[0], place, oracle.front(points)[-1])]
    found = oracle.knee(kept)
    assert found is not None
    return found[1]


def test_the_knee_does_not_depend_on_units_nor_on_the_order_of_points() -> None:
    risks, losses = [0.5, 0.2, 0.1, 0.04], [0.11, 0.22, 0.30, 0.56]
    found = knee(risks, losses)
    assert isinstance(found, Knee)
    assert found.place == 2
    stretched = knee([7 * risk for risk in risks], [100 + 3 * loss for loss in losses])
    assert isinstance(stretched, Knee)
    assert (stretched.place, stretched.distance) == (2, pytest.approx(found.distance))
    backwards = knee(risks[::-1], losses[::-1])
    assert isinstance(backwards, Knee)
    assert backwards.place == 1
    # From the definition, by hand: x = .06 / .46, y = .19 / .45.
    assert found.distance == pytest.approx((1 - 0.06 / 0.46 - 0.19 / 0.45) / math.sqrt(2))
    assert found.price_before == pytest.approx(0.19 / 0.4)
    assert found.price_beyond == pytest.approx(0.26 / 0.06)


def test_a_point_far_above_the_chord_is_no_knee_and_hides_none() -> None:
    found = knee([1.0, 0.8, 0.1, 0.0], [0.0, 0.65, 0.7, 1.0])
    assert isinstance(found, Knee)
    assert found.place == 2


@pytest.mark.parametrize(
    ("risks", "losses", "said"),
    [
        ([], [], "a knee needs three points"),
        ([0.5, 0.2], [0.1, 0.2], "a knee needs three points"),
        ([0.5, 0.3, 0.1], [0.1, 0.2, 0.3], "straight"),
        ([0.5, 0.3, 0.1], [0.1, 0.28, 0.3], "bends the other way"),
        # The middle one is beaten: two are left.
        ([0.5, 0.3, 0.1], [0.1, 0.4, 0.3], "1 of 3 are beaten"),
        ([0.2, 0.2, 0.2], [0.1, 0.2, 0.3], "2 of 3 are beaten"),
    ],
)
def test_there_is_no_knee_where_nothing_bends(risks: list[float], losses: list[float], said: str) -> None:
    found = knee(risks, losses)
    assert isinstance(found, str)
    assert said in found
