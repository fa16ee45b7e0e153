"""Generalized baskets: their rows, items by name."""

from __future__ import annotations

import pyarrow as pa

from shoal.data.item_sets import ItemSets
from shoal.io.export.basket_rows import export_rows
from shoal.io.export.exported import Export, Format
from shoal.release.generalized_baskets import GeneralizedBaskets


def export(release: GeneralizedBaskets, format: Format) -> Export:
    """Its rows."""
    if format.name == "fimi":
        return export_rows(release.baskets(), format)
    rows = ItemSets(release.offsets, release.nodes, pa.array(release.tree.labels, pa.string()))
    return export_rows(rows, format)
