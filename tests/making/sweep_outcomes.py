"""Made-up outcomes of settings and of methods, of which nothing but a few numbers matters."""

from __future__ import annotations

from typing import Any

from shoal.measuring.metric import Metric
from shoal.methods import METHODS
from shoal.study.outcome import Costs, Job, Outcome

HIGHER = {"pairs kept", "items kept", "rows kept"}


def metric(label: str, value: float | None) -> Metric:
    """A metric with the direction that it has."""
    name = next((word for word in ("sigma-", "sigma+", "re") if label.startswith(word)), label)
    part = label.removeprefix(name).strip()
    better: Any = "higher is better" if name in HIGHER else "lower is better"
    return Metric(name, value, better, (0.0, 1.0), f"what {name} is", "nothing", part=part)


def done(method: str, metrics: dict[str, float | None], /, **settings: Any) -> Outcome:
    """A release that was verified and measured."""
    given = METHODS[method].settings({"sensitive": ["insulin"], **settings})
    label = ",".join([method, *(f"{name}={value}" for name, value in settings.items())])
    costs = Costs(0.5, 0.25, 200_000_000, 150_000_000, 4_000_000)
    found = tuple(metric(name, value) for name, value in metrics.items())
    return Outcome(Job(label, method, given), "done", checks=7, metrics=found, costs=costs)
