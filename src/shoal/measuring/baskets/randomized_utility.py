"""What randomization cost: errors of the itemsets and supports that are estimated from a release.

A. Mohaisen et al.: Privacy Preserving Association Rule Mining Revisited, IEICE Trans. E93-D, 2010, section 6.4: sigma+
and sigma- of definitions 4 and 5, at several thresholds. One release is one random sample: if the same data are
published repeatedly, each metric also has its mean and spread.
"""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from shoal.analyse.randomized.estimates import Estimates
from shoal.analyse.randomized.itemsets import EstimatedItemsets, estimated_itemsets
from shoal.analyse.randomized.supports import MOST_ITEMS, estimate
from shoal.data.arrays import Float64, Int32
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible, InputError
from shoal.limits import require_whole
from shoal.measuring.baskets.against_original import codes_in
from shoal.measuring.baskets.mining_error import MiningError, mining_error, mining_error_by_size
from shoal.measuring.metric import Detail, Direction, Metric
from shoal.measuring.metrics import WIDTH, Metrics
from shoal.mining.itemsets import Itemsets, frequent_itemsets
from shoal.mining.support import least_count
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run, silent

MIN_SUPPORTS: tuple[float, ...] = (0.01, 0.005, 0.0025)
_ROUNDING = 1e-12
"""Estimates are sums of products of fractions: a true value this close to an interval counts as inside."""
_MEANINGS = {
    "sigma+": "itemsets found in the release that are not frequent in the original, divided by those that are",
    "sigma-": "the share of the original's frequent itemsets that are not found in the release",
    "support error": "the mean distance of the estimated support of a frequent itemset from the true one, as a share "
    "of the records",
    "standard errors": "the same in standard errors, as the root mean square: about 1 if the release states its "
    "errors correctly",
    "in interval": "the share of the frequent itemsets whose true support is in the 95 % interval of its estimate: "
    "should be about .95",
}
_EDGES = {
    "sigma+": "a set whose estimate is at the threshold is found; sets of more items than any frequent one count "
    "only in the whole; nothing: no set is frequent",
    "sigma-": "a set that is not examined because one of its subsets was not found, is not found; nothing: no set is "
    "frequent",
    "support error": "all itemsets that are frequent in the original, found or not; nothing: there are none",
    "standard errors": "those that have a standard error above 0; nothing: there are none",
    "in interval": "all itemsets that are frequent in the original, found or not; nothing: there are none",
}


