"""Round numbers that separate others: interval ends that are no person's value.

A cut at ``c`` separates ``a`` from a larger ``b`` if ``a < c <= b``, because intervals include their lower end. Of all
such numbers, the one with the fewest significant digits reveals least about ``a`` and ``b``. It is a multiple of the
largest power of ten that has a multiple there: with fewer digits and a smaller power, it would be below a power of ten
that also separates them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from decimal import Decimal
from fractions import Fraction


def roundest(low: Decimal, high: Decimal, refused: Container[Decimal] = ()) -> Decimal:
    """The number with the fewest significant digits above ``low`` and at most ``high``, except the refused numbers.

    Of several such numbers, it is the one nearest to the middle, and of two the smaller one. ``low`` is below ``high``,
    and only finitely many numbers are refused.

    Example:
        >>> [str(roundest(Decimal(a), Decimal(b))) for a, b in [("23", "41"), ("41250", "41310"), ("-3", "8")]]
        ['30', '41300', '0']
        >>> str(roundest(Decimal(36), Decimal(37))), str(roundest(Decimal(36), Decimal(37), [Decimal(37)]))
        ('37', '36.5')
    """
    middle = Fraction(low) + Fraction(high)
    found = next(numbers for numbers in rounder_first(low, high, refused) if numbers)
    return min(found, key=lambda number: (digits(number), abs(2 * Fraction(number) - middle), number))


def rounder_first(low: Decimal, high: Decimal, refused: Container[Decimal] = ()) -> Iterator[list[Decimal]]:
    """Multiples of smaller and smaller powers of ten above ``low`` and at most ``high``, ascending; 0 comes first."""
    if low < 0 <= high and Decimal(0) not in refused:
        yield [Decimal(0)]
    power = max(low.adjusted(), high.adjusted()) + 1
    while True:
        numbers = (_multiple(times, power) for times in range(_times(low, power) + 1, _times(high, power) + 1))
        yield [number for number in numbers if number not in refused]
        power -= 1


def digits(number: Decimal) -> int:
    """How many significant digits a number has; 0 has none.

    Example:
        >>> [digits(Decimal(text)) for text in ("0", "40000", "0.50", "36.5")]
        [0, 1, 1, 3]
    """
    return len("".join(map(str, number.as_tuple().digits)).strip("0"))


def written(number: Decimal) -> str:
    """A number in full, without an exponent and without unnecessary zeros.

    Example:
        >>> written(Decimal("4E+4")), written(Decimal("-0.50"))
        ('40000', '-0.5')
    """
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _times(number: Decimal, power: int) -> int:
    """A number divided by a power of ten, rounded down."""
    above, below = number.as_integer_ratio()
    unit: int = 10 ** abs(power)
    return above // (below * unit) if power >= 0 else above * unit // below


def _multiple(times: int, power: int) -> Decimal:
    whole = Decimal(times * 10 ** max(power, 0))
    return whole if power >= 0 else Decimal((int(times < 0), whole.as_tuple().digits, power))
