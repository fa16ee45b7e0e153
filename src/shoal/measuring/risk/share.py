"""A share of the records: counted, or estimated from a sample with an interval."""

from __future__ import annotations

from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Share:
    """A part of all records, from 0 to 1.

    Example:
        >>> Share(0.25, 0.25, 0.25), Share(0.5, 0.4, 0.6, sample=100)
        (Share(25.0%), Share(about 50.0%, from 40.0% to 60.0%))
    """

    value: float | None
    """None if only the two bounds are known."""
    low: float
    high: float
    sample: int = 0
    """The size of the sample; 0 if it was counted."""

    @property
    def exact(self) -> bool:
        """Whether it was counted."""
        return self.value is not None and self.sample == 0

    @property
    def shown(self) -> str:
        """The share as text."""
        if self.exact:
            return percent(self.low)
        between = f"from {percent(self.low)} to {percent(self.high)}"
        return between if self.value is None else f"about {percent(self.value)}, {between}"

    def __repr__(self) -> str:
        return f"Share({self.shown})"


def counted_share(part: int, whole: int) -> Share:
    """A share that was counted."""
    value = part / whole if whole else 0.0
    return Share(value, value, value)


def sampled_share(certain: int, rest: int, hits: int, sample: int, whole: int) -> Share:
    """The share of some certain records, plus that of ``rest`` others, estimated from the hits in a random sample.

    The interval is that of C. Clopper and E. Pearson (1934): it contains the true value in at least 95 of 100 samples,
    drawn with or without replacement.
    """
    low, high = _clopper_pearson(hits, sample)
    value = (certain + rest * hits / sample) / whole if sample else None
    return Share(value, (certain + rest * low) / whole, (certain + rest * high) / whole, sample)


def percent(share: float) -> str:
    """A share in percent; a share that is not 0 or 1 is never rounded to 0 or 100 percent.

    Example:
        >>> percent(0.1234), percent(1e-6), percent(0.99999), percent(1.0)
        ('12.3%', 'under 0.1%', 'over 99.9%', '100.0%')
    """
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.9995 <= share < 1:
        return "over 99.9%"
    return f"{share:.1%}"


def _clopper_pearson(hits: int, sample: int) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(hits, sample - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, sample - hits, 1 - tail)) if hits < sample else 1.0
    return low, high
