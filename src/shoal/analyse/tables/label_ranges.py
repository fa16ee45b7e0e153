"""Labels of generalized numbers, read as ranges: ``[20, 40)``, ``< 20``, ``>= 60``, ``20-39``.

A square bracket that opens towards the number holds it, as in ``[20, 40)`` and ``[20, 40[``; what stands beside a dash
is held on both sides. Brackets and signs are exact. A dash is not: in a hierarchy of ages that many have used (that of
ARX for Adult), ``15-19`` stands for 16 to 20. It is good for a mean, and for no bound.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from shoal.analyse.tables.conditions import NUMBER, is_number

_BRACKETS = re.compile(rf"([\[(\]])\s*({NUMBER})\s*,\s*({NUMBER})\s*([\])\[])", re.ASCII)
_DASH = re.compile(r"(\d+(?:\.\d+)?)\s*-\s*(\d+(?:\.\d+)?)", re.ASCII)
_COMPARED = re.compile(rf"(<=|>=|<|>)\s*({NUMBER})", re.ASCII)


@dataclass(frozen=True)
class Interval:
    """Numbers between two ends, each of which may be missing, held or left out.

    Example:
        >>> twenties = read("[20, 30)")
        >>> twenties.within(read(">= 20")), twenties.meets(read(">= 30")), twenties.share(read("25-99"), whole=True)
        (True, False, 0.5)
    """

    low: Decimal | None = None
    high: Decimal | None = None
    without_low: bool = False
    """Whether the lower end itself is left out."""
    without_high: bool = False

    @property
    def empty(self) -> bool:
        """Whether no number is between the ends."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.without_low or self.without_high))

    def __and__(self, other: Interval) -> Interval:
        # The greater of the lower ends, and of equal ones that which leaves out more; a missing one is the least.
        low = max((self.low, self.without_low), (other.low, other.without_low), key=_as_low)
        high = min((self.high, self.without_high), (other.high, other.without_high), key=_as_high)
        return Interval(low[0], high[0], low[1], high[1])

    def within(self, other: Interval) -> bool:
        """Whether the other one holds all of this."""
        return not self.empty and (self & other) == self

    def meets(self, other: Interval) -> bool:
        """Whether some number is in both."""
        return not (self & other).empty

    def size(self, *, whole: bool) -> float:
        """How many whole numbers are in it, or how long it is."""
        if self.empty:
            return 0.0
        if self.low is None or self.high is None:
            return math.inf
        if not whole:
            return float(self.high - self.low)
        first = math.floor(self.low) + 1 if self.without_low else math.ceil(self.low)
        last = math.ceil(self.high) - 1 if self.without_high else math.floor(self.high)
        return float(max(0, last - first + 1))

    def share(self, other: Interval, *, whole: bool) -> float:
        """Which part of this one is in the other, if all numbers (or all whole numbers) are alike; nan: not known."""
        if self.within(other):
            return 1.0
        if not self.meets(other):
            return 0.0
        size = self.size(whole=whole)
        return (self & other).size(whole=whole) / size if 0 < size < math.inf else math.nan


def read(label: str) -> Interval | None:
    """The numbers that a label stands for, or None if it is not written as a range."""
    found = _BRACKETS.fullmatch(label)
    if found:
        made = Interval(Decimal(found[2]), Decimal(found[3]), found[1] != "[", found[4] != "]")
        return None if made.empty else made
    found = _DASH.fullmatch(label)
    if found:
        made = Interval(Decimal(found[1]), Decimal(found[2]))
        return None if made.empty else made
    found = _COMPARED.fullmatch(label)
    if found is None:
        return None
    end, leaves_out = Decimal(found[2]), len(found[1]) == 1
    return Interval(high=end, without_high=leaves_out) if label[0] == "<" else Interval(end, without_low=leaves_out)


def is_exact(label: str) -> bool:
    """Whether a label that is a range says exactly where it ends."""
    return _DASH.fullmatch(label) is None


def point(text: str) -> Interval | None:
    """A number as a range of its own, or None if it is none."""
    return Interval(Decimal(text), Decimal(text)) if is_number(text) else None


def _as_low(end: tuple[Decimal | None, bool]) -> tuple[bool, Decimal, bool]:
    return end[0] is not None, end[0] or Decimal(0), end[1]


def _as_high(end: tuple[Decimal | None, bool]) -> tuple[bool, Decimal, bool]:
    return end[0] is None, end[0] or Decimal(0), not end[1]
