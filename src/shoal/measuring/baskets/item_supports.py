"""In how many records each item is, as far as a release of baskets tells, whatever its shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.analyse.disassociated.supports import estimate
from shoal.analyse.node_rows.supports import noisy_counts
from shoal.analyse.randomized.estimates import NORMAL_95
from shoal.analyse.randomized.supports import estimate as estimate_shares
from shoal.data.arrays import Float64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import codes_in, compare, nodes_in, refuse_strange
from shoal.release import BasketRelease
from shoal.release.disassociated import Disassociated
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.randomized import Randomized

_POSSIBLE = "no possible original has fewer or more"
_CONFIDENT = "of 100 such ranges about 95 hold the truth"
_NOISE = "where noise of 95 in 100 draws stays; what was too rare to be published is missing"


@dataclass(frozen=True, eq=False)
class ItemSupports:
    """Items or published groups of items, in how many records they are told to be, and how far that may be off."""

    names: tuple[str, ...]
    low: Float64
    told: Float64
    high: Float64
    between: str
    """What the range from low to high is."""
    model: str = ""
    """What has to be true for what is told, as what follows an "if"; empty where nothing has."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.names)

    def most_frequent(self, n: int) -> ItemSupports:
        """The n that are told to be in most records, ties by place."""
        chosen = np.lexsort((np.arange(len(self)), -self.told))[:n]
        return self.take(chosen)

    def take(self, places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> ItemSupports:
        """Those at the given places."""
        names = tuple(self.names[place] for place in places.tolist())
        return ItemSupports(names, self.low[places], self.told[places], self.high[places], self.between, self.model)


def published_supports(release: BasketRelease) -> ItemSupports:
    """What a release tells of everything that it names: items, and groups of items where these were generalized.

    Example:
        >>> import shoal
        >>> told = published_supports(shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea"}]), k=2, m=1))
        >>> told.names, told.told.tolist()
        (('milk', 'tea'), [4.0, 5.0])
    """
    if isinstance(release, Disassociated):
        found = estimate(release, *_alone(len(release.vocabulary)))
        words = tuple(release.words)
        low, high = found.least.astype(float), found.most.astype(float)
        model = found.model if (high > low).any() else ""
        return ItemSupports(words, low, found.expected, high, _POSSIBLE, model)
    if isinstance(release, Randomized):
        shares = estimate_shares(release, *_alone(release.n_items))
        low, told, high = (_records(part, release.n_records) for part in (shares.low, shares.estimate, shares.high))
        return ItemSupports(tuple(release.vocabulary.cast("string").to_pylist()), low, told, high, _CONFIDENT)
    if isinstance(release, GeneralizedBaskets):
        held = np.flatnonzero(release.is_held)
        rows = release.supports[held].astype(float)
        return ItemSupports(tuple(release.tree.labels[node] for node in held.tolist()), rows, rows, rows, _POSSIBLE)
    names = [release.tree.labels[node] for node in np.unique(release.items).tolist()]
    counts = noisy_counts(release, [[name] for name in names])
    told = np.array([one.count for one in counts], float)
    room = NORMAL_95 * np.array([one.error for one in counts], float)
    return ItemSupports(tuple(names), np.maximum(told - room, 0), told, told + room, _NOISE)


def supports_beside(
    original: Transactions, release: BasketRelease, *, hierarchy: Hierarchy | None = None
) -> ItemSupports:
    """What a release tells of each item of its original, in the original's order; of one that it does not name, 0.

    Of an item that was generalized: its even part of the rows that hold its group, none at least, all at most.

    Raises:
        InputError: the release cannot have been made from these data.
    """
    told = published_supports(release)
    if isinstance(release, Disassociated):
        return _placed(original, told, np.asarray(compare(original, release).release_codes, np.int64))
    if isinstance(release, Randomized):
        return _placed(original, told, np.asarray(codes_in(original, release), np.int64))
    if isinstance(release, GeneralizedBaskets):
        nodes = nodes_in(original, release, hierarchy)
        rows, items = release.supports[nodes].astype(float), release.tree.leaves[nodes]
        low = np.where(items > 1, 0.0, rows)
        return ItemSupports(tuple(original.words), low, rows / items, rows, told.between)
    refuse_strange(original, release)
    place = {name: number for number, name in enumerate(told.names)}
    return _placed(original, told, np.array([place.get(word, -1) for word in original.words], np.int64))


def _placed(
    original: Transactions, told: ItemSupports, places: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> ItemSupports:
    there = np.flatnonzero(places >= 0)
    low, mean, high = np.zeros((3, original.n_items))
    for mine, theirs in ((low, told.low), (mean, told.told), (high, told.high)):
        mine[there] = theirs[places[there]]
    return ItemSupports(tuple(original.words), low, mean, high, told.between, told.model)


def _alone(n: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """Every item as a set of its own."""
    return np.arange(n + 1, dtype=np.int64), np.arange(n, dtype=np.int32)


def _records(shares: Float64, n: int) -> Float64:
    found: Float64 = np.clip(shares, 0.0, 1.0) * n
    return found
