"""One set of metrics for every release of baskets, so that methods can be compared in one table.

Terrovitis, Mamoulis, Liagouris, Skiadopoulos, VLDB 2012, sections 6 and 7 (tKd, tKd-ML2, re); A. Mohaisen et al., IEICE
Trans. E93-D, 2010 (sigma+, sigma-). How an analyst reads each kind of release is in ``views``; if a release cannot be
read for a metric, the metric has no value and a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.limits import require_whole
from shoal.measuring.baskets.item_generalization import NCP_EDGES, NCP_MEANING
from shoal.measuring.baskets.mining_error import mining_error
from shoal.measuring.baskets.pair_errors import Range, counted, errors, pairs_of, require_ranges
from shoal.measuring.baskets.pairs_kept import PairsTold, pairs_kept, pairs_told
from shoal.measuring.baskets.top_itemsets_lost import at_all_levels, lost, top_of
from shoal.measuring.baskets.views import View, view_of
from shoal.measuring.metric import Detail, Metric, share
from shoal.measuring.metrics import Metrics
from shoal.mining.itemsets import MAX_ITEMSETS, frequent_itemsets
from shoal.mining.support import least_count
from shoal.release import BasketRelease
from shoal.run import DEFAULT_RUN, Run

RANGES: tuple[Range, ...] = ((0, 20), (200, 220))

_MEANINGS = {
    "tKd": "the share of the original's top itemsets that are not among the top itemsets of what is published",
    "tKd-ML2": "the same for itemsets of every level of the hierarchy below its root, each level separately; an item "
    "that was generalized counts at the levels from its group upwards",
    "re": "the mean over all pairs of items of these ranks of |s - t| / ((s + t) / 2), where s is the number of "
    "records with both in the original, and t the number according to the release",
    "sigma+": "itemsets found in the release that are not frequent in the original, divided by those that are",
    "sigma-": "the share of the original's frequent itemsets that are not found in the release",
}
_FREQUENT = (
    "a threshold given as a share refers to the records of each side; a set at the threshold is frequent; "
    "nothing: no set is frequent in the original"
)
_NO_TREE = "no hierarchy of the items was given"


@dataclass(frozen=True)
class BasketUtility(Metrics):
    """All metrics of one release of baskets, the same for all kinds of releases; ``utility["tKd"]`` is one of them.

    Example:
        >>> import shoal
        >>> original = shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}])
        >>> again = shoal.Run(chance=1)
        >>> found = basket_utility(original, shoal.disassociate(original, k=3, m=2), ranges=[(0, 3)], run=again)
        >>> found["pairs kept"]
        Metric(pairs kept = 1, 0 to 1, higher is better)
        >>> found["re 0-3"]
        Metric(re 0-3 = 0.6667, 0 to 2, lower is better)
    """

    records: int
    """The number of records of the original."""
    method: str
    top: int
    """The number of itemsets that the tKd family compares."""
    min_support: float
    """The threshold of sigma+ and sigma-: a share of the records, or (a whole number) records."""
    reading: str
    """How the release was read, in words."""

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON, which has no infinity: the end of an open range is null."""
        metrics = [metric.as_dict() for metric in self.metrics]
        for metric in metrics:
            metric["range"] = [None if end == np.inf else end for end in metric["range"]]
        return {
            "records": self.records,
            "method": self.method,
            "top": self.top,
            "min_support": self.min_support,
            "reading": self.reading,
            "metrics": metrics,
        }

    @property
    def head(self) -> str:
        """What was measured, and how the release was read."""
        return (
            f"{self.records:,} records, {self.method}; top {self.top:,} itemsets, {_at(self.min_support)}\n"
            f"read as: {self.reading}"
        )


def basket_utility(
    original: Transactions,
    release: BasketRelease,
    *,
    hierarchy: Hierarchy | None = None,
    top: int = 1000,
    ranges: Sequence[Range] = RANGES,
    min_support: float = 0.01,
    run: Run = DEFAULT_RUN,
) -> BasketUtility:
    """Measure a release of baskets of any kind by the metrics that all kinds have in common.

    Args:
        original: the data that were published.
        release: a disassociated or randomized release, generalized baskets, or baskets with noisy counts.
        hierarchy: of the items, for tKd-ML2; of generalized baskets, the one that they were made with, which is
            needed unless the release has all of it or it is the one that publishing builds from the items' names.
        top: how many of the most frequent itemsets to compare.
        ranges: ranks of items by descending support, from 0 on and without the end, whose pairs to compare.
        min_support: of frequent itemsets, as a share of the records up to 1., or (as a whole number) how many records.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The metrics: tKd, tKd-ML2, re for each range, pairs kept, sigma+, sigma-, items kept, NCP.

    Raises:
        InputError: an argument is out of range, or the release cannot have been made from these data.
        Infeasible: the original has too many frequent itemsets.
    """
    require_whole("top", top, least=1, most=MAX_ITEMSETS)
    require_ranges(tuple(ranges))
    least_count(min_support, len(original))  # fail early
    view = view_of(original, release, hierarchy=hierarchy, run=run)
    told = pairs_told(original, view, run)
    return utility_of_view(
        original,
        release,
        view,
        told,
        hierarchy=hierarchy,
        top=top,
        ranges=ranges,
        min_support=min_support,
        run=run,
    )


