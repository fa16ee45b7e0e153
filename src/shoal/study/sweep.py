"""One method, a grid of its parameters: the risk-utility map (the R-U curve), and its knee.

G. T. Duncan, S. A. Keller-McNulty, S. L. Stokes: Disclosure Risk vs. Data Utility: The R-U Confidentiality Map, 2001.
Risk is what the promise itself bounds (``risks``), loss is read from a metric of the release (``losses``). Every point
is published, verified and measured as in a comparison, and only numbers are kept.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.methods import Method
from shoal.parameters import PARAMETERS
from shoal.run import DEFAULT_RUN, Run
from shoal.study.chosen_methods import chosen
from shoal.study.compare import (
    about_of,
    measuring_of,
    original_for,
    run_all,
    same_questions,
    shown_metrics,
    size_of,
    worst_exit_code,
)
from shoal.study.kept_results import results_in
from shoal.study.knee import Knee, front, knee
from shoal.study.losses import USUAL, Loss, loss_of, require_loss
from shoal.study.original import About, Original
from shoal.study.outcome import Job, Measuring, Outcome
from shoal.study.outcome_table import outcome_arrow


@dataclass(frozen=True)
class Point:
    """One setting of the grid, and its position on the map."""

    values: Mapping[str, Any]
    """The values of the swept parameters."""
    outcome: Outcome
    risk: float
    """The risk that follows from the promise."""
    loss: float | None
    """None if there is no verified release, or nothing was measured."""

    @property
    def name(self) -> str:
        """Its values in words."""
        return in_words(self.values)


@dataclass(frozen=True)
class Curve:
    """The points with the same values of all parameters that do not affect the risk, and their knee."""

    fixed: Mapping[str, Any]
    """Their common values of the swept parameters."""
    places: tuple[int, ...]
    """Its points, as places in the sweep, without those that have no loss."""
    front: tuple[int, ...]
    """The points that no other point beats in both risk and loss, the safest first."""
    knee: Knee | None
    """The knee; its place is that in the sweep."""
    reason: str
    """Why there is no knee."""


@dataclass(frozen=True)
class Step:
    """Two points that differ in one parameter, by one step of the grid: the second promises more."""

    parameter: str
    before: int
    after: int
    words: str


@dataclass(frozen=True)
class Sweep:
    """The risk-utility map of one method; printed, it is a table, a drawing, and the cost of each step."""

    method: str
    points: tuple[Point, ...]
    swept: tuple[str, ...]
    """The names of the swept parameters."""
    risk: str
    """The risk, in words."""
    loss: Loss | None
    """How loss is computed; None if nothing was measured."""
    curves: tuple[Curve, ...]
    steps: tuple[Step, ...]
    about: About
    size: str
    measuring: Measuring
    made: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.points)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of each point."""
        return tuple(point.outcome for point in self.points)

    @property
    def shown(self) -> list[str]:
        """The names of the metrics in the table."""
        return shown_metrics(self.about, self.made)

    @property
    def exit_code(self) -> int:
        """The exit code, as for a comparison."""
        return worst_exit_code(self.outcomes)

    def as_dict(self) -> dict[str, Any]:
        """The sweep and its map as plain values, ready for JSON; points of curves are places in ``points``."""
        on_front = {place for curve in self.curves for place in curve.front}
        knees = {curve.knee.place for curve in self.curves if curve.knee is not None}
        return {
            "method": self.method,
            "about": self.about,
            "size": self.size,
            "measured_with": self.measuring.as_dict(),
            "hierarchies_made": list(self.made),
            "done_before": list(self.resumed),
            "swept": list(self.swept),
            "risk": self.risk,
            "loss": None if self.loss is None else self.loss.words,
            "points": [
                {
                    "values": dict(point.values),
                    "risk": point.risk,
                    "loss": point.loss,
                    "on_front": place in on_front,
                    "knee": place in knees,
                    "outcome": point.outcome.as_dict(),
                }
                for place, point in enumerate(self.points)
            ],
            "curves": [
                {
                    "fixed": dict(curve.fixed),
                    "points": list(curve.places),
                    "front": list(curve.front),
                    "knee": None if curve.knee is None else vars(curve.knee),
                    "no_knee": curve.reason,
                }
                for curve in self.curves
            ],
            "steps": [vars(step) for step in self.steps],
        }

    def to_arrow(self) -> pa.Table:
        """A row for each point: its parameters, risk and loss, and the columns of a comparison."""
        table = outcome_arrow(self.outcomes, self.shown)
        columns = {name: [point.values[name] for point in self.points] for name in self.swept}
        columns |= {"risk": [p.risk for p in self.points], "loss": [p.loss for p in self.points]}
        for place, (name, values) in enumerate(columns.items()):
            table = table.add_column(place + 1, name, pa.array(values))
        return table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __str__(self) -> str:
        from shoal.study.sweep_table import sweep_lines

        return "\n".join(sweep_lines(self))


