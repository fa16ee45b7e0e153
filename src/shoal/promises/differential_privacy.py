"""Differential privacy as a promise: how much one record can change what is published.

C. Dwork: Differential Privacy, ICALP 2006. Epsilon has a meaning only if the neighbours are named: the pairs of data
sets that are hard to distinguish. Each promise names them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from shoal.limits import require_number, require_whole
from shoal.promises.item_lists import ItemList, require_item_list, where_the_list_ends

_SEVERAL = "nothing about people who have several records"
_LARGE = "an epsilon far above 1 promises little: the factor is exp(epsilon)"
_OF_THE_DATA = (
    " The list of items was read from the data, and epsilon does not cover it: it shows that someone holds each item."
)


@dataclass(frozen=True)
class DifferentialPrivacy:
    """Replacing one record makes no release more than ``exp(epsilon)`` times as likely, nor as unlikely.

    Records have at most ``max_basket`` items. The number of records and the list of items are taken as known. If the
    list was read from the data, it was not known: then the promise covers the rows, and not the list.
    """

    epsilon: float
    max_basket: int
    """How many items a record may have; longer records were cut at random before any item was flipped."""
    item_list: ItemList = "data"
    """Whether the list of items was given, and so known beforehand, or read from the data (the default, and weaker)."""
    neighbouring: str = field(default="one record replaced by another", init=False)
    """Which data sets are neighbours."""

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, least=0, most=math.inf)
        require_whole("max_basket", self.max_basket, least=1)
        require_item_list(self.item_list)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"Replacing one record by any other of at most {self.max_basket} items makes no release more than "
            f"exp({self.epsilon:g}) times as likely."
        ) + (_OF_THE_DATA if self.item_list == "data" else "")

    @property
    def not_promised(self) -> tuple[str, ...]:
        """Limits of the promise."""
        return (
            where_the_list_ends(self.item_list, "epsilon"),
            "nothing about the number of records, which is taken as known beforehand",
            _SEVERAL,
            _LARGE,
        )


@dataclass(frozen=True)
class UnboundedDifferentialPrivacy:
    """Adding or removing one record makes no release more than ``exp(epsilon)`` times as likely, nor as unlikely.

    The list of items and their hierarchy are taken as known. If the list was read from the data, it was not known: then
    the promise covers baskets and counts, and not the list. The number of records is not taken as known ("unbounded").
    """

    epsilon: float
    item_list: ItemList = "data"
    """Whether the list of items was given, and so known beforehand, or read from the data (the default, and weaker)."""
    neighbouring: str = field(default="one record added or removed", init=False)
    """Which data sets are neighbours."""

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, least=0, most=math.inf)
        require_item_list(self.item_list)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            "Adding or removing one record makes no release more than "
            f"exp({self.epsilon:g}) times as likely, nor as unlikely."
        ) + (_OF_THE_DATA if self.item_list == "data" else "")

    @property
    def not_promised(self) -> tuple[str, ...]:
        """Limits of the promise."""
        return (
            where_the_list_ends(self.item_list, "epsilon"),
            "nothing about the hierarchy of items, which is published, and taken as known beforehand",
            _SEVERAL,
            _LARGE,
            "replacing one record by another counts as two steps, so up to twice epsilon",
            "the release alone does not show whether the noise was as stated: only the original shows it",
            "every further release of the same people adds its own epsilon",
            "rare baskets are missing, and baskets that nobody has are published",
        )
