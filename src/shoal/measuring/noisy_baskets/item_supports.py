"""The number of records with each item, according to a release of noisy counts."""

from __future__ import annotations

import numpy as np

from shoal.analyse.node_rows.supports import noisy_counts
from shoal.analyse.randomized.estimates import NORMAL_95
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import refuse_strange
from shoal.measuring.baskets.item_supports import ItemSupports, placed
from shoal.release.noisy_baskets import NoisyBaskets

_NOISE = "range that covers 95 of 100 draws of the noise; baskets too rare to be published are missing"


def published(release: NoisyBaskets) -> ItemSupports:
    """Sums of noisy counts, and the range of their noise."""
    names = [release.tree.labels[node] for node in np.unique(release.items).tolist()]
    counts = noisy_counts(release, [[name] for name in names])
    told = np.array([one.count for one in counts], float)
    room = NORMAL_95 * np.array([one.error for one in counts], float)
    return ItemSupports(tuple(names), np.maximum(told - room, 0), told, told + room, _NOISE)


def beside(original: Transactions, release: NoisyBaskets, hierarchy: Hierarchy | None = None) -> ItemSupports:
    """The numbers for each item of its original."""
    del hierarchy
    told = published(release)
    refuse_strange(original, release)
    place = {name: number for number, name in enumerate(told.names)}
    return placed(original, told, np.array([place.get(word, -1) for word in original.words], np.int64))
