"""The loss of a release as one number: a metric where less is better, or the distance of a metric from its best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shoal.errors import InputError
from shoal.measuring.metric import Metric
from shoal.quoting import shown
from shoal.study.compare import SHOWN
from shoal.study.original import About
from shoal.study.outcome import Outcome
from shoal.study.outcome_table import number_text
from shoal.suggestions import did_you_mean

USUAL: Mapping[About, Sequence[str]] = {"baskets": ("pairs kept",), "tables": ("query error", "NCP")}
"""The metrics used for losses unless others are named: the first that was measured."""
# A smaller share would be shown as zero.
_NOTHING = 0.0005


@dataclass(frozen=True)
class Loss:
    """A metric used as a loss.

    Example:
        >>> kept = Loss("pairs kept", 1.0)
        >>> round(kept.of_value(0.75), 2), kept.step(0.8, 0.6, "k = 5", "k = 10")
        (0.25, 'k = 10 costs 25 % of the pairs that k = 5 kept: 0.800 of all before, 0.600 after')
    """

    label: str
    best: float | None
    """For a metric where more is better, its maximum; None where less is better."""

    @property
    def words(self) -> str:
        """The meaning of the loss."""
        return self.label if self.best is None else f"{self.best:g} - {self.label}"

    def of_value(self, value: float) -> float:
        """The loss for this value of the metric."""
        return value if self.best is None else self.best - value

    def of(self, outcome: Outcome) -> float | None:
        """The loss of a release that was verified and measured; None for others."""
        value = outcome.value(self.label) if outcome.verified else None
        return None if value is None else self.of_value(value)

    def step(self, before: float, after: float, one: str, other: str) -> str:
        """The cost of a change from one setting to another, in words, from the values of the metric at both."""
        if self.best is None:
            change = f"{after - before:+.3f}" + (f", {after / before - 1:+.0%}".replace("%", " %") if before else "")
            verb = "raises" if after > before else "lowers"
            if after == before:
                return f"{other} leaves {self.label} unchanged from {one}: {number_text(after)}"
            return (
                f"{other} {verb} {self.label} from {number_text(before)} with {one} to {number_text(after)} ({change})"
            )
        what = self.label.removesuffix(" kept")
        told = f"{number_text(before)} of all before, {number_text(after)} after"
        if before == 0:
            return f"{one} kept none of the {what}: {told}"
        share = (before - after) / before
        if abs(share) < _NOTHING:
            return f"{other} keeps as many of the {what} as {one}: {told}"
        if share < 0:
            return f"{other} keeps {_percent(-share)} more of the {what} than {one}: {told}"
        return f"{other} costs {_percent(share)} of the {what} that {one} kept: {told}"


def require_loss(name: str | None, about: About) -> None:
    """Refuse the name of a metric that is not measured.

    Raises:
        InputError: lists the available metrics.
    """
    if name is not None and name not in SHOWN[about]:
        raise InputError(
            f"loss is {shown(name)}{did_you_mean(name, SHOWN[about])}: it must be one of {', '.join(SHOWN[about])}"
        )


def loss_of(names: Iterable[str], outcomes: Sequence[Outcome]) -> Loss | None:
    """The loss by the first of these metrics that a release has a value of; if it has several parts, the first part."""
    for name in names:
        for outcome in outcomes:
            for metric in outcome.metrics:
                if metric.name == name and metric.value is not None and outcome.verified:
                    return _read(metric)
    return None


def _read(metric: Metric) -> Loss:
    return Loss(metric.label, None if metric.direction == "lower is better" else metric.range[1])


def _percent(share: float) -> str:
    return f"{share:.1%}".replace(".0%", "%").replace("%", " %")
