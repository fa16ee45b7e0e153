"""What disassociation keeps and costs, over k, m, ranks, reconstructions and shapes of data, compared with rivals.

M. Terrovitis, N. Mamoulis, J. Liagouris, S. Skiadopoulos: Privacy Preservation by Disassociation, PVLDB 5(10), 2012,
section 7, figures 7 to 11. Only its text is compared with: the points of the figures are not in it. It leaves open:

* The maximum cluster size is not said: here it is Shoal's own, four times k, so that it grows with k.
* Which k figures 7b, 7c and 9 have, and which records, domains and lengths figures 8 and 10 have, is not in the text:
  those of :class:`Grid` are a choice. So are the patterns of the generated data.
* Which metric is in which panel of figure 8a and 8b, and which axis in which of figures 9 and 10, is not said: the
  panels are named here as in :data:`PANELS`.
* The generalization hierarchy of figure 11b is not stated: ``neighbours`` of a stated fan-out if none is available.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from shoal.data.hierarchy import Hierarchy
from shoal.data.item_hierarchies import neighbours
from shoal.data.transactions import Transactions
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.measuring.baskets.against_original import Compared, compare
from shoal.measuring.baskets.pair_errors import Pairs, Range, averages, counted, errors, expected, pairs_of
from shoal.measuring.baskets.shares_kept import items_lost
from shoal.measuring.baskets.top_itemsets_lost import Levels, Top, at_all_levels, levels_of, lost, top_of
from shoal.measuring.metric import Metric
from shoal.publish.disassociation import disassociate
from shoal.quoting import shown
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets

Progress = Callable[[str, int, int], None]
Values = Mapping[str, float | None]

K, M, TOP = 5, 2, 1000
"""The paper's settings unless it says otherwise; tKd compares this many itemsets."""
FREQUENT, RARE = (0, 20), (200, 220)
"""The ranks of the items whose pairs re looks at: in figure 11c, and everywhere else but figure 7d."""
DISASSOCIATION, GENERALIZATION, DIFFPART = "disassociation", "Apriori", "DiffPart"


@dataclass(frozen=True)
class Panel:
    """One panel of a figure: what it shows, over what."""

    title: str
    axis: str
    metrics: tuple[str, ...]


_COMMON, _ERRORS = ("tKd-a", "tKd", "tlost"), ("re-a 200-220", "re 200-220", "re-closed 200-220")
PANELS = {
    "7a": Panel("information loss, by data set", "data", (*_COMMON, *_ERRORS, "in neither 200-220")),
    "7b": Panel("frequent itemsets and items lost, by k", "k", _COMMON),
    "7c": Panel("errors of pairs of less frequent items, by k", "k", _ERRORS),
    "m": Panel("information loss, by m", "m", (*_COMMON, *_ERRORS)),
    "7d": Panel("errors of pairs, by rank of the items and number of reconstructions", "ranks", ("re",)),
    "8a": Panel("frequent itemsets and items lost, by number of records", "records", _COMMON),
    "8b": Panel("errors of pairs, by number of records", "records", _ERRORS),
    "8c": Panel("information loss, by domain size", "domain", (*_COMMON, *_ERRORS)),
    "8d": Panel("information loss, by record length", "length", (*_COMMON, *_ERRORS)),
    "9": Panel("CPU seconds to publish, by k", "k", ("seconds",)),
    "10a": Panel("CPU seconds to publish, by number of records", "records", ("seconds",)),
    "10b": Panel("CPU seconds to publish, by domain size", "domain", ("seconds",)),
    "11a": Panel("top itemsets lost (tKd), compared with DiffPart", "method", ("tKd",)),
    "11b": Panel("top itemsets of all levels lost (tKd-ML2), compared with Apriori", "method", ("tKd-ML2",)),
    "11c": Panel("errors of pairs of the 20 most frequent items, compared with both", "method", ("re 0-20",)),
}
_TIMED = ("9", "10a", "10b")
_GENERATED = ("8a", "8b", "8c", "8d", "10a", "10b")


