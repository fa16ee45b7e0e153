"""Mining errors and times with fake transactions and flips: tables 5 and 6 of the paper on the hybrid scheme.

A. Mohaisen, N.-S. Jho, D. Hong, D. Nyang: Privacy Preserving Association Rule Mining Revisited, IEICE Trans. Inf. &
Syst. E93-D(2), 2010. Computed tables are in ``computed_tables``. What the paper leaves open:

* Table 5 is about BMS-WebView-1, which may not be passed on: where a user has it, it is taken, and other data in any
  case, to which the paper's numbers do not apply. Errors are percentages of the frequent itemsets.
* Its "p = .499" cannot be the chance that an item is kept: the standard error of a support would be 1.8. P_r of flips
  of about a half, which the privacies beside it need as well, is that of keep_prob .995. Larger chances of flipping,
  which save more rows in table 7, are measured beside it.
* How many runs stand behind a number is not said: here ten, with their spread.
* Table 6 does not say how much was flipped either: .95 is kept here. Without fakes and flips the original is
  mined. Its times are of another machine and program.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.analyse.randomized.itemsets import Estimator, estimated_itemsets
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.mining_error import mining_error
from shoal.mining.itemsets import frequent_itemsets
from shoal.publish.randomization import randomize
from shoal.run import Run

Progress = Callable[[str, int, int], None]

RUNS = 10
MIN_SUPPORTS = (0.005, 0.0025, 0.001)
FAKES = (2.0, 4.0)
KEEP_PROB = 0.995
MORE_FLIPS = (0.95, 0.9, 0.8)
"""Chances of keeping that table 7 would save rows with, tried with the first number of fakes and threshold."""
PAPER_ERRORS = {
    ("hybrid", 2.0): ((4.013, 2.728), (2.341, 2.340), (2.172, 1.503)),
    ("fakes", 2.0): ((2.985, 1.493), (1.607, 1.607), (1.102, 0.701)),
    ("hybrid", 4.0): ((6.731, 4.275), (4.762, 3.698), (1.591, 1.620)),
    ("fakes", 4.0): ((4.975, 2.985), (3.214, 2.501), (1.027, 1.152)),
}
"""Table 5: by scheme and fakes, sigma+ and sigma- in percent at each threshold."""
TIMED_SUPPORTS = (0.004, 0.006, 0.008, 0.010, 0.012, 0.014)
TIMED_FAKES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
TIMED_KEEP_PROB = 0.95
ESTIMATORS: tuple[Estimator, ...] = ("counts", "matrix", "constant")
COMPARED = (1.0, 0.008)
"""Fakes and threshold at which estimators are compared."""
LONGEST = 6
"""Items of the sets that they are compared by: the matrix of longer ones grows fourfold with each item."""
PAPER_SECONDS = {
    ("fakes", 0.004): (1902.538, 3810.154, 5707.420, 7614.436, 9518.382, 11416.41),
    ("hybrid", 0.004): (1915.518, 3840.444, 5757.377, 7666.508, 9565.712, 11493.32),
    ("fakes", 0.006): (1006.857, 2030.639, 3020.090, 4036.387, 5031.731, 6044.294),
    ("hybrid", 0.006): (1020.402, 2030.883, 3059.891, 4072.110, 5079.988, 6112.374),
    ("fakes", 0.008): (819.317, 1644.548, 2457.953, 3284.580, 4092.814, 4930.341),
    ("hybrid", 0.008): (918.858, 1839.837, 2760.474, 3683.245, 4604.156, 5503.679),
    ("fakes", 0.010): (710.765, 1415.095, 2129.118, 2848.841, 3550.869, 4261.084),
    ("hybrid", 0.010): (793.155, 1588.689, 2380.345, 3178.311, 3960.590, 4755.187),
    ("fakes", 0.012): (583.790, 1171.383, 1762.320, 2335.563, 2904.199, 3508.973),
    ("hybrid", 0.012): (643.195, 1276.313, 1923.231, 2564.564, 3219.250, 3847.313),
    ("fakes", 0.014): (412.355, 814.620, 1218.326, 1656.193, 2059.438, 2482.124),
    ("hybrid", 0.014): (479.880, 952.340, 1434.044, 1916.864, 2401.741, 2868.722),
}
"""Table 6: by scheme and threshold, seconds with 0 to 5 fakes per real transaction."""


@dataclass(frozen=True)
class Spread:
    """A mean over runs, and how far these are apart."""

    mean: float
    deviation: float | None
    """None of a single run."""

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The mean and the standard deviation of some values."""
        return cls(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True)
class MiningErrors:
    """A cell of table 5: sigma+ and sigma- over some runs, as shares of the frequent itemsets."""

    data: str
    scheme: str
    keep_prob: float
    fakes: float
    min_support: float
    frequent: int
    """Itemsets that are frequent in the original."""
    sigma_plus: Spread
    sigma_minus: Spread


@dataclass(frozen=True)
class MiningTime:
    """A cell of table 6: the CPU seconds that mining takes."""

    scheme: str
    fakes: float
    min_support: float
    estimator: str
    seconds: float
    itemsets: int


