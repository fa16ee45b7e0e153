"""Exact whole-number noise: geometric, two-sided geometric, and gaps between rare successes.

A. Ghosh, T. Roughgarden, M. Sundararajan: Universally Utility-Maximizing Privacy Mechanisms, STOC 2009 (the two-sided
geometric law). I. Mironov: On Significance of the Least Significant Bits for Differential Privacy, CCS 2012: the last
bits of floating-point noise reveal the value to which it was added. Here all noise is a whole number, and
floating-point numbers only decide between 0 and 1 where their error cannot matter.

How: if P(X >= n) = r^n, the binary digits of X are independent, digit j being 1 with probability
r^(2^j) / (1 + r^(2^j)); the part above digit J is again geometric, with the ratio r^(2^J). So a draw is a few yes-or-no
decisions. Each compares a random number of 63 bits with a probability p computed in doubles. These have a relative
error far below 2^-32. If the number is nearer to p than that (once in 2^31 decisions), p is computed to as many digits,
and as many more random bits are drawn, as needed: no probability is ever rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from fractions import Fraction

import numpy as np

from shoal.data.arrays import Bools, Float64, Int64
from shoal.randomness import Numbers

UNIT_BITS = 40
"""Budgets are whole multiples of 2^-40, so that sums of them are exact."""
MARGIN = 2.0**-32
"""Doubles decide if the random number differs from the probability by at least this share of it plus two units."""
_BITS = 63
_FAR = 64
"""Digits are drawn up to a ratio below exp(-64): the rest above them is almost always 0, and is drawn last."""
_GUARD_DIGITS = 16


def geometric(units: Int64, chance: Numbers) -> Int64:
    """For each rate a number X from 0 on with P(X >= n) = exp(-rate n); rates are given in ``units`` of 2^-40.

    Example:
        >>> geometric(np.array([2**40, 2**60]), Numbers(7)).tolist()
        [1, 0]
    """
    law = _Law(units)
    n_digits = np.maximum(0, UNIT_BITS + _FAR.bit_length() - np.frexp(units.astype(np.float64))[1].astype(np.int64))
    drawn = np.zeros(len(units), np.int64)
    for digit in range(int(n_digits.max(initial=0))):
        which = np.flatnonzero(n_digits > digit)
        drawn[which] += _digits(law, which, digit, chance).astype(np.int64) << digit
    which = np.arange(len(units))
    while len(which):
        which = which[_tails(law, which, n_digits[which], chance)]
        drawn[which] += np.int64(1) << n_digits[which]
    return drawn


def two_sided(units: Int64, chance: Numbers) -> Int64:
    """For each rate a whole number X with P(X = n) proportional to exp(-rate |n|): the discrete Laplace law.

    X is positive with probability r / (1 + r), r = exp(-rate), which is the law of the lowest digit; then X - 1, and
    otherwise -X, is geometric. So zero is not counted twice.
    """
    law = _Law(units)
    positive = _digits(law, np.arange(len(units)), 0, chance)
    size = geometric(units, chance)
    return np.where(positive, size + 1, -size)


def gaps(units: Int64, thresholds: Int64, limits: Int64, chance: Numbers) -> Int64:
    """How many zeros, with such noise, stay below a threshold before the next one reaches it.

    Args:
        units: for each gap the rate of the noise, in units of 2^-40.
        thresholds: the thresholds; at least 1.
        limits: how many zeros there are; a longer gap is cut to this.
        chance: where the random numbers come from.
    """
    law = _Law(units, thresholds)
    n_digits = np.frexp(limits.astype(np.float64))[1].astype(np.int64)
    drawn = limits.copy()
    which = np.flatnonzero(~_tails(law, np.arange(len(units)), n_digits, chance))
    drawn[which] = 0
    for digit in range(int(n_digits[which].max(initial=0))):
        still = which[n_digits[which] > digit]
        drawn[still] += _digits(law, still, digit, chance).astype(np.int64) << digit
    return np.minimum(drawn, limits)


@dataclass(frozen=True, eq=False)
class _Law:
    """Geometric laws by their rates, -ln(ratio): in doubles for all, to any precision for one."""

    units: Int64
    thresholds: Int64 | None = None
    """Without them the ratio is exp(-rate); with them, the chance that noise of that rate stays below."""

    def rates(self, which: Int64) -> Float64:
        """The rates, in doubles."""
        rates = np.ldexp(self.units[which].astype(np.float64), -UNIT_BITS)
        if self.thresholds is None:
            return np.asarray(rates)
        staying: Float64 = -np.log1p(-np.exp(-rates * self.thresholds[which]) / (1 + np.exp(-rates)))
        return staying

    def exact_rate(self, at: int) -> Decimal:
        """One rate, to the precision of the context."""
        rate = Decimal(int(self.units[at])) / (1 << UNIT_BITS)
        if self.thresholds is None:
            return rate
        threshold = int(self.thresholds[at])
        # One minus a tiny probability needs one more digit for each zero behind its decimal point.
        with localcontext(_precise(getcontext().prec + math.ceil(rate * threshold))):
            passing = (-rate * threshold).exp() / (1 + (-rate).exp())
            return -(1 - passing).ln()


def _digits(law: _Law, which: Int64, digit: int, chance: Numbers) -> Bools:
    """Whether this binary digit is 1, for some of the laws."""

    def exact(at: int) -> Decimal:
        return 1 / (1 + (law.exact_rate(int(which[at])) * (1 << digit)).exp())

    with np.errstate(over="ignore"):
        return _decide(1 / (1 + np.exp(np.ldexp(law.rates(which), digit))), exact, chance)


def _tails(law: _Law, which: Int64, digits: Int64, chance: Numbers) -> Bools:
    """Whether there is anything above so many digits, for some of the laws."""

    def exact(at: int) -> Decimal:
        return (-law.exact_rate(int(which[at])) * (1 << int(digits[at]))).exp()

    return _decide(np.exp(-np.ldexp(law.rates(which), digits)), exact, chance)


def _decide(p: Float64, exact: Callable[[int], Decimal], chance: Numbers) -> Bools:
    """Yes with the probabilities that ``exact`` gives; ``p`` are doubles near these."""
    numbers = chance.take(len(p))
    places = np.ldexp(p, _BITS)
    beyond = numbers - places
    yes = beyond < 0
    for at in np.flatnonzero(np.abs(beyond) <= places * MARGIN + 2).tolist():
        yes[at] = _settle(int(numbers[at]), exact, at, chance)
    return np.asarray(yes)


def _settle(number: int, exact: Callable[[int], Decimal], at: int, chance: Numbers) -> bool:
    """Whether the real number in [0, 1) that begins with these bits is below a probability."""
    bits = _BITS
    while True:
        with localcontext(_precise(bits // 3 + 2 * _GUARD_DIGITS)) as context:
            p = Fraction(exact(at))
            error = p / 10 ** (context.prec - _GUARD_DIGITS)
        if Fraction(number + 1, 2**bits) <= p - error:
            return True
        if Fraction(number, 2**bits) >= p + error:
            return False
        number = number << _BITS | int(chance.take(1)[0])
        bits += _BITS


def _precise(digits: int) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
