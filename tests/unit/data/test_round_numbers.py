"""Numbers that separate others: as few digits as can be, deterministic, never one that is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal.data.round_numbers import digits, roundest, written
from tests.oracles.named_values import fewest_digits

numbers = st.decimals(-500, 500, places=1) | st.integers(-99, 99).map(Decimal)


@settings(deadline=None, max_examples=60)
@given(numbers, numbers, st.booleans())
def test_no_number_with_fewer_digits_separates(one: Decimal, two: Decimal, refuses_end: bool) -> None:
    low, high = min(one, two), max(one, two)
    assume(low < high)
    refused = [high] if refuses_end else []
    found = roundest(low, high, refused)
    assert low < found <= high
    assert found not in refused
    assert digits(found) == fewest_digits(Fraction(low), Fraction(high), set(map(Fraction, refused)))


@pytest.mark.parametrize(
    ("low", "high", "refused", "expected"),
    [
        ("41250", "41310", [], "41300"),
        ("36", "37", [], "37"),
        ("36", "37", ["37"], "36.5"),
        ("-41", "-23", [], "-30"),
        ("-3", "8", [], "0"),
        ("-3", "8", ["0"], "2"),
        ("7.8958", "7.925", ["7.925"], "7.9"),
        ("0", "0.004", [], "0.002"),
        ("9", "1e30", ["1e30"], "5" + "0" * 29),
    ],
)
def test_separating_numbers(low: str, high: str, refused: list[str], expected: str) -> None:
    assert written(roundest(Decimal(low), Decimal(high), list(map(Decimal, refused)))) == expected
