"""What a release cost: how much of its original it still shows, metric by metric.

Terrovitis, Mamoulis, Liagouris, Skiadopoulos, VLDB 2012, sections 6 and 7; Liu, Feng, Zhu 2022, section 6.3.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.limits import require_whole
from shoal.measuring.baskets import cluster_pairs, shares_kept
from shoal.measuring.baskets.against_original import Compared, compare
from shoal.measuring.baskets.pair_errors import (
    Range,
    averages,
    counted,
    errors,
    expected,
    pairs_of,
    require_ranges,
)
from shoal.measuring.baskets.top_itemsets_lost import Levels, Top, at_all_levels, levels_of, lost, top_of
from shoal.measuring.metric import Metric
from shoal.measuring.metrics import Metrics
from shoal.mining.itemsets import MAX_ITEMSETS
from shoal.release.disassociated import Disassociated
from shoal.release.trace import Trace
from shoal.run import DEFAULT_RUN, Run

RANGES: tuple[Range, ...] = ((0, 20), (100, 120), (200, 220))


@dataclass(frozen=True)
class Utility(Metrics):
    """All metrics of one release, in a fixed order; ``utility["tKd"]`` is one of them.

    Example:
        >>> import shoal
        >>> original = shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}])
        >>> again = shoal.Run(chance=1)
        >>> found = measure_disassociated(original, shoal.disassociate(original, k=3, m=2), ranges=[(0, 3)], run=again)
        >>> found["pair instances kept"]
        Metric(pair instances kept = 0.8, 0 to 1, higher is better)
        >>> found["re-closed 0-3"]
        Metric(re-closed 0-3 = 0.6667, 0 to 2, lower is better)
    """

    records: int
    """The number of records of the original."""
    k: int
    m: int
    top: int
    """The number of itemsets that the tKd family compares."""
    reconstructions: int
    """The number of reconstructions."""

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON."""
        return {
            "records": self.records,
            "k": self.k,
            "m": self.m,
            "top": self.top,
            "reconstructions": self.reconstructions,
            "metrics": [metric.as_dict() for metric in self.metrics],
        }

    @property
    def head(self) -> str:
        """What was measured, in one line."""
        return (
            f"{self.records:,} records, k = {self.k}, m = {self.m}; top {self.top:,} itemsets, "
            f"{self.reconstructions:,} reconstruction{'' if self.reconstructions == 1 else 's'}"
        )


def measure_disassociated(
    original: Transactions,
    release: Disassociated,
    *,
    top: int = 1000,
    ranges: Sequence[Range] = RANGES,
    reconstructions: int = 10,
    hierarchy: Hierarchy | None = None,
    trace: Trace | None = None,
    run: Run = DEFAULT_RUN,
) -> Utility:
    """Measure what a release has lost of its original.

    See :func:`shoal.measure`.
    """
    require_whole("top", top, least=1, most=MAX_ITEMSETS)
    require_whole("reconstructions", reconstructions, least=1)
    ranges = tuple(ranges)
    require_ranges(ranges)
    compared = compare(original, release)
    clusters = None if trace is None else trace.clusters_of(original, release)
    levels = None if hierarchy is None else levels_of(hierarchy, original)
    drawn = compared.reconstructions(reconstructions, run=run)
    first = next(drawn)
    metrics = _itemsets(compared, first, top, levels, run)
    metrics += _pairs(compared, itertools.chain([first], drawn), ranges, reconstructions, run)
    metrics += cluster_pairs.metrics(compared, clusters, run)
    metrics += [shares_kept.items_lost(compared), *shares_kept.kept(compared)]
    promise = release.promise
    return Utility(tuple(metrics), len(original), promise.k, promise.m, top, reconstructions)


def _itemsets(compared: Compared, first: Transactions, top: int, levels: Levels | None, run: Run) -> list[Metric]:
    def best(data: Transactions) -> Top:
        return top_of(data, top, run)

    m = compared.release.promise.m
    wanted = best(compared.original)
    found = lost("tKd", wanted, best(first), m) + lost("tKd-a", wanted, best(compared.chunks()), m)
    if levels is not None:
        wanted = best(at_all_levels(compared.original, levels))
        found += lost("tKd-ML2", wanted, best(at_all_levels(first, levels)), m)
    return found


def _pairs(
    compared: Compared,
    drawn: Iterator[Transactions],
    ranges: tuple[Range, ...],
    n: int,
    run: Run,
) -> list[Metric]:
    pairs = pairs_of(compared.original, ranges)
    original = counted(compared.original, pairs)
    found = []
    for number, supports in averages(drawn, pairs, n):
        found += errors("re" if number == 1 else f"re-r{number}", original, supports, pairs)
    found += errors("re-closed", original, expected(compared, pairs, run), pairs)
    return found + errors("re-a", original, counted(compared.chunks(), pairs), pairs)
