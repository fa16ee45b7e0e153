"""The number of records with each item, according to a release of baskets of any shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Float64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.release import BasketRelease
from shoal.shapes import SHAPES

POSSIBLE = "no possible original has fewer or more"


@dataclass(frozen=True, eq=False)
class ItemSupports:
    """Items or published groups of items, with their number of records in the release, and its possible error."""

    names: tuple[str, ...]
    low: Float64
    told: Float64
    high: Float64
    between: str
    """The meaning of the range from low to high."""
    model: str = ""
    """The condition under which the numbers hold, as the words after "if"; empty if there is none."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.names)

    def most_frequent(self, n: int) -> ItemSupports:
        """The n items with most records, ties by place."""
        chosen = np.lexsort((np.arange(len(self)), -self.told))[:n]
        return self.take(chosen)

    def take(self, places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> ItemSupports:
        """The items at the given places."""
        names = tuple(self.names[place] for place in places.tolist())
        return ItemSupports(names, self.low[places], self.told[places], self.high[places], self.between, self.model)


def published_supports(release: BasketRelease) -> ItemSupports:
    """The numbers in a release for everything that it names: items, and groups of items if these were generalized.

    Example:
        >>> import shoal
        >>> told = published_supports(shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea"}]), k=2, m=1))
        >>> told.names, told.told.tolist()
        (('milk', 'tea'), [4.0, 5.0])
    """
    found: ItemSupports = SHAPES[release.shape].load("item_supports").published(release)
    return found


def supports_beside(
    original: Transactions, release: BasketRelease, *, hierarchy: Hierarchy | None = None
) -> ItemSupports:
    """The number of records with each item of the original, in its order, according to a release; 0 if not named.

    For a generalized item: an even share of the rows with its group, at least none and at most all.

    Raises:
        InputError: the release cannot be made from these data.
    """
    found: ItemSupports = SHAPES[release.shape].load("item_supports").beside(original, release, hierarchy)
    return found


def placed(
    original: Transactions, told: ItemSupports, places: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> ItemSupports:
    """The numbers for the items of an original, given the place of each among the named ones, or -1."""
    there = np.flatnonzero(places >= 0)
    low, mean, high = np.zeros((3, original.n_items))
    for mine, theirs in ((low, told.low), (mean, told.told), (high, told.high)):
        mine[there] = theirs[places[there]]
    return ItemSupports(tuple(original.words), low, mean, high, told.between, told.model)


def alone(n: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """Every item as a set with one element."""
    return np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int32)
