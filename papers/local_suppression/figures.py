"""What local suppression keeps compared with plain disassociation, over k, m, cluster sizes and items: the DLS paper.

X. Liu, X. Feng, Y. Zhu: Transactional Data Anonymization for Privacy and Information Preservation via Disassociation
and Local Suppression, Symmetry 14(3), 2022, section 6.3, figures 6 to 8. There is no refining in that paper, and none
here. What it leaves open:

* The maximum cluster size is not said: all of :data:`SIZES` are tried, and each is a study of its own.
* Which k figures 6b, 7a and 8a have is not in the text; :data:`KS` is a choice.
* The frequent item domain (figures 7c, 8d) is read as the share of items, the most frequent first, that are left in
  the data before anything is published.
* "1.8 times on average in Figure 7" is read as the mean over the settings of its three panels of ANR with suppression
  over ANR without; "31.04 percent better on average" in figure 8 as the mean over its four panels of how much lower
  ARE is, in percent of what it is without. Where ARE is 0 without, there is no such percentage, and these are counted;
  where it is nearly 0, percentages are wild, so that how much lower the mean of ARE is stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from shoal.data.transactions import Transactions
from shoal.measuring.baskets import cluster_pairs, shares_kept
from shoal.measuring.baskets.against_original import compare
from shoal.measuring.metric import Metric
from shoal.publish.disassociation import publish_and_trace
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run

Progress = Callable[[str, int, int], None]
Vertical = Literal["greedy", "dls", "best"]

VERTICALS: tuple[Vertical, ...] = ("greedy", "dls", "best")
K, M, TOP = 10, 2, 20
"""What the paper uses unless it says otherwise."""
SIZES = (30, 50, 100, 200, 500)
KS = (2, 5, 10, 15, 20)
MS = (2, 3, 4, 5)
TOPS = (10, 20, 30)
DOMAINS = (10, 20, 30, 100)
CLAIMED_PAIRS, CLAIMED_ERROR = 1.8, 31.04


@dataclass(frozen=True)
class Setting:
    """One way to publish."""

    max_cluster_size: int
    k: int = K
    m: int = M
    domain: int = 100
    """How many percent of the items are left in the data, the most frequent first."""

    @property
    def feasible(self) -> bool:
        """Whether clusters of at least k records can be that small."""
        return self.max_cluster_size >= 2 * self.k - 1


@dataclass(frozen=True)
class Grid:
    """Which settings are tried."""

    sizes: tuple[int, ...] = SIZES
    ks: tuple[int, ...] = KS
    ms: tuple[int, ...] = MS
    domains: tuple[int, ...] = DOMAINS

    def panels(self, size: int) -> dict[str, list[Setting]]:
        """The settings along the axes k, m and frequent items, of clusters of that size."""
        axes = {
            "k": [Setting(size, k=k) for k in self.ks],
            "m": [Setting(size, m=m) for m in self.ms],
            "items": [Setting(size, domain=domain) for domain in self.domains],
        }
        return {name: [setting for setting in axis if setting.feasible] for name, axis in axes.items()}

    def settings(self) -> list[Setting]:
        """All of them, each once."""
        panels = [self.panels(size) for size in self.sizes]
        return list(dict.fromkeys(setting for panel in panels for axis in panel.values() for setting in axis))


QUICK = Grid(sizes=(30, 100), ks=(5, 10), ms=(2, 3), domains=(30, 100))


@dataclass(frozen=True)
class Outcome:
    """What one way to split clusters kept in one setting."""

    data: str
    setting: Setting
    vertical: Vertical
    values: Mapping[str, float | None]
    """Metrics by label."""
    suppressed: int
    """Occurrences of items."""
    cut_short: int
    """Clusters in which there was too much to look at."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "data": self.data,
            **vars(self.setting),
            "vertical": self.vertical,
            "suppressed": self.suppressed,
            "clusters_cut_short": self.cut_short,
            "metrics": dict(self.values),
        }


@dataclass(frozen=True)
class Claim:
    """What the paper says of its averages, measured on one data set with one maximum cluster size."""

    data: str
    max_cluster_size: int
    vertical: Vertical
    pairs: float | None
    """How many times the pairs (ANR) are kept, on average over figure 7; the paper says 1.8."""
    error: float | None
    """By how many percent ARE is lower, on average over figure 8; the paper says 31.04."""
    mean_error: float | None
    """By how many percent the mean of ARE over figure 8 is lower."""
    pooled_pairs: float | None
    """How many times the pair instances of all the data are kept, on average over figure 7."""
    without_error: int
    """Settings of figure 8 that have no percentage, because ARE is 0 already without suppression."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Reproduction:
    """Everything that was tried, and what it means for the claims."""

    outcomes: tuple[Outcome, ...]
    claims: tuple[Claim, ...]
    sizes: Mapping[str, tuple[int, int]]
    """Records and items of each data set."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "claimed": {"pairs": CLAIMED_PAIRS, "error": CLAIMED_ERROR},
            "data": {name: {"records": size[0], "items": size[1]} for name, size in self.sizes.items()},
            "claims": [claim.as_dict() for claim in self.claims],
            "outcomes": [outcome.as_dict() for outcome in self.outcomes],
        }