def sweep(
    data: Transactions | Table,
    method: str,
    grid: Mapping[str, Any] | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    loss: str | None = None,
    top: int | None = None,
    min_support: float | None = None,
    run: Run = DEFAULT_RUN,
    force: bool = False,
) -> Sweep:
    """Publish the same data by one method with every setting of a grid, and draw the risk-utility map.

    Every point is published in a separate process, verified against the original, and measured; its release is
    deleted.

    Args:
        data: baskets, or a table with quasi-identifiers and sensitive columns.
        method: the name of a method, as :func:`shoal.compare` knows it, or ``k-anonymity`` (bottom-up), or
            ``disassociate-l`` (with ``sensitive`` items in the grid).
        grid: parameters of the method by name, each a value or a list of values. By default some values of the
            parameter that determines its risk.
        folder: where numbers are kept as they come, so that an interrupted sweep resumes; by default nowhere.
        hierarchy: of the items of baskets, or by column of a table, as in :func:`shoal.compare`.
        loss: the name of the metric that the map shows; by default pairs kept for baskets and query error for tables
            (or NCP, where no column is sensitive).
        top: baskets: how many of the most frequent itemsets are compared; by default 1000.
        min_support: the least share of records or rows at which itemsets and rules count; by default .01.
        run: threads, progress and chance (:class:`shoal.Run`).
        force: delete the results of another request in that folder.

    Returns:
        All points with risk and loss, the front and the knee of each curve, and what each step costs, in words.

    Raises:
        InputError: the method is unknown or does not take a parameter, a value is out of range, the grid has only one
            point, or the folder is in use for something else.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}, {"tea", "jam"}] * 10)
        >>> found = shoal.sweep(baskets, "disassociate", {"k": [100, 200]})
        >>> found.curves[0].reason, [point.risk for point in found.points]
        ('a knee needs three points that do not beat each other', [0.01, 0.005])
    """
    about = about_of(data)
    named, jobs, swept = jobs_of_grid(method, grid, about, run.chance)
    require_loss(loss, about)
    measuring = same_questions(folder, "sweep", run.chance, measuring_of(data, top, min_support, run.chance))
    original = original_for(jobs, data, hierarchy)
    request = {
        "version": shoal.__version__,
        "data": original.fingerprint(),
        "jobs": [job.as_dict() for job in jobs],
        "measuring": measuring.as_dict(),
    }
    with results_in(folder, "sweep", request, force=force) as kept:
        outcomes, resumed = run_all(jobs, original, measuring, kept, run=run)
    names = USUAL[about] if loss is None else (loss,)
    mapped = map_of(named, swept, outcomes, original, loss_of(names, outcomes))
    return Sweep(named.name, *mapped, about, size_of(data), measuring, original.made, tuple(resumed))


def jobs_of_grid(
    method: str, grid: Mapping[str, Any] | None, about: About, seed: int | None, prefix: str = ""
) -> tuple[Method, list[Job], list[str]]:
    """The method, a job for each setting of a grid, and the names of the parameters that differ.

    Raises:
        InputError: the method is unknown or does not take a parameter, a value is out of range, or the grid has only
            one point.
    """
    named = _one_method(method, about)
    given = dict(grid or {})
    for name in given:
        if name not in named.parameters or name == "seed":
            takes = ", ".join(parameter for parameter in named.parameters if parameter != "seed")
            raise InputError(f"{named.name} does not take {name}: it takes {takes}")
    lists = {name: _values(name, given[name]) for name in named.parameters if name in given and name != "sensitive"}
    if not any(len(values) > 1 for values in lists.values()):
        lists |= _usual_grid(named, lists)
    swept = [name for name, values in lists.items() if len(values) > 1]
    fixed = {name: values[0] for name, values in lists.items() if len(values) == 1}
    fixed |= {"sensitive": list(given["sensitive"])} if "sensitive" in given else {}
    # The parameters that determine the risk come last, so that the points of a curve follow each other.
    made_of = named.risk_of(swept).parameters
    swept.sort(key=lambda name: name in made_of)
    jobs = []
    for values in itertools.product(*(lists[name] for name in swept)):
        point = dict(zip(swept, values, strict=True))
        label = prefix + ",".join(f"{name}={value}" for name, value in point.items())
        jobs.append(Job(label, named.name, named.settings({**fixed, **point, "seed": seed})))
    return named, jobs, swept


