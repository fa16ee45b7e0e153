"""What an analyst sees in a release of baskets, whatever its shape, beside the original and in its numbering of items.

* Disassociated (Terrovitis et al., VLDB 2012): one random reconstruction, and the supports of pairs that are expected
  over all of them, in closed form.
* Generalized baskets (Terrovitis, Mamoulis, Kalnis, VLDB 2008): rows, in which only items that were not generalized
  have a name. Supports of pairs by even division: a row with a node is taken to hold ONE of the items of the hierarchy
  below it, each as likely, whatever stands beside it. So two items below different nodes A and B are in
  support({A, B}) / (items(A) items(B)) rows, and two items below one node in none, since rows merge these.
* Noisy counts (Chen et al., PVLDB 2011): every basket as often as its count says.
* Randomized (Mohaisen et al., 2010): estimates, in which chance is undone on average; less than nothing counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.analyse.node_rows.row_baskets import row_baskets
from shoal.analyse.randomized.itemsets import estimated_itemsets
from shoal.analyse.randomized.supports import estimate
from shoal.data.arrays import Bools, Float64, Int32
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_sets import ItemRows, ItemSets
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import (
    Compared,
    Progress,
    as_records,
    codes_in,
    compare,
    nodes_in,
    refuse_strange,
)
from shoal.measuring.baskets.pair_errors import Pairs, counted, expected
from shoal.measuring.baskets.top_itemsets_lost import Levels, Top, at_all_levels, levels_of, top_of
from shoal.mining.itemsets import frequent_itemsets
from shoal.mining.support import least_count
from shoal.mining.top import top_itemsets
from shoal.release import BasketRelease
from shoal.release.disassociated import Disassociated
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.randomized import Randomized

_ROUNDING = 1e-9
"""Estimates are sums of products of fractions: so few records are none."""


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


@dataclass(frozen=True, eq=False)
class _Rows:
    """A release of which there are records to look at."""

    original: Transactions
    rows: Transactions
    """What has a name in the release; records in which nothing has are left out."""
    n_records: int
    """How many records the release has, with those that were left out."""

    @cached_property
    def named(self) -> Bools:
        held: Bools = self.rows.supports[: self.original.n_items] > 0
        return held

    def top(self, k: int, progress: Progress | None) -> Top:
        return top_of(self.rows, k, progress) if len(self.rows) else Top(_no_sets(self.rows.vocabulary), 0)

    def frequent(self, min_support: float, progress: Progress | None) -> ItemRows:
        if not len(self.rows):
            return _no_sets(self.rows.vocabulary)
        return frequent_itemsets(self.rows, least_count(min_support, self.n_records), progress=progress)

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        levels = levels_of(hierarchy, self.rows)
        return levels, at_all_levels(self.rows, levels)

    def pairs(self, pairs: Pairs, progress: Progress | None) -> Float64:
        del progress
        return counted(self.rows, pairs).astype(float)


@dataclass(frozen=True, eq=False)
class _Reconstruction(_Rows):
    """A disassociated release by one of its reconstructions."""

    reading: ClassVar[str] = (
        "itemsets of one random reconstruction; supports of pairs as expected over all reconstructions, in closed "
        "form; each term-chunk item in one record of its cluster, which is the least"
    )
    compared: Compared

    def pairs(self, pairs: Pairs, progress: Progress | None) -> Float64:
        return expected(self.compared, pairs, progress)


@dataclass(frozen=True, eq=False)
class _NoisyRows(_Rows):
    """Baskets, each as often as its noisy count says."""

    reading: ClassVar[str] = "every published basket as often as its noisy count says"


@dataclass(frozen=True, eq=False)
class _GeneralizedRows(_Rows):
    """Generalized baskets, in which few items may have a name."""

    reading: ClassVar[str] = (
        "itemsets of items that were not generalized; supports of pairs by even division: a row with a group is taken "
        "to hold one of its items, each as likely"
    )
    release: GeneralizedBaskets
    nodes: Int32
    """The node that stands for each item of the original."""

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        levels = levels_of(hierarchy, self.rows)
        places = hierarchy.places(self.rows.words)
        # Above an item, a label of a level is above its node, too, unless it stands for fewer items than that.
        widths = np.stack(
            [hierarchy.leaf_counts(level)[hierarchy.level_codes(level)[places]] for level in range(len(levels.codes))]
        )
        told = np.where(widths >= self.release.tree.leaves[self.nodes], levels.codes, -1)
        codes = np.full((len(told), len(self.release.tree)), -1, np.int64)
        codes[:, self.nodes] = told  # where a label is above a node, all items of the node say the same
        rows = np.repeat(np.arange(self.release.n_rows), self.release.lengths)
        every = codes[:, self.release.nodes]
        at, place = np.nonzero(every >= 0)
        return levels, as_records(at * self.release.n_rows + rows[place], every[at, place], levels.vocabulary)

    def pairs(self, pairs: Pairs, progress: Progress | None) -> Float64:
        del progress
        tree, first, second = self.release.tree, self.nodes[pairs.first], self.nodes[pairs.second]
        keys = np.minimum(first, second).astype(np.int64) * len(tree) + np.maximum(first, second)
        different, number = np.unique(keys, return_inverse=True)
        low, high = np.divmod(different, len(tree))
        data = Transactions(self.release.offsets, self.release.nodes, pa.array(tree.labels, pa.string()))
        apart = np.flatnonzero(low != high)
        rows = np.zeros(len(different))
        rows[apart] = counted(data, Pairs.of(low[apart], high[apart]))
        found: Float64 = (rows / (tree.leaves[low] * tree.leaves[high]))[number]
        return found


@dataclass(frozen=True, eq=False)
class _EstimatedRows:
    """A randomized release by estimates."""

    reading: ClassVar[str] = "estimates in which chance is undone on average; less than nothing counts as 0"
    original: Transactions
    release: Randomized
    codes: Int32
    """The release's code of each item of the original."""

    def __post_init__(self) -> None:
        freeze(self)

    @cached_property
    def named(self) -> Bools:
        held: Bools = self.release.supports[self.codes] > 0
        return held

    def top(self, k: int, progress: Progress | None) -> Top:
        """The k greatest estimates: the threshold is lowered from what the original's k-th set has until there are k.

        Chance makes many small estimates, so that there is no use in starting from below.
        """
        n = len(self.original)
        best = top_itemsets(self.original, k, progress=progress)
        share = float(best.counts[-1] / n)
        found = estimated_itemsets(self.release, share, top=k, progress=progress)
        while len(found) < k and share > 1 / n:
            share = max(share / 2, 1 / n)
            found = estimated_itemsets(self.release, share, top=k, progress=progress)
        places = np.arange(self.original.n_items, self.original.n_items + self.release.n_items, dtype=np.int32)
        places[self.codes] = np.arange(self.original.n_items)
        return Top(ItemSets(found.offsets, places[found.items], found.vocabulary), 0)

    def frequent(self, min_support: float, progress: Progress | None) -> ItemRows:
        return estimated_itemsets(self.release, min_support, progress=progress)

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        del hierarchy
        return (
            "flips of single items are undone, not those of groups: a row holds a group if any of its items is there, "
            "flipped or not, and for large groups nearly all rows do"
        )

    def pairs(self, pairs: Pairs, progress: Progress | None) -> Float64:
        asked = np.stack([self.codes[pairs.first], self.codes[pairs.second]], axis=1).ravel()
        found = estimate(self.release, 2 * np.arange(len(pairs) + 1), asked, progress=progress)
        records = found.estimate * self.release.n_records
        # A pair that rounding brought about would count as invented.
        return np.where(records > _ROUNDING, records, 0.0)


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
    if isinstance(release, Disassociated):
        compared = compare(original, release)
        drawn = next(compared.reconstructions(1, seed=seed, progress=progress))
        return _Reconstruction(original, drawn, release.n_records, compared)
    if isinstance(release, Randomized):
        return _EstimatedRows(original, release, codes_in(original, release))
    if isinstance(release, GeneralizedBaskets):
        nodes = nodes_in(original, release, hierarchy)
        return _GeneralizedRows(original, _named(original, release, nodes), release.n_rows, release, nodes)
    refuse_strange(original, release)
    data = row_baskets(release) if release.n_rows else original.keep_items(np.zeros(original.n_items, bool))
    return _NoisyRows(original, _in_codes_of(original, data), release.n_records)