def utility_of_view(
    original: Transactions,
    release: BasketRelease,
    view: View,
    told: PairsTold,
    *,
    hierarchy: Hierarchy | None = None,
    top: int = 1000,
    ranges: Sequence[Range] = RANGES,
    min_support: float = 0.01,
    run: Run = DEFAULT_RUN,
) -> BasketUtility:
    """The same for a release whose view and pairs are already computed."""
    metrics = [
        _top(original, view, top, run),
        _at_all_levels(original, view, hierarchy, top, run),
        *_pairs(original, view, told, tuple(ranges), run),
        *_frequent(original, view, min_support, run),
        _items(original, view),
        _generalized(view),
    ]
    return BasketUtility(tuple(metrics), len(original), release.method, top, min_support, view.reading)


def _top(original: Transactions, view: View, top: int, run: Run) -> Metric:
    return _told(lost("tKd", top_of(original, top, run), view.top(top, run))[0])


def _at_all_levels(original: Transactions, view: View, hierarchy: Hierarchy | None, top: int, run: Run) -> Metric:
    seen = _NO_TREE if hierarchy is None else view.levels(hierarchy)
    if isinstance(seen, str):
        edges = "nothing: there is no such view of the release, or no hierarchy"
        return Metric("tKd-ML2", None, "lower is better", (0.0, 1.0), _MEANINGS["tKd-ML2"], edges, reason=seen)
    levels, rows = seen
    wanted = top_of(at_all_levels(original, levels), top, run)
    return _told(lost("tKd-ML2", wanted, top_of(rows, top, run))[0])


def _told(metric: Metric) -> Metric:
    """The metric, described in words that apply to all kinds of releases."""
    edges = f"{metric.edges}; items that the original does not have rank after all others"
    return replace(metric, meaning=_MEANINGS[metric.name], edges=edges)


def _pairs(original: Transactions, view: View, told: PairsTold, ranges: tuple[Range, ...], run: Run) -> list[Metric]:
    ranked = pairs_of(original, ranges)
    found = errors("re", counted(original, ranked), view.pairs(ranked, run), ranked)
    return [*(replace(metric, meaning=_MEANINGS["re"]) for metric in found), pairs_kept(original, told)]


def _frequent(original: Transactions, view: View, min_support: float, run: Run) -> list[Metric]:
    """Sigma+ and sigma-; if a release has too many frequent itemsets, they have no value and this reason."""
    true = frequent_itemsets(original, min_support, run=run)
    part = _at(min_support)
    plus: dict[str, Detail] = {"frequent": len(true)}
    minus: dict[str, Detail] = {"frequent": len(true)}
    values: tuple[float | None, float | None] = (None, None)
    reason = ""
    try:
        error = mining_error(true, view.frequent(min_support, run))
    except Infeasible as refused:
        reason = str(refused)
    else:
        values = error.false_positive, error.false_negative
        plus["found_wrongly"], minus["missed"] = error.found - error.both, error.true - error.both
    return [
        Metric(name, value, "lower is better", (0.0, most), _MEANINGS[name], _FREQUENT, part, details, reason)
        for name, value, most, details in (("sigma+", values[0], np.inf, plus), ("sigma-", values[1], 1.0, minus))
    ]


def _items(original: Transactions, view: View) -> Metric:
    n = int(np.count_nonzero(view.named))
    return Metric(
        "items kept",
        share(n, original.n_items),
        "higher is better",
        (0.0, 1.0),
        "the share of the original's items that are in the release under their own names",
        "an item that randomization or noise added again counts",
        details={"kept": n, "of": original.n_items},
    )


def _generalized(view: View) -> Metric:
    """NCP; a release that did not generalize has none, because a 0 would look like a merit."""
    found = view.ncp()
    if found is not None:
        return found
    reason = "items are published unchanged, or not at all: that cost is in the other metrics"
    return Metric("NCP", None, "lower is better", (0.0, 1.0), NCP_MEANING, NCP_EDGES, reason=reason)


def _at(min_support: float) -> str:
    if isinstance(min_support, int):
        return f"at {min_support:,} record{'' if min_support == 1 else 's'}"
    return f"at {min_support:g}"
