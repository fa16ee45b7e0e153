"""Which records share a cluster of a release: only the publisher knows this."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Int64
from shoal.data.frozen import freeze


@dataclass(frozen=True, eq=False)
class Clusters:
    """Records of the original in the clusters of a release: cluster p is rows[bounds[p]:bounds[p + 1]].

    Clusters are in the order of the release's leaves.
    """

    rows: Int64
    bounds: Int64

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def in_order(self, order: Int64) -> Clusters:
        """The same clusters in another order."""
        sizes = np.diff(self.bounds)[order]
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.bounds[order] - bounds[:-1], sizes) + np.arange(bounds[-1])
        return Clusters(self.rows[places], bounds)
