"""How identifying raw data are, and what publishing them cost: measures that need the clusters that publishing makes.

``measure`` counts, and knows nothing of publishing; here it is handed the clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

from shoal.data.arrays import Int64
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.release.disassociated import Disassociated

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.measuring.baskets.randomized_utility import RandomizedUtility
    from shoal.measuring.baskets.utility import Utility
    from shoal.measuring.metric import Metric
    from shoal.measuring.risk.baskets import BasketRisk
    from shoal.measuring.risk.tables import TableRisk
    from shoal.release.randomized import Randomized

Progress = Callable[[str, int, int], None]


@overload
def risk(
    data: Transactions,
    *,
    k: int = 5,
    m: int | None = None,
    max_cluster_size: int | None = None,
    top: int = 10,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BasketRisk: ...


@overload
def risk(
    data: Table, *, k: int = 5, quasi: str | Iterable[str] | None = None, population: Table | None = None
) -> TableRisk: ...


def risk(
    data: Transactions | Table,
    *,
    k: int = 5,
    m: int | None = None,
    quasi: str | Iterable[str] | None = None,
    population: Table | None = None,
    max_cluster_size: int | None = None,
    top: int = 10,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BasketRisk | TableRisk:
    """Find out how identifying data are, before anything is published.

    Args:
        data: baskets, or a table.
        k: how many people should be left to choose from.
        m: baskets: how many items of a person somebody may know, up to 5; by default 3.
        quasi: tables: the columns that others may know; by default those with that role.
        population: tables: the people that the table was taken from; by default the table is taken for all of them.
        max_cluster_size: baskets: how many records a cluster may hold; by default as when publishing.
        top: baskets: how many of the items that contribute most to name.
        seed: baskets: draw the same sample again, where one is needed; by default another every time.
        threads: baskets: how many threads may work; by default one for each processor.
        progress: called with (stage, done, total).

    Returns:
        The risk, a value of plain numbers; ``str`` of it is a paragraph in plain words.

    Raises:
        InputError: an argument is out of range, is for the other kind of data, or names a column that is not there.
    """
    if isinstance(data, Table):
        if m is not None:
            raise InputError("m is about baskets, and these data are a table: leave it out, or read them as baskets")
        from shoal.measuring.risk.tables import table_risk

        return table_risk(data, k, quasi=quasi, population=population)
    if not isinstance(data, Transactions):
        raise InputError("risk needs Transactions or a Table: read the data with shoal.read or shoal.read_table")
    if quasi is not None or population is not None:
        raise InputError("quasi-identifiers and populations are about tables, and these data are baskets")
    from shoal.kernels.compiling import announced
    from shoal.measuring.risk.baskets import basket_risk, require_options
    from shoal.randomness import generator

    longest = 3 if m is None else m
    require_options(k, longest, max_cluster_size, top, threads)
    report = progress or (lambda _stage, _done, _total: None)
    chance = generator(seed)
    bounds = None
    with announced(lambda: report("compile", 0, 1)):
        if len(data) >= k:
            data, bounds = _in_clusters(data, k, max_cluster_size, report)
        return basket_risk(data, k, longest, bounds=bounds, top=top, chance=chance, threads=threads, progress=report)


def _in_clusters(data: Transactions, k: int, most: int | None, progress: Progress) -> tuple[Transactions, Int64]:
    """The records in the order of the clusters that publishing would make of them, and where each of these starts."""
    from shoal.kernels.rows import take_rows
    from shoal.publish.disassociation import default_max_cluster_size
    from shoal.publish.disassociation.horizontal import cluster_records

    progress("cluster records", 0, 1)
    made = cluster_records(data, least=k, most=default_max_cluster_size(k) if most is None else most)
    progress("cluster records", 1, 1)
    return Transactions(*take_rows(made.offsets, made.items, made.rows), data.vocabulary), made.bounds


def utility(
    original: Transactions,
    release: Disassociated,
    *,
    top: int = 1000,
    ranges: Sequence[tuple[int, int]] | None = None,
    reconstructions: int = 10,
    hierarchy: Hierarchy | None = None,
    max_cluster_size: int | None = None,
    refine_rounds: int = 10,
    keep_itemsets: Iterable[Iterable[str]] = (),
    seed: int | None = None,
    progress: Progress | None = None,
) -> Utility:
    """Measure what a release has lost of the data that it was made from.

    Args:
        original: the data that were published.
        release: what was published.
        top: how many of the most frequent itemsets the tKd family compares.
        ranges: ranks of items by descending support, from the first to before the last; re is the mean over the pairs
            of each range. By default 0-20, 100-120 and 200-220.
        reconstructions: how many possible originals are drawn. The first alone gives tKd and re.
        hierarchy: a hierarchy over the items, for tKd-ML2.
        max_cluster_size: the maximum cluster size that the release was published with; by default that of publishing.
            ANR and ARE need it, because they need the records of each cluster: the original is published again.
        refine_rounds: the rounds of refining that the release was published with, for the same reason.
        keep_itemsets: and the itemsets that it was published with.
        seed: a whole number from 0 on draws the same originals again.
        progress: called with (stage, done, total).

    Returns:
        The metrics, each with its direction, its range, what it means and what stands behind it. ANR and ARE are None,
        with the reason, where publishing the original again does not give this release.

    Raises:
        InputError: an argument is out of range; the release is not of these data; an item is not in the hierarchy.
        Infeasible: the release has no reconstruction, or none in closed form; no release that Shoal makes is such.

    Example:
        >>> import shoal
        >>> original = shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}])
        >>> shoal.utility(original, shoal.disassociate(original, k=3, m=2), ranges=[(0, 3)])["ANR"]
        Metric(ANR = 1, 0 to 1, higher is better)
    """
    from shoal.measuring.baskets.utility import RANGES, measure
    from shoal.publish.disassociation.retrace import retrace

    return measure(
        original,
        release,
        top=top,
        ranges=RANGES if ranges is None else ranges,
        reconstructions=reconstructions,
        hierarchy=hierarchy,
        trace=lambda: retrace(
            original,
            release,
            max_cluster_size=max_cluster_size,
            refine_rounds=refine_rounds,
            keep_itemsets=keep_itemsets,
            progress=progress,
        ),
        seed=seed,
        progress=progress,
    )


def randomized_utility(
    original: Transactions,
    release: Randomized,
    *,
    min_support: float | Sequence[float] | None = None,
    max_length: int | None = None,
    runs: int = 0,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RandomizedUtility:
    """Measure how wrong what is estimated from a randomized release is.

    Args:
        original: the data that were published.
        release: what was published.
        min_support: one threshold or several, each a share of the records or (as a whole number) how many it takes; by
            default .01, .005 and .0025.
        max_length: how many items an itemset may have; by default any number.
        runs: how often to publish the same again, in memory, with the numbers of the release: for mean and spread.
        seed: a whole number from 0 on makes the same runs again; the n-th of them, from 0 on, has this seed plus n.
        threads: how many threads may work; by default one for each processor.
        progress: called with (stage, done, total).

    Returns:
        At each threshold sigma+ and sigma-, in all and by size of itemset, and the errors of supports: metrics with
        direction, range, meaning and what stands behind them. Records that publishing cut are compared uncut.

    Raises:
        InputError: an argument is out of range, or the release is not of these data.
        Infeasible: too many itemsets are frequent.

    Example:
        >>> import shoal
        >>> original = shoal.read([{"tea", "milk"}] * 800 + [{"tea"}] * 200)
        >>> found = shoal.randomized_utility(original, shoal.mask(original, 0.95, seed=1), min_support=0.5)
        >>> found["sigma- at 0.5"]
        Metric(sigma- at 0.5 = 0, 0 to 1, lower is better)
    """
    from shoal.limits import require_whole
    from shoal.measuring.baskets.randomized_utility import MIN_SUPPORTS, measure_randomized

    require_whole("runs", runs, least=0)
    thresholds = MIN_SUPPORTS if min_support is None else min_support
    return measure_randomized(
        original,
        release,
        min_supports=tuple(thresholds) if isinstance(thresholds, Sequence) else (thresholds,),
        max_length=max_length,
        again=_published_again(original, release, runs, seed, threads, progress),
        threads=threads,
        progress=progress,
    )


def _published_again(
    original: Transactions,
    release: Randomized,
    runs: int,
    seed: int | None,
    threads: int | None,
    progress: Progress | None,
) -> Iterator[Randomized]:
    """More releases by the same numbers, one at a time."""
    from shoal.publish.randomization import randomize_again

    for run in range(runs):
        if progress:
            progress("publish again", run, runs)
        again, _ = randomize_again(release, original, seed=None if seed is None else seed + run, threads=threads)
        yield again
    if progress and runs:
        progress("publish again", runs, runs)


@dataclass(frozen=True)
class PairsKept:
    """A release in memory, and what it keeps of the pairs of items of its original."""

    release: Disassociated
    metrics: tuple[Metric, ...]
    """ANR and ARE, cluster by cluster and pooled, and the plain shares."""


def pairs_kept(
    data: Transactions,
    k: int,
    m: int,
    *,
    max_cluster_size: int | None = None,
    vertical: Literal["greedy", "dls", "best"] = "greedy",
    refine_rounds: int = 10,
    progress: Progress | None = None,
) -> PairsKept:
    """Publish data in memory and measure the pairs that stay together; whoever publishes knows the clusters.

    Raises:
        InputError: an argument is out of range.
        Infeasible: there are fewer than k records.
    """
    from shoal.measuring.baskets import cluster_pairs, shares_kept
    from shoal.measuring.baskets.against_original import compare
    from shoal.publish.disassociation import publish_and_trace

    release, clusters = publish_and_trace(
        data,
        k,
        m,
        max_cluster_size=max_cluster_size,
        vertical=vertical,
        refine_rounds=refine_rounds,
        progress=progress,
    )
    compared = compare(data, release)
    return PairsKept(release, (*cluster_pairs.metrics(compared, clusters, progress), *shares_kept.kept(compared)))
