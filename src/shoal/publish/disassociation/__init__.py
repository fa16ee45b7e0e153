"""Disassociation: publish every item, but split the combinations of items that would single out a person.

M. Terrovitis, N. Mamoulis, J. Liagouris, S. Skiadopoulos: Privacy Preservation by Disassociation, VLDB 2012; with local
suppression, X. Liu, X. Feng, Y. Zhu, Symmetry 14(3), 2022.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypedDict, Unpack, get_args

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Int32, Int64, UInt8
from shoal.data.clusters import Clusters
from shoal.data.kinds import require_baskets
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible, InputError
from shoal.kernels.compiling import announced
from shoal.keywords import taken
from shoal.limits import require_whole
from shoal.promises import KmAnonymity, KmPromise, LDiversity, NoCertainLinks, SuppressedKm
from shoal.publish.disassociation.canonical import in_canonical_order
from shoal.publish.disassociation.certain_links import has_common_item, uncover
from shoal.publish.disassociation.horizontal import Clustering, cluster_and_spread, cluster_records
from shoal.publish.disassociation.kept_itemsets import Wanted
from shoal.publish.disassociation.local_suppression import Vertical, suppress, suppress_where_it_pays
from shoal.publish.disassociation.refine import DEFAULT_ROUNDS, refine_clusters
from shoal.publish.disassociation.vertical import partition_clusters
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped
from shoal.release.trace import Trace, require_place
from shoal.run import DEFAULT_RUN, Run


def default_max_cluster_size(least: int) -> int:
    """The default size of the largest cluster: four times the smallest.

    Measured (``benchmarks/cluster_size.py``) by the share of pairs of items that stay together in chunks: four times
    is within .6 percent of the best on every data set and k tried, and three to six times within 1.4 percent.
    """
    return 4 * least


class Options(TypedDict, total=False):
    """The fields of :class:`Asked`, as keywords."""

    max_cluster_size: int | None
    sensitive: Iterable[str]
    l: int | None  # noqa: E741  (the literature's name)
    drop_rare: bool
    cover_safe: bool
    keep_itemsets: Iterable[Iterable[str]]
    vertical: Vertical
    refine_rounds: int


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of a release beside k and m; :func:`disassociate` says what each field means."""

    max_cluster_size: int | None = None
    sensitive: Iterable[str] = ()
    l: int | None = None  # noqa: E741
    drop_rare: bool = False
    cover_safe: bool = False
    keep_itemsets: Iterable[Iterable[str]] = ()
    vertical: Vertical = "greedy"
    refine_rounds: int = DEFAULT_ROUNDS

    def __post_init__(self) -> None:
        if self.vertical not in get_args(Vertical):
            raise InputError(f"vertical is {shown(self.vertical)}: choose one of {', '.join(get_args(Vertical))}")
        require_whole("refine_rounds", self.refine_rounds, least=0)


class Promised(NamedTuple):
    """All that a release promises."""

    of_sets: KmPromise
    diversity: LDiversity | None = None
    links: NoCertainLinks | None = None


def disassociate(
    data: Transactions,
    k: int,
    m: int,
    *,
    keep_trace: str | os.PathLike[str] | None = None,
    run: Run = DEFAULT_RUN,
    **options: Unpack[Options],
) -> Disassociated:
    """Publish baskets so that at least ``k`` records remain possible for anyone who knows up to ``m`` items of one.

    Args:
        data: the baskets.
        k: how many candidate records must remain.
        m: how many items of a record an adversary may know.
        max_cluster_size: how many records a cluster may hold. Larger clusters put more items into record chunks, but
            say less about which of them belong together. At least ``2 * max(k, l) - 1``.
        sensitive: items that are published in term chunks only, without links to other items.
        l: with ``sensitive``: no sensitive item belongs to more than one in ``l`` records of a cluster.
        drop_rare: leave out the items that occur in fewer than ``k`` records of all the data.
        cover_safe: remove certain links: in no cluster does one item imply another in every possible original. This
            strikes occurrences out of single records, and counts them.
        keep_itemsets: sets of items that an analysis needs. Records that hold one are put into clusters of their own
            if there are enough of them, and their items are put into chunks first. So they stay together where the
            promise allows it.
        vertical: how the items of a cluster are split into chunks. ``greedy``: item by item, the most frequent first.
            ``dls``: single occurrences are suppressed, and counted, so that more items fit into the first chunk; the
            promise is then :class:`shoal.promises.SuppressedKm`, which is weaker. ``best``: in each cluster, the one of
            the two that keeps more pairs of items together; the promise is the weaker one.
        refine_rounds: how often clusters are joined in pairs, to share chunks of items that are too rare in each of
            them; refining ends earlier when nothing changes any more. 0: not at all.
        keep_trace: a new file for which record went to which cluster, for :func:`shoal.measure`. Only its owner may
            read it, and anyone who reads it can undo the release: it is as sensitive as the data.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The release. Nothing is checked here: ``write`` verifies what it has written.

    Raises:
        InputError: an argument is out of range, or a sensitive item, or one to keep, is not in the data; the trace
            cannot be written, or its place is inside a release.
        Infeasible: there are fewer than ``max(k, l)`` records, or only sensitive items.

    Example:
        >>> from shoal.data.transactions import Transactions
        >>> baskets = Transactions.from_records([{"bread", "milk"}] * 3 + [{"bread", "caviar"}])
        >>> release = disassociate(baskets, k=3, m=2)
        >>> release.n_records, release.n_chunks, release.words
        (4, 1, ['bread', 'caviar', 'milk'])
    """
    if keep_trace is not None:
        require_place(keep_trace)
    release, clusters = publish_and_trace(data, k, m, run=run, **options)
    if keep_trace is not None:
        Trace.of(data, release, clusters).write(keep_trace)
    return release