def reproduce(
    data: Iterable[tuple[str, Transactions]], *, grid: Grid | None = None, progress: Progress | None = None
) -> Reproduction:
    """Publish data with and without local suppression in many settings, and measure the pairs that are kept.

    Args:
        data: data sets with their names.
        grid: the settings; by default those of the paper's figures, as far as its text says.
        progress: called with (data set, done, total).
    """
    grid = grid or Grid()
    outcomes: list[Outcome] = []
    claims: list[Claim] = []
    sizes = {}
    for name, baskets in data:
        sizes[name] = len(baskets), baskets.n_items
        found = list(_outcomes(name, baskets, grid.settings(), progress))
        outcomes += found
        claims += _claims(name, found, grid)
    return Reproduction(tuple(outcomes), tuple(claims), sizes)


def frequent_items(data: Transactions, percent: int) -> Transactions:
    """The same data with this percentage of the items, the most frequent first, ties by item; at least one item."""
    ranked = np.lexsort((np.arange(data.n_items), -data.supports))
    keep = np.zeros(data.n_items, bool)
    keep[ranked[: -(data.n_items * percent // -100)]] = True
    return data.keep_items(keep)


def _outcomes(
    name: str, baskets: Transactions, settings: Sequence[Setting], progress: Progress | None
) -> Iterator[Outcome]:
    narrow = {setting.domain: frequent_items(baskets, setting.domain) for setting in settings}
    total, done = len(settings) * len(VERTICALS), 0

    def report(*_step: object) -> None:
        if progress:
            progress(name, done, total)

    for setting in settings:
        for vertical in VERTICALS:
            kept = pairs_kept(
                narrow[setting.domain],
                setting.k,
                setting.m,
                max_cluster_size=setting.max_cluster_size,
                vertical=vertical,
                refine_rounds=0,
                run=Run(progress=report),  # its steps are not shown, but Ctrl-C is heard at each of them
            )
            done += 1
            values = {metric.label: metric.value for metric in kept.metrics}
            dropped = kept.release.dropped
            yield Outcome(name, setting, vertical, values, dropped.suppressed_instances, dropped.clusters_cut_short)
    report()


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
    vertical: Vertical = "greedy",
    refine_rounds: int = 10,
    run: Run = DEFAULT_RUN,
) -> PairsKept:
    """Publish data in memory and measure the pairs that stay together; the publisher knows the clusters.

    Raises:
        InputError: an argument is out of range.
        Infeasible: there are fewer than k records.
    """
    release, clusters = publish_and_trace(
        data,
        k,
        m,
        max_cluster_size=max_cluster_size,
        vertical=vertical,
        refine_rounds=refine_rounds,
        run=run,
    )
    compared = compare(data, release)
    return PairsKept(release, (*cluster_pairs.metrics(compared, clusters, run), *shares_kept.kept(compared)))


def _claims(name: str, outcomes: Iterable[Outcome], grid: Grid) -> Iterator[Claim]:
    values = {(outcome.setting, outcome.vertical): outcome.values for outcome in outcomes}
    for size in grid.sizes:
        panels = grid.panels(size)
        seventh = [setting for axis in panels.values() for setting in axis]
        usual = [setting for setting in (Setting(size),) if (setting, "greedy") in values]
        eighth = [(setting, TOP) for setting in seventh] + [(setting, top) for setting in usual for top in TOPS]
        for vertical in VERTICALS[1:]:

            def both(setting: Setting, label: str, vertical: Vertical = vertical) -> tuple[float, float] | None:
                without, suppressed = values[setting, "greedy"][label], values[setting, vertical][label]
                return None if without is None or suppressed is None else (without, suppressed)

            errors = _known(both(setting, f"ARE top {top} %") for setting, top in eighth)
            lower = [100 * (1 - ratio) for ratio in _ratios(errors)]
            without, suppressed = (sum(column) for column in zip((0.0, 0.0), *errors, strict=True))
            yield Claim(
                name,
                size,
                vertical,
                _mean(_ratios(_known(both(setting, "ANR") for setting in seventh))),
                _mean(lower),
                100 * (1 - suppressed / without) if without else None,
                _mean(_ratios(_known(both(setting, "pair instances kept") for setting in seventh))),
                len(errors) - len(lower),
            )


def _known(found: Iterable[tuple[float, float] | None]) -> list[tuple[float, float]]:
    return [one for one in found if one is not None]


def _ratios(found: Iterable[tuple[float, float]]) -> list[float]:
    """The second as a multiple of the first, if there is one."""
    return [suppressed / without for without, suppressed in found if without]


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
