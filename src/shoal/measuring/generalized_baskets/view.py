"""Generalized baskets as an analyst reads them (Terrovitis, Mamoulis, Kalnis, VLDB 2008).

Rows, in which only items that were not generalized have a name. Supports of pairs by even division: a row with a node
is assumed to hold ONE of the items of the hierarchy below it, each equally likely and independent of the rest. So two
items below different nodes A and B are in support({A, B}) / (items(A) items(B)) rows, and two items below one node in
none, because rows merge these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Float64, Int32
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import as_records, nodes_in
from shoal.measuring.baskets.item_generalization import ncp_of_nodes
from shoal.measuring.baskets.pair_errors import Pairs, counted
from shoal.measuring.baskets.top_itemsets_lost import Levels, levels_of
from shoal.measuring.baskets.views import Rows, View
from shoal.measuring.metric import Metric
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.run import DEFAULT_RUN, Run


@dataclass(frozen=True, eq=False)
class _GeneralizedRows(Rows):
    """Generalized baskets, in which few items may have a name."""

    reading: ClassVar[str] = (
        "itemsets of items that were not generalized; supports of pairs by even division: a row with a group is "
        "assumed to hold one of its items, each equally likely"
    )
    release: GeneralizedBaskets
    nodes: Int32
    """The node that replaces each item of the original."""

    def levels(self, hierarchy: Hierarchy) -> tuple[Levels, Transactions] | str:
        levels = levels_of(hierarchy, self.rows)
        places = hierarchy.places(self.rows.words)
        # Above an item, a label of a level is above its node, too, unless it represents fewer items than that.
        widths = np.stack(
            [hierarchy.leaf_counts(level)[hierarchy.level_codes(level)[places]] for level in range(len(levels.codes))]
        )
        told = np.where(widths >= self.release.tree.leaves[self.nodes], levels.codes, -1)
        codes = np.full((len(told), len(self.release.tree)), -1, np.int64)
        codes[:, self.nodes] = told  # if a label is above a node, all items of the node have it
        rows = np.repeat(np.arange(self.release.n_rows), self.release.lengths)
        every = codes[:, self.release.nodes]
        at, place = np.nonzero(every >= 0)
        return levels, as_records(at * self.release.n_rows + rows[place], every[at, place], levels.vocabulary)

    def pairs(self, pairs: Pairs, run: Run) -> Float64:
        del run
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

    def ncp(self) -> Metric | None:
        return ncp_of_nodes(self.original, self.release, self.nodes)


def view(
    original: Transactions,
    release: GeneralizedBaskets,
    *,
    hierarchy: Hierarchy | None = None,
    run: Run = DEFAULT_RUN,
) -> View:
    """The rows, with the node that replaces each item."""
    del run
    nodes = nodes_in(original, release, hierarchy)
    return _GeneralizedRows(original, _named(original, release, nodes), release.n_rows, release, nodes)


def _named(original: Transactions, release: GeneralizedBaskets, nodes: Int32) -> Transactions:
    """The rows with only those items that were not generalized."""
    names = np.full(len(release.tree), -1, np.int64)
    alone = np.flatnonzero(release.tree.leaves[nodes] == 1)
    names[nodes[alone]] = alone
    rows = np.repeat(np.arange(release.n_rows), release.lengths)
    codes = names[release.nodes]
    return as_records(rows[codes >= 0], codes[codes >= 0], original.vocabulary)