def map_of(
    method: Method, swept: Sequence[str], outcomes: Sequence[Outcome], original: Original, loss: Loss | None
) -> tuple[tuple[Point, ...], tuple[str, ...], str, Loss | None, tuple[Curve, ...], tuple[Step, ...]]:
    """The sweep with its curves, from the outcomes of its jobs."""
    risk = method.risk_of(swept)
    points = tuple(
        Point(
            {name: outcome.job.settings[name] for name in swept},
            outcome,
            risk.of(original, outcome.job.settings),
            None if loss is None else loss.of(outcome),
        )
        for outcome in outcomes
    )
    others = [name for name in swept if name not in risk.parameters]
    curves = tuple(_curve(fixed, places, points) for fixed, places in _groups(points, others))
    steps = () if loss is None else tuple(_steps(points, swept, loss))
    return points, tuple(swept), risk.words, loss, curves, steps


def in_words(values: Mapping[str, Any]) -> str:
    """Parameters and their values.

    Example:
        >>> in_words({"k": 5, "keep_prob": 0.9})
        'k = 5, keep-prob = 0.9'
    """
    return ", ".join(
        f"{name.replace('_', '-')} = {f'{value:g}' if isinstance(value, float) else value}"
        for name, value in values.items()
    )


def _one_method(name: str, about: About) -> Method:
    found = chosen(name, about) if name != "all" else []
    if len(found) != 1:
        raise InputError("a sweep is of one method: name one; shoal compare runs several")
    return found[0]


def _values(name: str, given: Any) -> list[Any]:
    """The distinct values of a parameter; those that promise more come last."""
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not several:
        raise InputError(f"{name} has no value: give one, or several")
    if isinstance(PARAMETERS[name].default, float):  # 1 and 1.0 are one value, with one label
        several = [float(value) if type(value) is int else value for value in several]
    for value in several:
        PARAMETERS[name].check(value)
    different = list(dict.fromkeys(several))
    return different if None in different else PARAMETERS[name].in_order(different)


def _usual_grid(method: Method, given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Values for the parameter that determines the risk, if none are given."""
    parameters = method.risk_of([]).parameters
    free = [name for name in parameters if name not in given and PARAMETERS[name].grid]
    if not free:
        example = ",".join(f"{value:g}" for value in PARAMETERS[parameters[0]].grid)
        raise InputError(
            f"a sweep needs several points: give several values of a parameter, as in "
            f"--{parameters[0].replace('_', '-')} {example}; shoal compare --methods {method.name} measures one"
        )
    return {free[0]: list(PARAMETERS[free[0]].grid)}


def _groups(points: Sequence[Point], names: Sequence[str]) -> list[tuple[dict[str, Any], list[int]]]:
    """The points that share the values of these parameters, in their order."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for place, point in enumerate(points):
        found.setdefault(tuple(point.values[name] for name in names), []).append(place)
    return [(dict(zip(names, values, strict=True)), places) for values, places in found.items()]


def _curve(fixed: Mapping[str, Any], places: Sequence[int], points: Sequence[Point]) -> Curve:
    measured = [place for place in places if points[place].loss is not None]
    risks = [points[place].risk for place in measured]
    losses = [points[place].loss or 0.0 for place in measured]
    found = knee(risks, losses)
    at_front = tuple(measured[at] for at in front(risks, losses))
    if isinstance(found, str):
        return Curve(fixed, tuple(measured), at_front, None, found)
    there = Knee(measured[found.place], found.distance, found.price_before, found.price_beyond)
    return Curve(fixed, tuple(measured), at_front, there, "")


def _steps(points: Sequence[Point], swept: Sequence[str], loss: Loss) -> list[Step]:
    """Neighbours on the grid, in each direction, that were both measured."""
    steps = []
    for name in swept:
        others = [other for other in swept if other != name]
        for fixed, places in _groups(points, others):
            where = f"{in_words(fixed)}: " if fixed else ""
            for before, after in itertools.pairwise(places):
                old, new = (points[place].outcome for place in (before, after))
                was, now = old.value(loss.label), new.value(loss.label)
                if None in (points[before].loss, points[after].loss) or was is None or now is None:
                    continue
                one, other = (in_words({name: points[place].values[name]}) for place in (before, after))
                steps.append(Step(name, before, after, where + loss.step(was, now, one, other)))
    return steps