@dataclass(frozen=True)
class Reproduction:
    """All that was measured."""

    sizes: dict[str, tuple[int, int]]
    """Records and items of each data set."""
    runs: int
    errors: tuple[MiningErrors, ...]
    timed: str
    """The data set that was mined for its time."""
    times: tuple[MiningTime, ...]
    estimators: tuple[MiningTime, ...]
    """Three ways to undo flips, on the same release."""

    def as_dict(self) -> dict[str, Any]:
        """The study as plain values, ready for JSON."""
        sizes = {name: {"records": records, "items": items} for name, (records, items) in self.sizes.items()}
        return {**asdict(self), "sizes": sizes}


@dataclass(frozen=True)
class Grid:
    """The settings that are tried."""

    min_supports: tuple[float, ...] = MIN_SUPPORTS
    fakes: tuple[float, ...] = FAKES
    more_flips: tuple[float, ...] = MORE_FLIPS
    timed_supports: tuple[float, ...] = TIMED_SUPPORTS
    timed_fakes: tuple[float, ...] = TIMED_FAKES
    compared: tuple[float, float] = COMPARED

    def settings(self) -> list[tuple[float, float, tuple[float, ...]]]:
        """For table 5: keep_prob, fakes, and thresholds."""
        both = [(keep, fakes, self.min_supports) for fakes in self.fakes for keep in (KEEP_PROB, 1.0)]
        return both + [(keep, self.fakes[0], self.min_supports[:1]) for keep in self.more_flips]


QUICK = Grid((0.02, 0.01), (1.0,), (0.9,), (0.02, 0.04), (0.0, 1.0), (1.0, 0.02))


def reproduce(
    data_sets: Iterable[tuple[str, Transactions]],
    timed: tuple[str, Transactions],
    *,
    runs: int = RUNS,
    grid: Grid | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Measure the errors of mining on some data sets, and its time on one.

    Args:
        data_sets: their names, and the baskets; one at a time is in memory.
        timed: what is mined for its time.
        runs: how often each setting is published, from seeds 0, 1, ...
        grid: the settings; by default those of the paper.
        progress: called with (stage, done, total).
    """
    tried = grid or Grid()
    report = progress or (lambda _stage, _done, _total: None)
    sizes: dict[str, tuple[int, int]] = {}
    errors: list[MiningErrors] = []
    for name, data in data_sets:
        sizes[name] = len(data), data.n_items
        errors += _errors(name, data, tried, runs, report)
    name, data = timed
    sizes.setdefault(name, (len(data), data.n_items))
    times = tuple(_times(data, tried, report))
    return Reproduction(sizes, runs, tuple(errors), name, times, tuple(_compared(data, tried)))


def _errors(name: str, data: Transactions, grid: Grid, runs: int, report: Progress) -> Iterator[MiningErrors]:
    stage = f"publish and mine {name}"
    true = {at: frequent_itemsets(data, at) for at in grid.min_supports}
    settings = grid.settings()
    for number, (keep, fakes, min_supports) in enumerate(settings):
        found: dict[float, list[tuple[float, float]]] = {at: [] for at in min_supports}
        for run in range(runs):
            report(stage, number * runs + run, len(settings) * runs)
            release = randomize(data, keep_prob=keep, fakes=fakes, run=Run(chance=run))
            for at in min_supports:
                error = mining_error(true[at], estimated_itemsets(release, at))
                if error.false_positive is not None and error.false_negative is not None:
                    found[at].append((error.false_positive, error.false_negative))
        for at, pairs in found.items():
            if pairs:
                plus, minus = (Spread.of(values) for values in zip(*pairs, strict=True))
                yield MiningErrors(name, release.method, keep, fakes, at, len(true[at]), plus, minus)
    report(stage, len(settings) * runs, len(settings) * runs)


def _times(data: Transactions, grid: Grid, report: Progress) -> Iterator[MiningTime]:
    settings = [(keep, fakes) for fakes in grid.timed_fakes for keep in (1.0, TIMED_KEEP_PROB)]
    _warm(data)
    for number, (keep, fakes) in enumerate(settings):
        report("time mining", number, len(settings))
        scheme = "fakes" if keep == 1 else "hybrid"
        release = None if keep == 1 and not fakes else randomize(data, keep_prob=keep, fakes=fakes, run=Run(chance=0))
        for at in grid.timed_supports:
            start = time.process_time()
            found = frequent_itemsets(data, at) if release is None else estimated_itemsets(release, at)
            seconds = time.process_time() - start
            yield MiningTime(scheme, fakes, at, "none" if release is None else "counts", seconds, len(found))
    report("time mining", len(settings), len(settings))


def _compared(data: Transactions, grid: Grid) -> Iterator[MiningTime]:
    fakes, at = grid.compared
    release = randomize(data, keep_prob=TIMED_KEEP_PROB, fakes=fakes, run=Run(chance=0))
    for estimator in ESTIMATORS:
        start = time.process_time()
        found = estimated_itemsets(release, at, estimator=estimator, max_length=LONGEST)
        yield MiningTime("hybrid", fakes, at, estimator, time.process_time() - start, len(found))


def _warm(data: Transactions) -> None:
    """Load what is needed before anything is timed."""
    few = data.keep_items(data.supports >= sorted(data.supports)[-min(3, data.n_items)])
    frequent_itemsets(few, 0.5)
    for keep in (1.0, TIMED_KEEP_PROB):
        release = randomize(few, keep_prob=keep, fakes=0.001 if keep == 1 else 0, run=Run(chance=0))
        for estimator in ESTIMATORS:
            estimated_itemsets(release, 1e-6, estimator=estimator)
