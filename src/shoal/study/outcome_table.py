"""Outcomes of many jobs as one table: the method, its promise, whether that was verified, what is kept, and costs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from shoal.measuring.metric import Direction, Metric
from shoal.measuring.metrics import WIDTH
from shoal.study.outcome import Outcome

_LEAST_FIRST = 26
_BEST = "*"
_COSTS = ("CPU s", "peak MB", "size MB")


@dataclass(frozen=True)
class Kept:
    """A column of what releases keep: one metric, defined the same in all releases that have it."""

    label: str
    direction: Direction
    meaning: str
    edges: str

    def best(self, outcomes: Iterable[Outcome]) -> float | None:
        """The best value among verified releases; None if all are equal, or there is only one."""
        values = [
            value for outcome in outcomes if outcome.verified and (value := outcome.value(self.label)) is not None
        ]
        if len(values) < 2 or min(values) == max(values):
            return None
        return min(values) if self.direction == "lower is better" else max(values)


def kept_columns(outcomes: Iterable[Outcome], shown: Sequence[str]) -> list[Kept]:
    """The metrics of these names, in this order, that a release has a value of; parts only if there is no whole."""
    found: dict[str, Metric] = {}
    for outcome in outcomes:
        wholes = {metric.name for metric in outcome.metrics if not metric.part}
        for metric in outcome.metrics:
            if metric.name in shown and metric.value is not None and not (metric.part and metric.name in wholes):
                found.setdefault(metric.label, metric)
    ordered = sorted(found.values(), key=lambda metric: shown.index(metric.name))
    return [Kept(metric.label, metric.direction, metric.meaning, metric.edges) for metric in ordered]


def outcome_lines(outcomes: Sequence[Outcome], shown: Sequence[str]) -> list[str]:
    """The table as lines of text, followed by a legend."""
    columns = kept_columns(outcomes, shown)
    best = [column.best(outcomes) for column in columns]
    heads = ["holds", *(column.label for column in columns), *_COSTS]
    rows = [(o.job.label, _cells(o, columns, best) or o.state, o.job.promise) for o in outcomes]
    return [*stacked_table("method: what it promises", heads, rows), "", *_legend(outcomes, columns)]


def stacked_table(
    first: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str] | str, str]], least: int = _LEAST_FIRST
) -> list[str]:
    """A table as lines of text: a wide first column, and narrow ones with headings on several lines.

    Args:
        first: the heading of the first column.
        heads: the headings of the others.
        rows: for each row the first cell, the others (or a word instead of them), and the text below the first cell.
        least: the minimum width of the first column.
    """
    stacked = [_stacked(head) for head in heads]
    cells = [row for _, row, _ in rows if not isinstance(row, str)]
    widths = [max(map(len, [*head, *(row[place] for row in cells)])) for place, head in enumerate(stacked)]
    width = max(least, WIDTH - sum(width + 1 for width in widths))
    height = max(map(len, stacked))
    lines = []
    for level in range(height):
        tops = [head[level - height + len(head)] if level >= height - len(head) else "" for head in stacked]
        lines.append(_line(first if level == height - 1 else "", tops, width, widths))
    lines.append("-" * len(lines[-1]))
    for label, row, below in rows:
        lines.append(f"{label:{width}} {row}" if isinstance(row, str) else _line(label, row, width, widths))
        lines += textwrap.wrap(below, width, initial_indent="  ", subsequent_indent="  ")
    return [line.rstrip() for line in lines]


def _cells(outcome: Outcome, columns: Sequence[Kept], best: Sequence[float | None]) -> list[str]:
    """The cells of a row; None if the job was not done."""
    if outcome.state != "done":
        return []
    values = [outcome.value(column.label) for column in columns]
    kept = [
        "-"
        if value is None
        else number_text(value) + (_BEST if outcome.verified and value == top else " " * len(_BEST))
        for value, top in zip(values, best, strict=True)
    ]
    costs = outcome.costs
    assert costs is not None
    numbers = (costs.publish_seconds, costs.peak_bytes / 1e6, costs.disk_bytes / 1e6)
    verdict = "NO" if not outcome.verified else "part" if outcome.left_out else "yes"
    return [verdict, *kept, *map(number_text, numbers)]


def number_text(value: float) -> str:
    """A number with about three digits, for any magnitude."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.{1 if size >= 10 else 2 if size >= 1 else 3}f}"