@dataclass(frozen=True)
class Shape:
    """What generated baskets are to be like."""

    records: int = 1_000_000
    domain: int = 5_000
    length: float = 10

    def __str__(self) -> str:
        return f"{self.records:,} records, {self.domain:,} items, mean length {self.length:g}"


Make = Callable[[Shape], Transactions]


@dataclass(frozen=True)
class Grid:
    """Which settings are tried."""

    ks: tuple[int, ...] = (2, 5, 10, 15, 20, 25)
    ms: tuple[int, ...] = (1, 2, 3, 4)
    ranks: tuple[Range, ...] = (FREQUENT, (100, 120), RARE, (300, 320), (400, 420))
    reconstructions: int = 10
    shape: Shape = Shape()
    records: tuple[int, ...] = (250_000, 500_000, 1_000_000, 2_000_000)
    domains: tuple[int, ...] = (1_250, 2_500, 5_000, 10_000)
    lengths: tuple[float, ...] = (5, 10, 15, 20)
    budgets: tuple[float, ...] = (0.5, 0.75, 1, 1.25)
    fanout: int = 10
    repeats: int = 3
    """How often what is timed is published; the median counts."""

    def scaled(self, scale: float) -> Grid:
        """The same with this many times the generated records; domains and lengths stay."""
        shape = replace(self.shape, records=round(self.shape.records * scale))
        return replace(self, shape=shape, records=tuple(round(number * scale) for number in self.records))


QUICK = Grid(
    ks=(2, 5, 10),
    ms=(1, 2, 3),
    reconstructions=2,
    shape=Shape(1_000, 300, 6),
    records=(500, 1_000),
    domains=(250, 300),
    lengths=(4, 6),
    repeats=1,
)


@dataclass(frozen=True)
class Job:
    """Something to publish and measure: of a data set that is named, or of generated baskets of some shape."""

    source: str | Shape
    k: int = K
    m: int = M
    method: str = DISASSOCIATION
    epsilon: float | None = None
    """The budget, of DiffPart."""

    @property
    def called(self) -> str:
        """The method, and what distinguishes its runs."""
        return self.method if self.epsilon is None else f"{self.method} {self.epsilon:g}"

    def place(self, axis: str) -> float | str:
        """Where the job is on the axis of a panel."""
        places: dict[str, float | str] = {"k": self.k, "m": self.m, "method": self.called}
        if isinstance(self.source, Shape):
            places |= vars(self.source)
        return places.get(axis, str(self.source))