def publish_and_trace(
    data: Transactions,
    k: int,
    m: int,
    *,
    run: Run = DEFAULT_RUN,
    **options: Unpack[Options],
) -> tuple[Disassociated, Clusters]:
    """What :func:`disassociate` returns, and which records of the data are in which of its clusters."""
    require_baskets(data)
    asked = taken(Asked, options, "disassociate")
    l = asked.l  # noqa: E741  (the literature's name)
    promise = KmAnonymity(k, m) if asked.vertical == "greedy" else SuppressedKm(k, m)
    names = sorted(set(asked.sensitive))
    if names and l is None:
        raise InputError("sensitive items need l: no item may belong to more than one in l records of a cluster (-l 3)")
    if l is not None and not names:
        raise InputError("l needs sensitive items, and none are named: name some (--sensitive ITEM), or leave l out")
    diversity = LDiversity(l, tuple(names)) if l is not None else None
    marked = np.zeros(data.n_items, np.uint8)
    marked[data.codes_of(names)] = 1

    kept_sets = [frozenset(items) for items in asked.keep_itemsets]
    data.codes_of(name for items in kept_sets for name in items)
    dropped = Dropped()
    rows = np.arange(len(data))
    if asked.drop_rare:
        frequent = data.supports >= k
        kept = data.keep_items(frequent)
        rows = rows[np.add.reduceat(frequent[data.items], data.offsets[:-1], dtype=np.int64) > 0]
        dropped = Dropped(rare_items=int(np.count_nonzero(~frequent)), emptied_records=len(data) - len(kept))
        data, marked = kept, marked[frequent]
    # An item that is in all records of a cluster is struck out of one of them: k must be left.
    least = max(k, l or 0) + asked.cover_safe
    if len(data) < least:
        raise Infeasible(
            f"{len(data):,} records cannot hide one among {least}: k (and l) must be "
            + ("less than" if asked.cover_safe else "at most")
            + " the number of records"
        )
    most = default_max_cluster_size(max(k, l or 0)) if asked.max_cluster_size is None else asked.max_cluster_size
    if most < 2 * least - 1:
        raise InputError(f"the maximum cluster size must be at least {2 * least - 1} (2 * {least} - 1), got {most}")

    words = set(data.words) if kept_sets else set()
    wanted = Wanted.of(data, [items for items in kept_sets if items <= words], marked, least)
    with announced(lambda: run.report("compile", 0, 1)):
        run.report("cluster records", 0, 1)
        if diversity and marked.any():
            clustering = cluster_and_spread(data, marked, share=diversity.l, least=least, most=most, wanted=wanted)
            dropped = replace(
                dropped,
                emptied_records=dropped.emptied_records + clustering.emptied,
                sensitive_instances=clustering.struck,
            )
        else:
            clustering = cluster_records(data, least=least, most=most, wanted=wanted)
        run.report("cluster records", 1, 1)
        release, numbers = publish_clusters(
            clustering,
            data.vocabulary,
            Promised(promise, diversity, NoCertainLinks() if asked.cover_safe else None),
            sensitive=marked,
            dropped=dropped,
            vertical=asked.vertical,
            rank=wanted.rank,
            refine_rounds=asked.refine_rounds,
            run=run,
        )
    if clustering.records is not None:
        rows = rows[clustering.records]
    return release, Clusters(rows[clustering.rows], clustering.bounds).in_order(np.argsort(numbers))


def publish_clusters(
    clustering: Clustering,
    vocabulary: pa.Array,
    promised: Promised,
    *,
    sensitive: UInt8,
    dropped: Dropped,
    vertical: Vertical = "greedy",
    rank: Int32 | None = None,
    refine_rounds: int,
    run: Run,
) -> tuple[Disassociated, Int64]:
    """The steps after clustering: chunks, shared chunks, removal of certain links, canonical order.

    ``rank``: the order in which items are put into chunks, before their frequency.

    Returns:
        The release, and the number of each cluster in it.
    """
    options: dict[str, Any] = {"sensitive": sensitive, "run": run}
    promise, diversity, links = promised
    later = None
    if vertical != "greedy":
        suppression = (
            suppress(clustering, promise, **options)
            if vertical == "dls"
            else suppress_where_it_pays(clustering, promise, rank=rank, **options)
        )
        # From here on, struck-out occurrences are gone from the records: no later stage can bring them back.
        clustering, later = suppression.applied_to(clustering), suppression.later
        dropped = replace(
            dropped,
            suppressed_instances=int(np.count_nonzero(suppression.struck)),
            clusters_cut_short=suppression.cut_short,
        )
    partitioned = partition_clusters(clustering, promise, rank=rank, later=later, **options)
    sizes = np.diff(clustering.bounds)
    joints, chunks = np.empty((0, 2), np.int64), partitioned
    if refine_rounds:
        # If an occurrence is struck out, a term chunk must be able to fill the record. A cluster without one shares
        # nothing, so that no item joins a term chunk below a joint cluster that shares it.
        keep_terms = has_common_item(partitioned, sizes, len(sensitive)) if links else None
        joints, chunks = refine_clusters(
            clustering, partitioned, promise, rounds=refine_rounds, keep_terms=keep_terms, **options
        )
    if links:
        uncovered = uncover(chunks, joints, sizes, promise, sensitive)
        chunks = uncovered.chunks
        dropped = replace(dropped, linking_instances=uncovered.struck, linking_pairs=uncovered.torn)
    return in_canonical_order(
        sizes, joints, chunks, vocabulary, promise, diversity=diversity, links=links, dropped=dropped
    )
