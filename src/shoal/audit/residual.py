"""What remains possible although a promise is kept, as a share from 0 to 1, to report the largest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SEVERE = 0.05
"""From this share on a risk that no promise covers is as important as a verdict."""


@dataclass(frozen=True)
class Residual:
    """One risk that the promise of a release does not cover.

    Example:
        >>> print(Residual(0.87, "clusters", "have a certain link"))
        87.0 % of the clusters have a certain link
    """

    share: float
    of: str
    """What it is a share of, in the plural."""
    words: str
    """What may be learnt about so many of these: a verb and its complement."""

    @property
    def severe(self) -> bool:
        """Whether a reader should see it together with the verdict."""
        return self.share >= SEVERE

    @property
    def shown(self) -> str:
        """The share as text; a share above 0 or below 1 is never rounded to it."""
        return percent(self.share)

    def as_dict(self) -> dict[str, object]:
        """The entry as plain values."""
        return {"share": self.share, "severe": self.severe, "words": str(self)}

    def __str__(self) -> str:
        return f"{self.shown} of the {self.of} {self.words}"


def percent(share: float) -> str:
    """A share with one decimal; a share above 0 or below 1 is never rounded to it.

    Example:
        >>> percent(0.054), percent(1e-6), percent(0.99999)
        ('5.4 %', 'under 0.1 %', 'over 99.9 %')
    """
    if 0 < share < 0.0005:
        return "under 0.1 %"
    if 0.9995 <= share < 1:
        return "over 99.9 %"
    return f"{100 * share:.1f} %"


def by_severity(residuals: Iterable[Residual | None]) -> tuple[Residual, ...]:
    """The risks found, the largest share first."""
    return tuple(sorted((one for one in residuals if one is not None and one.share > 0), key=lambda one: -one.share))
