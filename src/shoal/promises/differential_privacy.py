"""Differential privacy, as what is promised: how much one record can change what is published.

C. Dwork: Differential Privacy, ICALP 2006. The number means nothing without its neighbours, the pairs of data sets that
are told apart so badly: a promise names them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from shoal.limits import require_number, require_whole
from shoal.promises.item_lists import ItemList, require_item_list, where_the_list_ends

_SEVERAL = "nothing about people who have several records"
_LARGE = "an epsilon far above 1 promises little: the factor is exp(epsilon)"
_OF_THE_DATA = (
    " The list of items was read off the data, and epsilon does not cover it: it shows that somebody holds each item."
)


@dataclass(frozen=True)
class DifferentialPrivacy:
    """Replacing one record makes no release more than ``exp(epsilon)`` times as likely, nor as unlikely.

    Records have at most ``max_basket`` items. The number of records and the list of items are taken as known. Where the
    list was read off the data, it was not: then the promise covers the rows, and not the list.
    """

    epsilon: float
    max_basket: int
    """How many items a record may have; what was longer was cut, by chance, before anything was flipped."""
    item_list: ItemList = "data"
    """Whether the list of items was given, and so known beforehand, or read off the data: the weaker one by default."""
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
            f"Whatever other record of at most {self.max_basket} items stood in the place of one, no release becomes "
            f"more than exp({self.epsilon:g}) times as likely."
        ) + (_OF_THE_DATA if self.item_list == "data" else "")

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What the number leaves open."""
        return (
            where_the_list_ends(self.item_list, "epsilon"),
            "nothing about the number of records, which is taken as known beforehand",
            _SEVERAL,
            _LARGE,
        )


@dataclass(frozen=True)
class UnboundedDifferentialPrivacy:
    """Adding or removing one record makes no release more than ``exp(epsilon)`` times as likely, nor as unlikely.

    The list of items and their hierarchy are taken as known. Where the list was read off the data, it was not: then the
    promise covers baskets and counts, and not the list. The number of records is not taken as known ("unbounded").
    """

    epsilon: float
    item_list: ItemList = "data"
    """Whether the list of items was given, and so known beforehand, or read off the data: the weaker one by default."""
    neighbouring: str = field(default="one record added or removed", init=False)
    """Which data sets are neighbours."""

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, least=0, most=math.inf)
        require_item_list(self.item_list)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            "Whichever record is left out, or whatever record is added, no release becomes more than "
            f"exp({self.epsilon:g}) times as likely, nor as unlikely."
        ) + (_OF_THE_DATA if self.item_list == "data" else "")

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What the number leaves open."""
        return (
            where_the_list_ends(self.item_list, "epsilon"),
            "nothing about the hierarchy of items, which is published, and taken as known beforehand",
            _SEVERAL,
            _LARGE,
            "replacing one record by another is two steps, and changes chances by up to twice epsilon",
            "from the release alone nobody can tell whether the noise was what is stated: only the original shows it",
            "every further release of the same people adds its own epsilon",
            "rare baskets are missing, and baskets that nobody has are among those published",
        )
