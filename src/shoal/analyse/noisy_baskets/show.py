"""Baskets with noisy counts as what they are: rows of items, each with its count."""

from __future__ import annotations

import pyarrow as pa

from shoal.analyse.contents import Contents, Wanted
from shoal.analyse.first_rows import first_rows
from shoal.data.item_sets import ItemSets
from shoal.plural import counted
from shoal.release.noisy_baskets import NoisyBaskets


def show(release: NoisyBaskets, wanted: Wanted) -> Contents:
    """How much there is, and the first baskets."""
    return first_rows(
        ItemSets(release.offsets, release.items, pa.array(release.tree.labels, pa.string())),
        wanted,
        f"{counted(release.n_rows, 'different basket')}, {release.n_records:,} in all by noisy counts; "
        f"{counted(release.n_items, 'item')} in the hierarchy",
        stand_for=release.tree.leaves,
        row_counts=release.row_counts,
    )
