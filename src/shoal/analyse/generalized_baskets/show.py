"""Generalized baskets as what they are: rows of items, some of which stand for several."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.analyse.contents import Contents, Wanted
from shoal.analyse.first_rows import first_rows
from shoal.data.item_sets import ItemSets
from shoal.plural import counted
from shoal.release.generalized_baskets import GeneralizedBaskets


def show(release: GeneralizedBaskets, wanted: Wanted) -> Contents:
    """How much there is, and the first different rows."""
    held = release.is_held
    groups = int(np.count_nonzero(held & (release.tree.leaves > 1)))
    return first_rows(
        ItemSets(release.offsets, release.nodes, pa.array(release.tree.labels, pa.string())),
        wanted,
        f"{counted(release.n_rows, 'row')}; {counted(int(held.sum()), 'published item')}, of which {groups:,} stand "
        "for several",
        stand_for=release.tree.leaves,
    )
