"""Which records of an original are in which cluster of its release: a release does not tell, its publisher can.

Publishing depends on nothing but the data and the options: if the original, published again, gives the same release,
then its clusters are those of the release. Most options can be read off a release. Of the others, local suppression
(``dls`` or ``best``) is tried both ways; the maximum cluster size, the rounds of refining and the itemsets to keep are
asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.data.clusters import Clusters, Untraced
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.promises import KmAnonymity
from shoal.publish.disassociation import publish_and_trace
from shoal.publish.disassociation.chunks import Progress
from shoal.publish.disassociation.local_suppression import Vertical
from shoal.publish.disassociation.refine import DEFAULT_ROUNDS
from shoal.release.disassociated import Disassociated

_ARRAYS = (
    "cluster_size",
    "cluster_parent",
    "chunk_owner",
    "chunk_shared",
    "chunk_offsets",
    "subrecord_offsets",
    "items",
    "term_offsets",
    "term_items",
)


def retrace(
    original: Transactions,
    release: Disassociated,
    *,
    max_cluster_size: int | None = None,
    refine_rounds: int = DEFAULT_ROUNDS,
    keep_itemsets: Iterable[Iterable[str]] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Clusters | Untraced:
    """Publish the original again, and see whether that gives the release.

    Args:
        original: the data that were published.
        release: what was published.
        max_cluster_size: how many records a cluster might hold; by default as in publishing.
        refine_rounds: how often clusters were joined; does not matter where none are.
        keep_itemsets: sets that were to be kept together.
        threads: how many threads may work.
        progress: called with (stage, done, total).

    Returns:
        The records of each cluster of the release; or why they are not known.

    Raises:
        InputError: the maximum cluster size is out of range, or an item to keep is not in the original.
    """
    named = release.diversity.sensitive if release.diversity else ()
    if not set(named) <= set(original.words):
        return Untraced("the release names sensitive items that are not in the original")
    verticals: tuple[Vertical, ...] = ("greedy",) if isinstance(release.promise, KmAnonymity) else ("dls", "best")
    for vertical in verticals:
        try:
            again, clusters = publish_and_trace(
                original,
                release.promise.k,
                release.promise.m,
                max_cluster_size=max_cluster_size,
                sensitive=named,
                l=release.diversity.l if release.diversity else None,
                drop_rare=release.dropped.rare_items > 0,
                cover_safe=release.links is not None,
                keep_itemsets=keep_itemsets,
                vertical=vertical,
                refine_rounds=0 if release.is_leaf.all() else refine_rounds,
                threads=threads,
                progress=progress,
            )
        except Infeasible as impossible:
            return Untraced(f"this original cannot be published like this: {impossible}")
        if _same(again, release):
            return clusters
    return Untraced(
        "publishing this original again does not give this release, so that the records of its clusters are not known; "
        "give the maximum cluster size, the rounds of refining and the itemsets to keep that it was published with"
    )


def _same(again: Disassociated, release: Disassociated) -> bool:
    said = (again.promises, again.dropped, again.words) == (release.promises, release.dropped, release.words)
    return said and all(np.array_equal(getattr(again, name), getattr(release, name)) for name in _ARRAYS)