def _stacked(head: str) -> list[str]:
    """A heading on several short lines."""
    return textwrap.wrap(head, 6, break_long_words=False, break_on_hyphens=False)


def _line(first: str, cells: Sequence[str], width: int, widths: Sequence[int]) -> str:
    return f"{first:{width}}" + "".join(f" {cell:>{room}}" for cell, room in zip(cells, widths, strict=True))


def _legend(outcomes: Sequence[Outcome], columns: Sequence[Kept]) -> list[str]:
    said = []
    for direction in ("lower is better", "higher is better"):
        labels = [column.label for column in columns if column.direction == direction]
        if labels:
            said.append(f"{direction}: {', '.join(labels)}")
    texts = []
    if said:
        texts.append(f"{'; '.join(said)}. {_BEST} marks the best of a column, among verified releases.")
    promises = {outcome.job.promise for outcome in outcomes}
    if len(promises) > 1:
        texts.append(
            "Promises differ: what one of them hides another may show. They are not ranked by what releases keep or "
            "cost: first choose the promise you need, then compare."
        )
    texts.append("holds: whether the release was verified from disk against the original.")
    measured = [outcome.costs for outcome in outcomes if outcome.costs is not None]
    if measured:
        low, high = (at(costs.before_bytes for costs in measured) / 1e6 for at in (min, max))
        before = f"{low:,.0f}" if round(low) == round(high) else f"{low:,.0f} to {high:,.0f}"
        texts.append(
            "CPU s: publishing alone, of all threads, with kernels loaded before. peak MB: the peak memory of that "
            f"process until the release was made; {before} MB of it were in use before publishing began, by Python, "
            "libraries and the original. size MB: the release on disk."
        )
    for outcome in outcomes:
        if outcome.reason:
            told = outcome.reason if outcome.state == "done" else f"{outcome.state}: {outcome.reason}"
            texts.append(f"{outcome.job.label}: {told}")
        texts += [f"{outcome.job.label}: {' '.join(failure.split())}" for failure in outcome.failures]
    unsure: dict[str, list[str]] = {}
    for outcome in outcomes:
        for entry in outcome.left_out:
            unsure.setdefault(entry, []).append(outcome.job.label)
    texts += [f"{', '.join(labels)}: holds as far as was checked; {entry}" for entry, labels in unsure.items()]
    labels_shown = {column.label for column in columns}
    nothing: dict[tuple[str, str], list[str]] = {}
    for outcome in outcomes:
        for metric in outcome.metrics:
            if metric.label in labels_shown and metric.value is None and metric.reason:
                nothing.setdefault((metric.label, metric.reason), []).append(outcome.job.label)
    texts += [f"{', '.join(labels)}: no {label}, because {reason}" for (label, reason), labels in nothing.items()]
    meanings: dict[str, list[str]] = {}
    for column in columns:
        meanings.setdefault(column.meaning, []).append(column.label)
    texts += [f"{', '.join(labels)}: {meaning}." for meaning, labels in meanings.items()]
    return [line for text in texts for line in textwrap.wrap(text, WIDTH, subsequent_indent="  ")]


def outcome_arrow(outcomes: Sequence[Outcome], shown: Sequence[str]) -> pa.Table:
    """A row for each job: its promise, whether it was verified, a column for each metric, and costs."""
    costs = [outcome.costs for outcome in outcomes]
    names = ("publish_seconds", "audit_seconds", "peak_bytes", "before_bytes", "disk_bytes")
    kinds = (pa.float64(), pa.float64(), pa.int64(), pa.int64(), pa.int64())
    return pa.table(
        {
            "label": pa.array([outcome.job.label for outcome in outcomes], pa.string()),
            "method": pa.array([outcome.job.method for outcome in outcomes], pa.string()),
            "promise": pa.array([outcome.job.promise for outcome in outcomes], pa.string()),
            "state": pa.array([outcome.state for outcome in outcomes], pa.string()),
            "reason": pa.array([outcome.reason for outcome in outcomes], pa.string()),
            "verified": pa.array([outcome.verified if outcome.costs else None for outcome in outcomes], pa.bool_()),
            **{
                column.label: pa.array([outcome.value(column.label) for outcome in outcomes], pa.float64())
                for column in kept_columns(outcomes, shown)
            },
            **{
                name: pa.array([cost and getattr(cost, name) for cost in costs], kind)
                for name, kind in zip(names, kinds, strict=True)
            },
        }
    )
