"""One job of a study, and its outcome: plain values that are sent between processes and written to files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from shoal.measuring.metric import Metric
from shoal.methods import METHODS

State = Literal["done", "impossible", "total loss", "empty promise", "failed"]
REFUSED = ("impossible", "total loss", "empty promise")
"""States in which publishing refused: this is a result, and the same on every attempt."""


@dataclass(frozen=True)
class Job:
    """One method with its settings, under a label that is unique in the study."""

    label: str
    method: str
    settings: Mapping[str, Any]
    """All parameters of the method, as plain values."""

    @property
    def promise(self) -> str:
        """The promise, in a few words."""
        return METHODS[self.method].promise(self.settings)

    def as_dict(self) -> dict[str, Any]:
        """The job as plain values, ready for JSON."""
        return {"label": self.label, "method": self.method, "settings": dict(self.settings)}


@dataclass(frozen=True)
class Measuring:
    """The settings of measuring, the same for all releases of a study."""

    top: int = 1000
    """Baskets: how many of the most frequent itemsets are compared."""
    min_support: float = 0.01
    """The least share of records or rows at which an itemset or a rule counts."""
    seed: int | None = None
    """The seed of reconstructions and queries."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Costs:
    """The cost of publishing."""

    publish_seconds: float
    """CPU seconds of publishing alone, of all threads; kernels were loaded, and compiled if necessary, before."""
    audit_seconds: float
    """CPU seconds of verifying the written release against the original."""
    peak_bytes: int
    """The peak memory of the process until the end of publishing: with Python, libraries and the original."""
    before_bytes: int
    """The part of it that was in use before publishing began."""
    disk_bytes: int
    """The size of the release on disk."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job."""

    job: Job
    state: State
    """done: published, verified and measured; impossible: no such release of these data; total loss, empty promise:
    there is one, but it is worthless; failed: unknown."""
    reason: str = ""
    """Why it is impossible, has failed, or could not be measured."""
    promises: tuple[str, ...] = ()
    """What the release promises, in whole sentences."""
    checks: int = 0
    """The number of checks."""
    failures: tuple[str, ...] = ()
    """The checks that do not hold."""
    left_out: tuple[str, ...] = ()
    """What the promise asks for and was not checked."""
    metrics: tuple[Metric, ...] = ()
    costs: Costs | None = None
    bug: bool = field(default=False)
    """Whether a bug in Shoal made it fail."""
    not_promised: tuple[str, ...] = ()
    """What the promises do not cover."""

    @property
    def verified(self) -> bool:
        """Whether every check holds."""
        return self.state == "done" and self.checks > 0 and not self.failures

    @property
    def lasting(self) -> bool:
        """Whether repeating the job would give the same outcome."""
        return self.state in REFUSED or self.verified

    @property
    def exit_code(self) -> int:
        """The exit code: 0, 2 (this machine is too small, ...), or 4 (a bug in Shoal)."""
        if self.bug or self.failures:
            return 4
        return 2 if self.state == "failed" else 0

    def value(self, label: str) -> float | None:
        """The value of a metric, if it was measured."""
        return next((metric.value for metric in self.metrics if metric.label == label), None)

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain values, ready for JSON, which has no infinity: null is used instead."""
        plain: dict[str, Any] = _finite(
            {
                **self.job.as_dict(),
                "promise": self.job.promise,
                "state": self.state,
                "reason": self.reason,
                "promises": list(self.promises),
                "not_promised": list(self.not_promised),
                "verified": self.verified if self.state == "done" else None,
                "checks": self.checks,
                "failures": list(self.failures),
                "not_checked": list(self.left_out),
                "metrics": [metric.as_dict() for metric in self.metrics],
                "costs": None if self.costs is None else asdict(self.costs),
                "bug": self.bug,
            }
        )
        return plain

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Outcome:
        """Read what :meth:`as_dict` wrote."""
        costs = entry["costs"]
        return cls(
            Job(entry["label"], entry["method"], entry["settings"]),
            entry["state"],
            entry["reason"],
            tuple(entry["promises"]),
            entry["checks"],
            tuple(entry["failures"]),
            tuple(entry["not_checked"]),
            tuple(_metric(metric) for metric in entry["metrics"]),
            None if costs is None else Costs(**costs),
            entry["bug"],
            tuple(entry["not_promised"]),
        )


def _metric(entry: Mapping[str, Any]) -> Metric:
    low, high = entry["range"]
    return Metric(**{**entry, "range": (-math.inf if low is None else low, math.inf if high is None else high)})


def _finite(value: Any) -> Any:
    """The same with None for numbers that JSON does not have."""
    if isinstance(value, Mapping):
        return {name: _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