@dataclass(frozen=True)
class Point:
    """What one release lost, and what it took to make it."""

    job: Job
    records: int
    items: int
    values: Values
    """Metrics by label, as far as the figures that were asked for need them."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        job = self.job
        return {
            "data": str(job.source),
            "records": self.records,
            "items": self.items,
            "method": job.method,
            **({"epsilon": job.epsilon} if job.method == DIFFPART else {"k": job.k, "m": job.m}),
            "values": dict(self.values),
        }


@dataclass(frozen=True)
class Figure:
    """The points of one panel, in the order of its axis, data set by data set."""

    name: str
    points: tuple[Point, ...]

    @property
    def panel(self) -> Panel:
        """What it shows, over what."""
        return PANELS[self.name]

    @property
    def sources(self) -> list[str]:
        """The data sets that it is about, each once."""
        return list(dict.fromkeys(str(point.job.source) for point in self.points))

    def of(self, source: str) -> list[Point]:
        """The points of one data set."""
        return [point for point in self.points if str(point.job.source) == source]

    def series(self, metric: str, points: Iterable[Point] | None = None) -> list[tuple[float | str, float]]:
        """The places on the axis that have a value of this metric, and the values."""
        found = ((point.job.place(self.panel.axis), point.values.get(metric)) for point in points or self.points)
        return [(place, value) for place, value in found if value is not None]

    def values(self, metric: str, points: Iterable[Point] | None = None) -> list[float]:
        """The values of a metric, if there are any."""
        return [value for _, value in self.series(metric, points)]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"title": self.panel.title, "axis": self.panel.axis, "points": [one.as_dict() for one in self.points]}


def reproduce(
    data: Mapping[str, Transactions],
    make: Make,
    *,
    figures: Sequence[str] = tuple(PANELS),
    grid: Grid | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> dict[str, Figure]:
    """Publish data in many settings and measure what each release lost, figure by figure.

    Args:
        data: data sets by name; figures 7b to 7d and 9 are about the one with most records.
        make: generates baskets of a shape, for figures 8 and 10.
        figures: names of panels, of :data:`PANELS`.
        grid: the settings.
        hierarchies: of the items of data sets, by name, for figure 11; neighbours are joined if there is none.
        seed: for reconstructions, and for the noise of DiffPart.
        progress: called with ("figures", done, total).

    Returns:
        The figures by name.

    Raises:
        InputError: there is no such figure, or there are no data for it.
    """
    grid = grid or Grid()
    panels = _panels(figures, data, grid)
    wanted: dict[Job, set[str]] = {}
    for name, jobs in panels.items():
        for job in jobs:
            wanted.setdefault(job, set()).add(name)
    if any(figures.intersection(_TIMED) for figures in wanted.values()):
        disassociate(Transactions.from_records([{"a", "b"}] * 2 * K), K, M)  # so that loading kernels is not timed
    # Source by source: what is known of an original is found once, and generated baskets do not pile up.
    points: dict[Job, Point] = {}

    def step(*_step: object) -> None:
        if progress:  # steps within a job are not shown, but Ctrl-C is heard at each of them
            progress("figures", len(points), len(wanted))

    for source in dict.fromkeys(job.source for job in wanted):
        step()
        baskets = make(source) if isinstance(source, Shape) else data[source]
        tree = (hierarchies or {}).get(str(source)) or neighbours(baskets.words, fanout=grid.fanout)
        original = _Original(baskets, grid, tree, seed, Run(progress=step))
        for job in (job for job in wanted if job.source == source):
            points[job] = Point(job, len(baskets), baskets.n_items, original.measured(job, wanted[job]))
    step()
    return {name: Figure(name, tuple(points[job] for job in jobs)) for name, jobs in panels.items()}


def chosen(names: Iterable[str]) -> list[str]:
    """The panels that are meant: a figure's number means all of its panels.

    Raises:
        InputError: there is no such figure.

    Example:
        >>> chosen(["7b", "10"])
        ['7b', '10a', '10b']
    """
    meant: set[str] = set()
    for name in names:
        found = [panel for panel in PANELS if panel == name or panel.rstrip("abcd") == name]
        if not found:
            raise InputError(
                f"there is no figure {shown(name)}: choose among {', '.join(PANELS)}, or 7, 8, 10, 11 for all"
            )
        meant.update(found)
    return [panel for panel in PANELS if panel in meant]


def needs_data(figures: Iterable[str]) -> bool:
    """Whether some of these panels are about data sets, not about baskets that are generated for them."""
    return any(name not in _GENERATED for name in figures)


def _panels(figures: Sequence[str], data: Mapping[str, Transactions], grid: Grid) -> dict[str, list[Job]]:
    """What each panel has to publish."""
    names = chosen(figures)
    if needs_data(names) and not data:
        raise InputError("there are no data sets: give one at least, or choose among figures 8 and 10")
    largest = max(data, key=lambda name: len(data[name])) if data else ""
    every = [Job(name) for name in data]
    by_k = [Job(largest, k=k) for k in grid.ks]
    by_records = [Job(replace(grid.shape, records=number)) for number in grid.records]
    by_domain = [Job(replace(grid.shape, domain=number)) for number in grid.domains]
    noisy = [Job(name, method=DIFFPART, epsilon=budget) for name in data for budget in grid.budgets]
    general = [Job(name, method=GENERALIZATION) for name in data]
    jobs = {
        "7a": every,
        "7b": by_k,
        "7c": by_k,
        "m": [Job(name, m=m) for name in data for m in grid.ms],
        "7d": [Job(largest)],
        "8a": by_records,
        "8b": by_records,
        "8c": by_domain,
        "8d": [Job(replace(grid.shape, length=number)) for number in grid.lengths],
        "9": by_k,
        "10a": by_records,
        "10b": by_domain,
        "11a": [*every, *noisy],
        "11b": [*every, *general],
        "11c": [*every, *general, *noisy],
    }
    return {name: jobs[name] for name in names}


@dataclass(frozen=True, eq=False)
class _Original:
    """A data set, with what all of its releases are compared with."""

    data: Transactions
    grid: Grid
    hierarchy: Hierarchy
    seed: int
    run: Run

    @cached_property
    def top(self) -> Top:
        return top_of(self.data, TOP, self.run)

    @cached_property
    def pairs(self) -> Pairs:
        return pairs_of(self.data, self.grid.ranks)

    @cached_property
    def levels(self) -> Levels:
        return levels_of(self.hierarchy, self.data)

    @cached_property
    def top_of_levels(self) -> Top:
        return top_of(at_all_levels(self.data, self.levels), TOP, self.run)

    def measured(self, job: Job, figures: set[str]) -> Values:
        if job.method != DISASSOCIATION:
            return self._rival(job, figures)
        seconds = []
        for _ in range(self.grid.repeats if figures.intersection(_TIMED) else 1):
            start = time.process_time()
            release = disassociate(self.data, job.k, job.m, run=replace(self.run, engine=Threads(1)))
            seconds.append(time.process_time() - start)
        values: dict[str, float | None] = {"seconds": statistics.median(seconds)}
        if figures.difference(_TIMED):
            n = self.grid.reconstructions if "7d" in figures else 1
            compared = compare(self.data, release)
            metrics = list(self._lost(compared, n, levels="11b" in figures))
            values |= {metric.label: metric.value for metric in metrics}
            values |= {f"in neither {one.part}": _in_neither(one) for one in metrics if one.name == "re"}
        return values

    def _lost(self, compared: Compared, n: int, *, levels: bool) -> Iterator[Metric]:
        m = compared.release.promise.m
        drawn = compared.reconstructions(n, run=self.run.drawing(self.seed))
        first = next(drawn)
        yield from lost("tKd", self.top, top_of(first, TOP, self.run), m)
        yield from lost("tKd-a", self.top, top_of(compared.chunks(), TOP, self.run), m)
        if levels:
            found = top_of(at_all_levels(first, self.levels), TOP, self.run)
            yield from lost("tKd-ML2", self.top_of_levels, found, m)
        supports = counted(self.data, self.pairs)
        for number, means in averages(chain([first], drawn), self.pairs, n):
            yield from errors("re" if number == 1 else f"re-r{number}", supports, means, self.pairs)
        yield from errors("re-closed", supports, expected(compared, self.pairs, self.run), self.pairs)
        yield from errors("re-a", supports, counted(compared.chunks(), self.pairs), self.pairs)
        yield items_lost(compared)

    def _rival(self, job: Job, figures: set[str]) -> Values:
        from shoal.measuring.baskets.views import view_of
        from shoal.publish.diffpart import diffpart
        from shoal.publish.km_generalization import km_generalization

        tree, run = self.hierarchy, self.run
        start = time.process_time()
        release: GeneralizedBaskets | NoisyBaskets = (
            km_generalization(self.data, job.k, job.m, hierarchy=tree, run=replace(run, engine=Threads(1)))
            if job.epsilon is None
            else diffpart(self.data, job.epsilon, hierarchy=tree, run=run.drawing(self.seed))
        )
        seconds = time.process_time() - start
        view = view_of(self.data, release, hierarchy=tree, run=run)
        found = lost("tKd", self.top, view.top(TOP, run))[:1]
        found += errors("re", counted(self.data, self.pairs), view.pairs(self.pairs, run), self.pairs)
        if "11b" in figures:
            seen = view.levels(tree)
            assert not isinstance(seen, str), "generalized baskets can be seen at every level"
            found += lost("tKd-ML2", self.top_of_levels, top_of(seen[1], TOP, run))[:1]
        named = {"seconds": seconds, "items named": float(view.named.sum())}
        return named | {metric.label: metric.value for metric in found}


def _in_neither(error: Metric) -> float | None:
    """The share of the pairs that are in no record of the original and none of what was published."""
    neither, pairs = error.details["in_neither"], error.details["pairs"]
    return neither / pairs if pairs and neither is not None else None
