"""Publish all records as one cluster, with the parameters of a release, as an attack does."""

from __future__ import annotations

from shoal.data.transactions import Transactions
from shoal.engine.threads import Threads
from shoal.publish.disassociation import disassociate
from shoal.release.disassociated import Disassociated
from shoal.run import Run


def publish_again(release: Disassociated, data: Transactions) -> Disassociated:
    """Publish records again with the k and m of a release, as one cluster."""
    k, m = release.promise.k, release.promise.m
    return disassociate(
        data, k, m, max_cluster_size=max(len(data), 2 * k - 1), refine_rounds=0, run=Run(engine=Threads(1))
    )
