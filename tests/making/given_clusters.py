"""Publishing clusters that are given, without clustering first: the paper's figures, and all small clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from shoal.data.transactions import Transactions
from shoal.engine.threads import Threads
from shoal.promises import KmAnonymity, NoCertainLinks, SuppressedKm
from shoal.publish.disassociation import Promised, publish_clusters
from shoal.publish.disassociation.horizontal import Clustering
from shoal.publish.disassociation.local_suppression import Vertical
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped
from shoal.run import Run
from tests.making.disassociated_releases import offsets


def publish_given(
    clusters: Sequence[Sequence[Iterable[Any]]],
    k: int,
    m: int,
    *,
    rounds: int = 10,
    sensitive: Iterable[str] = (),
    cover_safe: bool = False,
    vertical: Vertical = "greedy",
    rank: Any = None,
) -> Disassociated:
    """Our vertical partitioning, refining and canonical order of the given clusters."""
    data = Transactions.from_records([record for cluster in clusters for record in cluster])
    names = set(sensitive)
    release, _ = publish_clusters(
        Clustering(data.offsets, data.items, np.arange(len(data)), offsets(map(len, clusters))),
        data.vocabulary,
        Promised(
            KmAnonymity(k, m) if vertical == "greedy" else SuppressedKm(k, m),
            links=NoCertainLinks() if cover_safe else None,
        ),
        sensitive=np.array([word in names for word in data.words], np.uint8),
        dropped=Dropped(),
        vertical=vertical,
        rank=rank,
        refine_rounds=rounds,
        run=Run(engine=Threads(1)),
    )
    return release