def _named(original: Transactions, release: GeneralizedBaskets, nodes: Int32) -> Transactions:
    """The rows with those items only that were not generalized."""
    names = np.full(len(release.tree), -1, np.int64)
    alone = np.flatnonzero(release.tree.leaves[nodes] == 1)
    names[nodes[alone]] = alone
    rows = np.repeat(np.arange(release.n_rows), release.lengths)
    codes = names[release.nodes]
    return as_records(rows[codes >= 0], codes[codes >= 0], original.vocabulary)


def _in_codes_of(original: Transactions, data: Transactions) -> Transactions:
    """Data in the original's codes; items that it does not have come behind them."""
    found = pc.index_in(data.vocabulary, original.vocabulary)
    strange = found.is_null().to_numpy(zero_copy_only=False)
    codes = pc.fill_null(found, 0).to_numpy(zero_copy_only=False).astype(np.int64)
    codes[strange] = original.n_items + np.arange(np.count_nonzero(strange))
    words = pa.concat_arrays([original.vocabulary, data.vocabulary.filter(pa.array(strange))])
    return as_records(np.repeat(np.arange(len(data)), data.lengths), codes[data.items], words)


def _no_sets(vocabulary: pa.Array) -> ItemSets:
    return ItemSets(np.zeros(1, np.int64), np.zeros(0, np.int32), vocabulary)
