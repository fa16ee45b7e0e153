"""The sensitive values of each group, according to a release of this shape."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Int64
from shoal.release.generalized import Generalized


def group_values(release: Generalized, sensitive: str) -> tuple[Int64, Int64, Int64]:
    """Values of groups: the group, the code of the value, and how many rows of the group have it."""
    nodes = np.asarray(release.column(sensitive).nodes, np.int64)
    return release.row_groups, nodes, np.ones(len(nodes), np.int64)
