"""Groups of a generalized release whose rows all show one sensitive value: all of their people have it."""

from __future__ import annotations

import numpy as np

from shoal.audit.residual import Residual
from shoal.release.generalized import Generalized


def like_groups(release: Generalized) -> Residual | None:
    """The share of rows that are in a group with one label in a sensitive column, other than the root."""
    if not release.sensitive:
        return None
    starts = release.group_offsets[:-1]
    alike = np.zeros(len(starts), bool)
    for column in release.sensitive:
        least, most = np.minimum.reduceat(column.nodes, starts), np.maximum.reduceat(column.nodes, starts)
        alike |= (least == most) & (least > 0)
    share = float(release.group_sizes[alike].sum()) / release.n_rows
    names = " or ".join(column.name for column in release.sensitive)
    return Residual(share, "rows", f"are in groups that show a single {names}")
