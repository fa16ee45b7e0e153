"""Which values the labels of a tree name, found by trying every value: standard library only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import count


def as_number(text: str) -> Fraction | None:
    """A text as a number, exactly; None if it is none."""
    try:
        return Fraction(text)
    except ValueError:
        return None


def names(label: str, value: str) -> bool:
    """Whether a label is a value, ends at it, or lists it."""
    if label == value:
        return True
    if label.startswith("{"):
        return value in re.split(r", |\}", label[1:])
    interval = re.fullmatch(r"(?:< |>= |\[)(\S+?)(?:, (\S+)\))?", label)
    return interval is not None and as_number(value) in [as_number(end) for end in interval.groups() if end]


def few_people(labels: Iterable[str], values: list[str], k: int) -> set[str]:
    """The values of fewer than k rows that one of the labels names."""
    held = Counter(values)
    return {value for label in labels for value, rows in held.items() if rows < k and names(label, value)}


def fewest_digits(low: Fraction, high: Fraction, refused: set[Fraction]) -> int:
    """How many significant digits it takes to write a number above ``low`` and at most ``high`` that is not refused."""
    if low < 0 <= high and 0 not in refused:
        return 0
    for digits in count(1):
        for power in range(6, -8 - digits, -1):
            unit = Fraction(10) ** power
            for start in {1, -1}:
                for whole in range(10 ** (digits - 1), 10**digits):
                    number = start * whole * unit
                    if low < number <= high and number not in refused:
                        return digits
    raise AssertionError
