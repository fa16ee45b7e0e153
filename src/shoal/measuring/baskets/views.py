"""What an analyst sees in a release of baskets, beside the original and in its numbering of items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Bools, Float64
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_sets import ItemRows, ItemSets
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import Progress
from shoal.measuring.baskets.pair_errors import Pairs, counted
from shoal.measuring.baskets.top_itemsets_lost import Levels, Top, at_all_levels, levels_of, top_of
from shoal.measuring.metric import Metric
from shoal.mining.itemsets import frequent_itemsets
from shoal.mining.support import least_count
from shoal.release import BasketRelease
from shoal.shapes import SHAPES


class View(Protocol):
    """A release as an analyst reads it; codes are those of the original, and more for items that it does not have."""

    reading: ClassVar[str]
    """How the release was read, in a sentence."""

    @property
    def named(self) -> Bools:
        """Which items of the original stand in the release under their own names."""

    def top(self, k: int, progress: Progress | None) -> Top:
        """The k most frequent itemsets."""

    def frequent(self, min_support: float, progress: Progress | None) -> ItemRows:
        """The itemsets that reach a threshold, as a share of the release's own number of records."""

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        """The levels of a hierarchy, and the release at all of them; or why there is no such thing."""

    def pairs(self, pairs: Pairs, progress: Progress | None) -> Float64:
        """In how many records both items of each pair are, as far as the release tells."""

    def certain(self, pairs: Pairs) -> Float64 | None:
        """In how many records both items of each pair are for certain; None where all that is told is certain."""

    def ncp(self) -> Metric | None:
        """What generalizing the items cost; None where nothing was generalized."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A release of which there are records to look at."""

    original: Transactions
    rows: Transactions
    """What has a name in the release; records in which nothing has are left out."""
    n_records: int
    """How many records the release has, with those that were left out."""

    @cached_property
    def named(self) -> Bools:
        """Which items rows hold."""
        held: Bools = self.rows.supports[: self.original.n_items] > 0
        return held

    def top(self, k: int, progress: Progress | None) -> Top:
        """Those of the rows."""
        return top_of(self.rows, k, progress) if len(self.rows) else Top(_no_sets(self.rows.vocabulary), 0)

    def frequent(self, min_support: float, progress: Progress | None) -> ItemRows:
        """Those of the rows, by a threshold that is a share of all records."""
        if not len(self.rows):
            return _no_sets(self.rows.vocabulary)
        return frequent_itemsets(self.rows, least_count(min_support, self.n_records), progress=progress)

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        """Those of the items of the rows."""
        levels = levels_of(hierarchy, self.rows)
        return levels, at_all_levels(self.rows, levels)

    def pairs(self, pairs: Pairs, progress: Progress | None) -> Float64:
        """Counted in the rows."""
        del progress
        return counted(self.rows, pairs).astype(float)

    def certain(self, pairs: Pairs) -> Float64 | None:
        """Nothing beside what is told."""
        del pairs
        return None

    def ncp(self) -> Metric | None:
        """Nothing was generalized."""
        return None


def view_of(
    original: Transactions,
    release: BasketRelease,
    *,
    hierarchy: Hierarchy | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> View:
    """The view of a release, checked against its original.

    Raises:
        InputError: the release cannot have been made from these data, or, of generalized baskets, not with this
            hierarchy.
    """
    found: View = SHAPES[release.shape].load("view")(
        original, release, hierarchy=hierarchy, seed=seed, progress=progress
    )
    return found


def _no_sets(vocabulary: pa.Array) -> ItemSets:
    return ItemSets(np.zeros(1, np.int64), np.zeros(0, np.int32), vocabulary)
