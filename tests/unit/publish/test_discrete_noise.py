"""Noise has exactly the law that it is said to have: digit by digit, at the edge of doubles, and in many draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shoal.publish import discrete_noise
from shoal.publish.discrete_noise import MARGIN, gaps, geometric, two_sided
from shoal.randomness import Numbers
from tests.checking.chance import usual, usual_counts
from tests.oracles.diffpart import UNIT, at_least, exponential, pmf

ONE = 2**40
RATES = [ONE // 300, ONE // 3 + 1, ONE, 5 * ONE]
N = 40_000
SURE = 10**50


class Given:
    """A stream of numbers that a test has chosen."""

    def __init__(self, *numbers: int) -> None:
        self.left = list(numbers)

    def take(self, n: int) -> Any:
        taken, self.left = self.left[:n], self.left[n:]
        return np.array(taken, np.int64)


def fill(n: int, units: int) -> Any:
    return np.full(n, units, np.int64)


def decisions(monkeypatch: pytest.MonkeyPatch, draw: Any) -> list[tuple[float, Fraction]]:
    """The chances that a draw decides by: in doubles, and exactly."""
    seen: list[tuple[float, Fraction]] = []

    def note(p: Any, exact: Any, _chance: Any) -> Any:
        with discrete_noise.localcontext(discrete_noise._precise(80)):
            seen.extend((float(p[at]), Fraction(exact(at))) for at in range(len(p)))
        return np.zeros(len(p), bool)

    monkeypatch.setattr(discrete_noise, "_decide", note)
    draw()
    return seen


@pytest.mark.parametrize("units", [1, 12_345_678_901, ONE, 70 * ONE + 3])
def test_digits_have_the_stated_chances_to_sixty_digits(monkeypatch: pytest.MonkeyPatch, units: int) -> None:
    """And doubles are right far inside the margin in which they decide."""
    *digits, (double, tail) = decisions(monkeypatch, lambda: geometric(fill(1, units), Numbers(1)))
    for digit, (near, exact) in enumerate(digits):
        right = 1 / (1 + exponential(units * UNIT * 2**digit))
        assert abs(exact / right - 1) < Fraction(1, SURE)
        assert abs(Fraction(near) / right - 1) < MARGIN / 16
    rest = 1 / exponential(units * UNIT * 2 ** len(digits))
    assert abs(tail / rest - 1) < Fraction(1, SURE)
    assert abs(Fraction(double) / rest - 1) < MARGIN / 16
    assert tail < Fraction(1, 2**62)


@pytest.mark.parametrize(("units", "threshold"), [(ONE // 300, 8_000), (ONE, 1), (ONE // 7, 200), (3 * ONE, 2)])
def test_gaps_have_the_stated_chances(monkeypatch: pytest.MonkeyPatch, units: int, threshold: int) -> None:
    drawn = decisions(monkeypatch, lambda: gaps(fill(1, units), fill(1, threshold), fill(1, 1000), Numbers(1)))
    powers = [1 - at_least(units, threshold)]
    for _ in range(10):
        powers.append(Fraction(round(powers[-1] ** 2 * 10**400), 10**400))
    rights = [powers[10], *(power / (1 + power) for power in powers[:10])]
    for (near, exact), right in zip(drawn, rights, strict=True):
        assert abs(exact / right - 1) < Fraction(1, SURE)
        assert abs(Fraction(near) / right - 1) < MARGIN / 16


def test_numbers_at_the_edge_are_decided_exactly() -> None:
    """The number that agrees with the chance on 63 bits is settled by the next ones, or those after them."""
    units, p = ONE, 1 / (1 + exponential(Fraction(1), 90))
    bits = [int(p * 2 ** (63 * n)) % 2**63 for n in (1, 2, 3)]
    law, which = discrete_noise._Law(fill(1, units)), np.zeros(1, np.int64)

    def positive(*numbers: int) -> tuple[bool, int]:
        stream: Any = Given(*numbers)
        return bool(discrete_noise._digits(law, which, 0, stream)[0]), len(numbers) - len(stream.left)

    assert positive(bits[0] - 1) == (True, 1)
    assert positive(bits[0] + 1) == (False, 1)
    assert positive(bits[0], bits[1] - 1) == (True, 2)
    assert positive(bits[0], bits[1] + 1) == (False, 2)
    assert positive(bits[0], bits[1], bits[2] - 1) == (True, 3)
    assert positive(bits[0], bits[1], bits[2] + 1) == (False, 3)


def test_doubles_decide_outside_of_the_margin_and_never_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(discrete_noise, "_settle", lambda number, *_: bool(asked.append(number)))
    p = int(2**63 / (1 + exponential(Fraction(1))))
    near, far = int(p * MARGIN * 0.9), int(p * MARGIN * 1.1)
    numbers = [0, p - far, p - near, p, p + near, p + far, 2**63 - 1]
    stream: Any = Given(*numbers)
    law, which = discrete_noise._Law(fill(7, ONE)), np.arange(7)
    assert discrete_noise._digits(law, which, 0, stream).tolist() == [True, True, *[False] * 5]
    assert asked == numbers[2:5]


def test_a_chance_that_doubles_cannot_hold_is_drawn_all_the_same() -> None:
    """exp(-2000) is no double: whatever number of 63 bits comes first, only more of them can say yes."""
    law, which = discrete_noise._Law(fill(1, 2000 * ONE)), np.zeros(1, np.int64)
    none: Any = Given(3)
    assert not discrete_noise._digits(law, which, 0, none)[0]
    zeros: Any = Given(*[0] * 46, 1)
    assert discrete_noise._digits(law, which, 0, zeros)[0]  # 2000 / ln 2 = 2885 zeros come first
    late: Any = Given(*[0] * 45, 2**62)
    assert not discrete_noise._digits(law, which, 0, late)[0]


def is_two_sided(drawn: Any, units: int) -> bool:
    """By exact tails, and by all cells together."""
    spread = float(1 / (units * UNIT))
    points = sorted({0, 1, -1, 2, -2, *(round(share * spread) for share in (-3, -1, -0.3, 0.3, 1, 3))})
    singles = all(usual(int((drawn == n).sum()), N, float(pmf(units, n)), of=99) for n in points)
    tails = all(usual(int((drawn >= n).sum()), N, float(at_least(units, n)), of=99) for n in points)
    edges = [n for n in points if 0.001 < at_least(units, n) < 0.999]
    chances = -np.diff([1, *(float(at_least(units, n)) for n in edges), 0])
    cells = np.bincount(np.searchsorted(edges, drawn, side="right"), minlength=len(chances))
    return singles and tails and usual_counts(cells[chances > 1e-3], N * chances[chances > 1e-3])


@pytest.mark.parametrize("units", RATES)
def test_draws_are_two_sided_geometric(units: int) -> None:
    drawn = two_sided(fill(N, units), Numbers(1, purpose=str(units)))
    assert is_two_sided(drawn, units)
    r = float(1 / exponential(units * UNIT))
    # Fourth moments are below 25 squared variances: eight deviations of the mean square are less likely than 1e-7.
    variance = 2 * r / (1 - r) ** 2
    assert abs(float((drawn.astype(float) ** 2).mean()) / variance - 1) < 8 * np.sqrt((25 + 1 / variance) / N)


def test_other_laws_are_told_apart() -> None:
    """Rounded floating-point noise, a zero that has both signs, one digit that is wrong."""
    random = np.random.default_rng(1)
    assert not is_two_sided(np.rint(random.laplace(0, 1, N)).astype(int), ONE)
    assert not is_two_sided(random.choice([-1, 1], N) * geometric(fill(N, ONE), Numbers(2)), ONE)
    assert not is_two_sided(two_sided(fill(N, ONE), Numbers(3)) ^ 1, ONE)
    assert not is_two_sided(two_sided(fill(N, 2 * ONE), Numbers(4)), ONE)


@pytest.mark.parametrize("units", RATES)
def test_each_digit_of_a_geometric_number_is_as_frequent_as_it_should_be(units: int) -> None:
    drawn = geometric(fill(N, units), Numbers(5, purpose=str(units)))
    for digit in range(12):
        p = float(1 / (1 + exponential(units * UNIT * 2**digit)))
        assert usual(int((drawn >> digit & 1).sum()), N, p, of=48)


def test_rates_may_differ_from_draw_to_draw() -> None:
    units = np.array(RATES * (N // 4), np.int64)
    drawn = geometric(units, Numbers(6))
    for rate in RATES:
        some = drawn[units == rate]
        assert usual(int((some == 0).sum()), len(some), float(1 - 1 / exponential(rate * UNIT)), of=4)


@pytest.mark.parametrize(("units", "threshold"), [(ONE, 1), (ONE, 3), (ONE // 10, 60)])
def test_gaps_end_where_noise_reaches_the_threshold(units: int, threshold: int) -> None:
    """As often as noise that is drawn for each zero would, and never behind the last one."""
    limit = 20
    drawn = gaps(fill(N, units), fill(N, threshold), fill(N, limit), Numbers(7))
    stays = float(1 - at_least(units, threshold))
    assert drawn.max() <= limit
    for n in (1, 2, 5, limit):
        assert usual(int((drawn >= n).sum()), N, stays**n, of=12)
    assert gaps(fill(3, units), fill(3, threshold), fill(3, 0), Numbers(8)).tolist() == [0, 0, 0]
