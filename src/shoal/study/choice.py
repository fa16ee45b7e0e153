"""The choice of a method and its settings for a need, decided by rules from measured numbers alone.

A recommendation must serve the need, be verified, and be measured. Among the methods left, the first criterion of the
purpose decides, to two digits; ties are broken by the second, then by the order of the registry. A method that
promises less than another one of its kind must keep clearly more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import InputError
from shoal.methods import METHODS, NEEDS, Method, methods_about
from shoal.parameters import PARAMETERS
from shoal.quoting import shown
from shoal.study.losses import Loss, loss_of
from shoal.study.original import About
from shoal.study.outcome import REFUSED, Outcome
from shoal.study.outcome_table import number_text
from shoal.study.sweep import Curve, Point
from shoal.suggestions import did_you_mean

Purpose = Literal["mining", "counting"]
State = Literal[
    "proposed",
    "keeps less",
    "does not serve",
    "not run",
    "impossible",
    "total loss",
    "empty promise",
    "failed",
    "not verified",
    "not measured",
]

AGAINST: Mapping[str, str] = {"identity": "identity", "attributes": "attributes", "anything": "membership"}
"""Protection goals, and the need of each; ``anything`` means whatever else an adversary knows."""
CRITERIA: Mapping[tuple[About, Purpose], tuple[str, str]] = {
    ("baskets", "mining"): ("tKd", "sigma-"),
    ("baskets", "counting"): ("re", "pairs kept"),
    ("tables", "mining"): ("confidence error", "sigma-"),
    ("tables", "counting"): ("query error", "NCP"),
}
"""The metrics that decide, the most important first."""
HANDICAP = 0.05
"""How much less a method must lose to be recommended instead of one of its kind with a stronger promise."""
WITHIN = 0.05
"""Without a knee: how much more than the weakest setting a stronger one may lose."""


@dataclass(frozen=True)
class Needs:
    """The requirements for a release."""

    against: tuple[str, ...] = ("identity",)
    """Some of ``identity``, ``attributes`` and ``anything``: all of them must be served."""
    exact_items: bool = False
    """Whether items and values must be published as they are."""
    purpose: Purpose = "mining"
    """``mining`` is judged by tKd and sigma- (tables: errors of rules), ``counting`` by re and pairs kept (tables:
    errors of queries)."""

    def __post_init__(self) -> None:
        wanted = (self.against,) if isinstance(self.against, str) else tuple(self.against)
        for name in wanted:
            if name not in AGAINST:
                raise InputError(
                    f"against is {shown(name)}{did_you_mean(name, AGAINST)}: it must be some of {', '.join(AGAINST)}"
                )
        if not wanted:
            raise InputError(f"against is empty: name some of {', '.join(AGAINST)}")
        object.__setattr__(self, "against", tuple(name for name in AGAINST if name in wanted))
        if self.purpose not in ("mining", "counting"):
            raise InputError(f"purpose is {shown(self.purpose)}: it must be mining or counting")

    @property
    def wanted(self) -> tuple[str, ...]:
        """The names of the needs, as in the entries of methods."""
        return (*(AGAINST[name] for name in self.against), *(["exact values"] if self.exact_items else []))

    def not_served(self, method: Method) -> list[str]:
        """The needs that a method does not serve."""
        return [name for name in self.wanted if name not in method.serves]

    def served_by(self, about: About) -> list[Method]:
        """The methods that serve all needs."""
        return [method for method in methods_about(about) if not self.not_served(method)]

    @property
    def words(self) -> str:
        """The requirements, in one line."""
        exact = "; items and values as they are" if self.exact_items else ""
        return f"against {' and '.join(self.against)}{exact}; for {self.purpose}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"against": list(self.against), "exact_items": self.exact_items, "purpose": self.purpose}


@dataclass(frozen=True)
class Judged:
    """The judgement on one method, and its reason."""

    method: str
    state: State
    words: str


@dataclass(frozen=True)
class Choice:
    """The method to recommend, if any, and a judgement on each."""

    method: str | None
    criteria: tuple[Loss, ...]
    judged: tuple[Judged, ...]
    disagreements: tuple[str, ...]
    """The methods that other criteria alone would recommend."""


def choose(needs: Needs, about: About, outcomes: Sequence[Outcome]) -> Choice:
    """Choose among methods from their outcomes.

    Args:
        needs: the requirements.
        about: the kind of data.
        outcomes: of the methods that were run, each once; they may include methods that do not serve the need.

    Returns:
        The choice, with a judgement on every method for this kind of data.
    """
    by_method = {outcome.job.method: outcome for outcome in outcomes}
    serving = [method.name for method in needs.served_by(about) if method.name in by_method]
    sound = [by_method[name] for name in serving if by_method[name].verified]
    read = (loss_of([name], sound) for name in CRITERIA[about, needs.purpose])
    criteria = tuple(loss for loss in read if loss is not None)
    measured = [outcome for outcome in sound if criteria and criteria[0].of(outcome) is not None]
    ranked = sorted(measured, key=lambda outcome: _key(outcome, criteria))  # ties: the order of the registry
    best = ranked[0] if ranked else None
    judged = tuple(_judge(method, needs, by_method.get(method.name), best, criteria) for method in methods_about(about))
    apart = () if best is None else tuple(_disagreements(best, measured, criteria[1:]))
    return Choice(None if best is None else best.job.method, criteria, judged, apart)


def _key(outcome: Outcome, criteria: Sequence[Loss]) -> tuple[float, ...]:
    losses = [loss.of(outcome) for loss in criteria]
    handicap = HANDICAP if METHODS[outcome.job.method].promises_less_than else 0.0
    first, *others = (math.inf if loss is None else loss for loss in losses)
    return round(first + handicap, 2), *(round(loss, 2) for loss in others)


def _judge(
    method: Method, needs: Needs, outcome: Outcome | None, best: Outcome | None, criteria: Sequence[Loss]
) -> Judged:
    missing = needs.not_served(method)
    if missing:
        said = "; ".join(f"{name}: {NEEDS[name]}" for name in missing)
        return Judged(method.name, "does not serve", f"does not serve all needs ({said})")
    if outcome is None:
        why = PARAMETERS[method.needs].missing if method.needs else "was not run"
        return Judged(method.name, "not run", why)
    if outcome.state != "done":
        here = " here" if outcome.state in REFUSED else ""
        return Judged(method.name, outcome.state, f"{outcome.state}{here}: {outcome.reason}")
    if not outcome.verified:
        first = outcome.failures[0] if outcome.failures else "nothing was checked"
        return Judged(method.name, "not verified", f"does not keep its promise: {' '.join(first.split())}")
    if not criteria or criteria[0].of(outcome) is None:
        return Judged(method.name, "not measured", outcome.reason or "the deciding metrics could not be measured")
    if outcome is best:
        return Judged(method.name, "proposed", _values(outcome, criteria))
    assert best is not None
    told = f"{_values(outcome, criteria)} against {_values(best, criteria)} of {best.job.method}"
    if _key(outcome, criteria) == _key(best, criteria):
        return Judged(method.name, "keeps less", f"keeps as much, to two digits, and is later in the list: {told}")
    handicap = method.promises_less_than
    less = f"promises less than {handicap}, and does not lose {HANDICAP:g} less" if handicap else "keeps less"
    return Judged(method.name, "keeps less", f"{less}: {told}")


def _values(outcome: Outcome, criteria: Iterable[Loss]) -> str:
    values = ((loss.label, outcome.value(loss.label)) for loss in criteria)
    return ", ".join(f"{label} = {'-' if value is None else number_text(value)}" for label, value in values)


def _disagreements(best: Outcome, measured: Sequence[Outcome], criteria: Sequence[Loss]) -> Iterable[str]:
    for loss in criteria:
        known = [(value, outcome) for outcome in measured if (value := loss.of(outcome)) is not None]
        value, other = min(known, key=lambda pair: pair[0], default=(0.0, best))
        here = loss.of(best)
        if other is not best and (here is None or round(value, 2) < round(here, 2)):
            yield (
                f"by {loss.label} alone it would be {other.job.method}: {_values(other, [loss])} against "
                f"{_values(best, [loss])} of {best.job.method}"
            )


def settle(curve: Curve, points: Sequence[Point]) -> tuple[int, str]:
    """The point of a curve to recommend, as its place among the points, and why.

    Args:
        curve: with at least one point that was measured.
        points: the points of the sweep.

    Returns:
        The knee; if there is none, the point with the least risk among those that lose at most :data:`WITHIN` more than
        the point with the highest risk.
    """
    if curve.knee is not None:
        point = points[curve.knee.place]
        return curve.knee.place, f"{point.name} is the knee: beyond it more privacy costs more than before"
    weakest = max(curve.places, key=lambda place: (points[place].risk, -place))
    limit = _loss(points[weakest]) + WITHIN
    near = [place for place in curve.places if _loss(points[place]) <= limit]
    best = min(near, key=lambda place: (points[place].risk, _loss(points[place]), place))
    return best, (
        f"no knee ({curve.reason}): {points[best].name} has the least risk of those that lose at most {WITHIN:g} more "
        f"than {points[weakest].name}"
    )


def _loss(point: Point) -> float:
    assert point.loss is not None
    return point.loss
