"""The number of records with each item, according to a randomized release."""

from __future__ import annotations

import numpy as np

from shoal.analyse.randomized.supports import estimate
from shoal.data.arrays import Float64
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import codes_in
from shoal.measuring.baskets.item_supports import ItemSupports, alone, placed
from shoal.release.randomized import Randomized

_CONFIDENT = "about 95 of 100 such ranges contain the true value"


def published(release: Randomized) -> ItemSupports:
    """Estimates, and their confidence ranges."""
    shares = estimate(release, *alone(release.n_items))
    low, told, high = (_records(part, release.n_records) for part in (shares.low, shares.estimate, shares.high))
    return ItemSupports(tuple(release.vocabulary.cast("string").to_pylist()), low, told, high, _CONFIDENT)


def beside(original: Transactions, release: Randomized, hierarchy: Hierarchy | None = None) -> ItemSupports:
    """The estimates for each item of its original."""
    del hierarchy
    return placed(original, published(release), np.asarray(codes_in(original, release), np.int64))


def _records(shares: Float64, n: int) -> Float64:
    found: Float64 = np.clip(shares, 0.0, 1.0) * n
    return found
