"""The number of records with each item, according to a release of generalized baskets."""

from __future__ import annotations

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import nodes_in
from shoal.measuring.baskets.item_supports import POSSIBLE, ItemSupports
from shoal.release.generalized_baskets import GeneralizedBaskets


def published(release: GeneralizedBaskets) -> ItemSupports:
    """The number of rows with each node."""
    held = np.flatnonzero(release.is_held)
    rows = release.supports[held].astype(float)
    return ItemSupports(tuple(release.tree.labels[node] for node in held.tolist()), rows, rows, rows, POSSIBLE)


def beside(original: Transactions, release: GeneralizedBaskets, hierarchy: Hierarchy | None = None) -> ItemSupports:
    """The numbers for each item of its original."""
    nodes = nodes_in(original, release, hierarchy)
    rows, items = release.supports[nodes].astype(float), release.tree.leaves[nodes]
    low = np.where(items > 1, 0.0, rows)
    return ItemSupports(tuple(original.words), low, rows / items, rows, POSSIBLE)
