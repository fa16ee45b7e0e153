"""All metrics of one release: a table as text, followed by their definitions."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from shoal.measuring.metric import Detail, Metric

WIDTH = 100


@dataclass(frozen=True)
class Metrics:
    """All metrics of one release, in a fixed order; ``metrics["tKd"]`` is one of them."""

    metrics: tuple[Metric, ...]

    def __len__(self) -> int:
        return len(self.metrics)

    def __iter__(self) -> Iterator[Metric]:
        return iter(self.metrics)

    def __getitem__(self, label: str) -> Metric:
        for metric in self.metrics:
            if metric.label == label:
                return metric
        raise KeyError(label)

    def to_arrow(self) -> pa.Table:
        """A row for each metric; details are the text of a JSON object."""
        return pa.table(
            {
                "name": pa.array([metric.name for metric in self], pa.string()),
                "part": pa.array([metric.part for metric in self], pa.string()),
                "value": pa.array([metric.value for metric in self], pa.float64()),
                "direction": pa.array([metric.direction for metric in self], pa.string()),
                "lowest": pa.array([metric.range[0] for metric in self], pa.float64()),
                "highest": pa.array([metric.range[1] for metric in self], pa.float64()),
                "meaning": pa.array([metric.meaning for metric in self], pa.string()),
                "edges": pa.array([metric.edges for metric in self], pa.string()),
                "details": pa.array([json.dumps(dict(metric.details)) for metric in self], pa.string()),
                "reason": pa.array([metric.reason for metric in self], pa.string()),
            }
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON."""
        raise NotImplementedError

    @property
    def head(self) -> str:
        """What was measured, in one line."""
        raise NotImplementedError

    def __str__(self) -> str:
        """A table of all metrics, followed by their definitions."""
        rows = [("metric", "value", "range", "better", "details"), *map(_row, self.metrics)]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = [self.head, ""]
        for *cells, last in rows:
            start = "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=True))
            wrapped = textwrap.wrap(last, WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
            lines += wrapped or [start.rstrip()]
        meanings = _legend((metric.meaning, metric.name) for metric in self)
        edges = _legend((metric.edges, metric.name) for metric in self)
        reasons = _legend((metric.reason, metric.name) for metric in self if metric.reason)
        shown = ["", "Nothing, because", *reasons] if reasons else []
        return "\n".join([*lines, *shown, "", *meanings, "", "Ties and 0/0", *edges])


def _row(metric: Metric) -> tuple[str, str, str, str, str]:
    low, high = metric.range
    # The first two are the parts of the value; other counts are shown only if they are not zero.
    details = list(metric.details.items())
    shown = [*details[:2], *((name, value) for name, value in details[2:] if value or isinstance(value, float))]
    behind = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in shown)
    span = f"{low:g} on" if high == math.inf else f"{low:g} to {high:g}"
    return metric.label, metric.shown, span, metric.direction.split()[0], behind


def _number(value: Detail) -> str:
    if value is None:
        return "nothing"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _legend(entries: Iterable[tuple[str, str]]) -> list[str]:
    """Each text once, after the names to which it applies."""
    names: dict[str, dict[str, None]] = {}
    for text, name in entries:
        names.setdefault(text, {})[name] = None
    return [
        textwrap.fill(f"{', '.join(about)}: {text}.", WIDTH, subsequent_indent="  ") for text, about in names.items()
    ]
