"""Differential privacy, as what is promised: how much one record can change what is published.

C. Dwork: Differential Privacy, ICALP 2006. The number means nothing without its neighbours, the pairs of data sets that
are told apart so badly: a promise names them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from shoal.limits import require_number, require_whole

_SEVERAL = "nothing about people who have several records"
_LARGE = "an epsilon far above 1 promises little: the factor is exp(epsilon)"


@dataclass(frozen=True)
class DifferentialPrivacy:
    """Replacing one record makes no release more than ``exp(epsilon)`` times as likely, nor as unlikely.

    Records have at most ``max_basket`` items. The number of records and the list of items are taken as known.
    """

    epsilon: float
    max_basket: int
    """How many items a record may have; what was longer was cut, by chance, before anything was flipped."""
    neighbouring: str = field(default="one record replaced by another", init=False)
    """Which data sets are neighbours."""

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, least=0, most=math.inf)
        require_whole("max_basket", self.max_basket, least=1)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"Whatever other record of at most {self.max_basket} items stood in the place of one, no release becomes "
            f"more than exp({self.epsilon:g}) times as likely."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What the number leaves open."""
        return (
            "nothing about the number of records and the list of items, which are taken as known beforehand",
            _SEVERAL,
            _LARGE,
        )


@dataclass(frozen=True)
class UnboundedDifferentialPrivacy:
    """Adding or removing one record makes no release more than ``exp(epsilon)`` times as likely, nor as unlikely.

    The list of items and their hierarchy are taken as known. The number of records is not ("unbounded").
    """

    epsilon: float
    neighbouring: str = field(default="one record added or removed", init=False)
    """Which data sets are neighbours."""

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, least=0, most=math.inf)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            "Whichever record is left out, or whatever record is added, no release becomes more than "
            f"exp({self.epsilon:g}) times as likely, nor as unlikely."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What the number leaves open."""
        return (
            "nothing about the list of items and their hierarchy, which are published, and taken as known beforehand",
            _SEVERAL,
            _LARGE,
            "replacing one record by another is two steps, and changes chances by up to twice epsilon",
            "from the release alone nobody can tell whether the noise was what is stated: only the original shows it",
            "every further release of the same people adds its own epsilon",
            "rare baskets are missing, and baskets that nobody has are among those published",
        )
