"""What an analyst sees in a release of baskets, in the original's numbering of items."""

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
from shoal.measuring.baskets.pair_errors import Pairs, counted
from shoal.measuring.baskets.top_itemsets_lost import Levels, Top, at_all_levels, levels_of, top_of
from shoal.measuring.metric import Metric
from shoal.mining.itemsets import frequent_itemsets
from shoal.mining.support import least_count
from shoal.release import BasketRelease
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES


class View(Protocol):
    """A release as an analyst reads it; codes are those of the original, and further ones for other items."""

    reading: ClassVar[str]
    """How the release was read, in a sentence."""

    @property
    def named(self) -> Bools:
        """Which items of the original are in the release under their own names."""

    def top(self, k: int, run: Run) -> Top:
        """The k most frequent itemsets."""

    def frequent(self, min_support: float, run: Run) -> ItemRows:
        """The itemsets that reach a threshold, as a share of the release's own number of records."""

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        """The levels of a hierarchy, and the release at all of them; or the reason why there are none."""

    def pairs(self, pairs: Pairs, run: Run) -> Float64:
        """The number of records with both items of each pair, according to the release."""

    def certain(self, pairs: Pairs) -> Float64 | None:
        """The number of records that certainly hold both items of each pair; None if all numbers are certain."""

    def ncp(self) -> Metric | None:
        """The loss by generalizing items; None if nothing was generalized."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A release that has records."""

    original: Transactions
    rows: Transactions
    """The records with the items that have a name in the release; records without any are left out."""
    n_records: int
    """The number of records of the release, including those left out."""

    @cached_property
    def named(self) -> Bools:
        """The items that rows hold."""
        held: Bools = self.rows.supports[: self.original.n_items] > 0
        return held

    def top(self, k: int, run: Run) -> Top:
        """The itemsets of the rows."""
        return top_of(self.rows, k, run) if len(self.rows) else Top(_no_sets(self.rows.vocabulary), 0)

    def frequent(self, min_support: float, run: Run) -> ItemRows:
        """The itemsets of the rows, with a threshold that is a share of all records."""
        if not len(self.rows):
            return _no_sets(self.rows.vocabulary)
        return frequent_itemsets(self.rows, least_count(min_support, self.n_records), run=run)

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        """The levels of the items of the rows."""
        levels = levels_of(hierarchy, self.rows)
        return levels, at_all_levels(self.rows, levels)

    def pairs(self, pairs: Pairs, run: Run) -> Float64:
        """Counted in the rows."""
        del run
        return counted(self.rows, pairs).astype(float)

    def certain(self, pairs: Pairs) -> Float64 | None:
        """None: all numbers are certain."""
        del pairs
        return None

    def ncp(self) -> Metric | None:
        """None: nothing was generalized."""
        return None


def view_of(
    original: Transactions,
    release: BasketRelease,
    *,
    hierarchy: Hierarchy | None = None,
    run: Run = DEFAULT_RUN,
) -> View:
    """The view of a release, checked against its original.

    Raises:
        InputError: the release cannot be made from these data or, for generalized baskets, not with this
            hierarchy.
    """
    found: View = SHAPES[release.shape].load("view")(original, release, hierarchy=hierarchy, run=run)
    return found


def _no_sets(vocabulary: pa.Array) -> ItemSets:
    return ItemSets(np.zeros(1, np.int64), np.zeros(0, np.int32), vocabulary)
