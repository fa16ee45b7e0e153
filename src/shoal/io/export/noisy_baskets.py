"""Baskets with noisy counts: each once, with its count, or as often as its count says."""

from __future__ import annotations

import pyarrow as pa

from shoal.data.item_sets import ItemSets
from shoal.io.export.basket_rows import export_rows
from shoal.io.export.exported import Export, Format
from shoal.release.noisy_baskets import NoisyBaskets


def export(release: NoisyBaskets, format: Format) -> Export:
    """Its rows with their counts; FIMI has no place for these, so that rows are repeated."""
    if format.name == "fimi":
        return export_rows(release.baskets(), format)
    rows = ItemSets(release.offsets, release.items, pa.array(release.tree.labels, pa.string()))
    return export_rows(rows, format, counts=release.row_counts)