@dataclass(frozen=True)
class RandomizedUtility(Metrics):
    """All metrics of one randomized release; ``utility["sigma+ at 0.005"]`` is one of them.

    If the same data were published repeatedly, the details of each have its ``mean``, ``deviation``, ``least`` and
    ``most`` over these runs.
    """

    records: int
    """The number of records of the original."""
    method: str
    min_supports: tuple[float, ...]
    """The thresholds: shares of the records, or (whole numbers) records."""
    runs: int
    """How many times the same data were published again."""
    notes: tuple[str, ...]
    """Where the numbers of the release depend on chance, or on what was not examined."""

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON, which has no infinity: the end of an open range is null."""
        metrics = [metric.as_dict() for metric in self.metrics]
        for metric in metrics:
            metric["range"] = [None if end == np.inf else end for end in metric["range"]]
        return {
            "records": self.records,
            "method": self.method,
            "min_supports": list(self.min_supports),
            "runs": self.runs,
            "notes": list(self.notes),
            "metrics": metrics,
        }

    @property
    def head(self) -> str:
        """What was measured, in one line."""
        again = f"; published again {self.runs:,} time{'' if self.runs == 1 else 's'}" if self.runs else ""
        return f"{self.records:,} records, {self.method}; {', '.join(map(_at, self.min_supports))}{again}"

    def __str__(self) -> str:
        """A table of all metrics, what they mean, and notes."""
        told = (textwrap.fill(f"note: {note}", WIDTH, subsequent_indent="  ") for note in self.notes)
        return "\n".join([super().__str__(), *(["", *told] if self.notes else [])])


def measure_randomized(
    original: Transactions,
    release: Randomized,
    *,
    min_support: float | Sequence[float] = MIN_SUPPORTS,
    max_length: int | None = None,
    runs: int = 0,
    publish_again: Callable[..., tuple[Randomized, object]] | None = None,
    run: Run = DEFAULT_RUN,
) -> RandomizedUtility:
    """Measure the errors of estimates from a release.

    As :func:`shoal.measure` says, which knows how to publish: ``publish_again(release, original, run=)``.
    """
    require_whole("runs", runs, least=0)
    min_supports = tuple(min_support) if isinstance(min_support, Sequence) else (min_support,)
    if max_length is not None:
        require_whole("max_length", max_length, least=1)
    if not min_supports or len(set(min_supports)) < len(min_supports):
        raise InputError("min_supports must be different thresholds, at least one")
    codes = codes_in(original, release)
    truth = _truth(original, min_supports, max_length, run)
    first = _measured(truth, release, codes, max_length, run)
    spread, cut_short = [], 0
    for number in range(runs):
        assert publish_again is not None
        run.report("publish again", number, runs)
        other, _ = publish_again(
            release,
            original,
            run=replace(run, progress=silent, chance=None if run.chance is None else run.chance + number),
        )
        measured = _measured(truth, other, codes, max_length, run)
        spread.append(measured.metrics)
        cut_short += measured.cut_short
    if runs:
        run.report("publish again", runs, runs)
    notes = first.notes
    if cut_short:
        notes += (f"in {cut_short:,} of {runs:,} runs not all candidates were examined",)
    metrics = tuple(_with_spread(metric, spread) for metric in first.metrics.values())
    return RandomizedUtility(metrics, len(original), release.method, min_supports, runs, notes)


class _Truth(NamedTuple):
    """The frequent itemsets of the original."""

    itemsets: Itemsets
    """At the lowest threshold, the most frequent first."""
    frequent: dict[float, int]
    """The number of them, by threshold."""


class _Measured(NamedTuple):
    """One release: its metrics by label, and remarks on them."""

    metrics: dict[str, Metric]
    notes: tuple[str, ...]
    cut_short: bool
    """Whether some candidates were not examined."""


def _truth(
    original: Transactions,
    min_supports: Sequence[float],
    max_length: int | None,
    run: Run,
) -> _Truth:
    """The frequent itemsets at all thresholds, mined once."""
    leasts = {min_support: least_count(min_support, len(original)) for min_support in min_supports}
    lowest = min(leasts.values())
    every = frequent_itemsets(original, lowest, max_length=max_length, run=run)
    return _Truth(every, {at: int(np.count_nonzero(every.counts >= least)) for at, least in leasts.items()})


def _measured(
    truth: _Truth,
    release: Randomized,
    codes: Int32,
    max_length: int | None,
    run: Run,
) -> _Measured:
    metrics: list[Metric] = []
    notes: list[str] = []
    cut_short = False
    estimates = _estimates(truth.itemsets, release, codes, run)
    for min_support, n_frequent in truth.frequent.items():
        frequent = truth.itemsets.take(np.arange(n_frequent))
        found = estimated_itemsets(release, min_support, max_length=max_length, run=run)
        cut_short |= any(level.left_out for level in found.levels)
        notes += [f"{_at(min_support)}: not examined: {reason}" for reason in found.unexplored]
        notes += [f"{_at(min_support)}: {warning}" for warning in found.warnings]
        metrics += _found_or_not(_at(min_support), frequent, found)
        metrics += _supports(_at(min_support), frequent, estimates)
    return _Measured({metric.label: metric for metric in metrics}, tuple(notes), cut_short)


def _found_or_not(part: str, frequent: Itemsets, found: EstimatedItemsets) -> list[Metric]:
    metrics = _sigmas(part, mining_error(frequent, found))
    by_size = mining_error_by_size(frequent, found)
    if len(by_size) > 1:
        for size, error in by_size.items():
            if error.true:
                metrics += _sigmas(f"{part}, {size} item{'' if size == 1 else 's'}", error)
    return metrics


def _sigmas(part: str, error: MiningError) -> list[Metric]:
    plus: dict[str, Detail] = {"frequent": error.true, "found_wrongly": error.found - error.both}
    minus: dict[str, Detail] = {"frequent": error.true, "missed": error.true - error.both}
    return [
        _metric("sigma+", part, error.false_positive, plus, most=np.inf),
        _metric("sigma-", part, error.false_negative, minus),
    ]


def _estimates(itemsets: Itemsets, release: Randomized, codes: Int32, run: Run) -> Estimates | str:
    """Estimates of all itemsets, with nan for those that are too long; or the reason why there are none."""
    short = np.flatnonzero(itemsets.sizes <= MOST_ITEMS)
    few = itemsets.take(short)
    try:
        found = estimate(release, few.offsets, codes[few.items], run=run)
    except Infeasible as error:
        return str(error)
    columns = np.full((4, len(itemsets)), np.nan)
    columns[:, short] = found.estimate, found.error, found.low, found.high
    return Estimates(*columns)


def _supports(part: str, frequent: Itemsets, estimates: Estimates | str) -> list[Metric]:
    """The errors of the estimates of frequent itemsets."""
    tops = {"support error": np.inf, "standard errors": np.inf, "in interval": 1.0}
    if isinstance(estimates, str):
        return [replace(_metric(name, part, None, {}, most), reason=estimates) for name, most in tops.items()]
    known = np.flatnonzero(~np.isnan(estimates.error[: len(frequent)]))
    details: dict[str, Detail] = {"itemsets": len(known)}
    if len(known) < len(frequent):
        details["too_long_to_estimate"] = len(frequent) - len(known)
    values = _errors(frequent.supports[known], estimates.take(known))
    return [_metric(name, part, value, details, tops[name]) for name, value in zip(tops, values, strict=True)]


def _errors(true: Float64, found: Estimates) -> tuple[float | None, float | None, float | None]:
    """The mean error, the same in standard errors, and the share of intervals that contain the true value."""
    if not len(true):
        return None, None, None
    off = found.estimate - true
    unsure = found.error > 0
    in_errors = off[unsure] / found.error[unsure]
    held = (found.low <= true + _ROUNDING) & (true <= found.high + _ROUNDING)
    return (
        float(np.abs(off).mean()),
        float(np.sqrt((in_errors**2).mean())) if len(in_errors) else None,
        float(held.mean()),
    )


def _metric(name: str, part: str, value: float | None, details: dict[str, Detail], most: float = 1.0) -> Metric:
    direction: Direction = "higher is better" if name == "in interval" else "lower is better"
    return Metric(name, value, direction, (0.0, most), _MEANINGS[name], _EDGES[name], part, details)


def _with_spread(metric: Metric, runs: list[dict[str, Metric]]) -> Metric:
    """A metric with its mean and spread over the runs in which it has a value."""
    values = [run[metric.label].value for run in runs if metric.label in run]
    known = [value for value in values if value is not None]
    if not known:
        return metric
    spread: dict[str, Detail] = {
        "mean": statistics.fmean(known),
        "deviation": statistics.stdev(known) if len(known) > 1 else None,
        "least": min(known),
        "most": max(known),
    }
    return replace(metric, details={**metric.details, **spread})


def _at(min_support: float) -> str:
    if isinstance(min_support, int):
        return f"at {min_support:,} record{'' if min_support == 1 else 's'}"
    return f"at {min_support:g}"
