"""The number of records with each item, according to a disassociated release."""

from __future__ import annotations

import numpy as np

from shoal.analyse.disassociated.supports import estimate
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import compare
from shoal.measuring.baskets.item_supports import POSSIBLE, ItemSupports, alone, placed
from shoal.release.disassociated import Disassociated


def published(release: Disassociated) -> ItemSupports:
    """The least, the greatest and the expected number for each item."""
    found = estimate(release, *alone(len(release.vocabulary)))
    low, high = found.least.astype(float), found.most.astype(float)
    model = found.model if (high > low).any() else ""
    return ItemSupports(tuple(release.words), low, found.expected, high, POSSIBLE, model)


def beside(original: Transactions, release: Disassociated, hierarchy: Hierarchy | None = None) -> ItemSupports:
    """The numbers for each item of its original."""
    del hierarchy
    return placed(original, published(release), np.asarray(compare(original, release).release_codes, np.int64))
