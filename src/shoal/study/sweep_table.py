"""A sweep in the terminal: a table of its points, the map in plain characters, and the cost of each step, in words."""

from __future__ import annotations

import string
import textwrap
from collections.abc import Iterator

from shoal.measuring.metrics import WIDTH
from shoal.study.outcome_table import kept_columns, number_text, stacked_table
from shoal.study.sweep import Curve, Sweep, in_words

# The size of the drawing, without its frame.
_COLUMNS, _ROWS = 64, 14
_KNEE = "<"


def sweep_lines(sweep: Sweep) -> list[str]:
    """The whole sweep as lines of text."""
    lines = [sweep.size, "", *_table(sweep), ""]
    if len({(point.risk, point.loss) for point in sweep.points if point.loss is not None}) > 1:
        lines += [*_drawing(sweep), ""]
    texts = [step.words for step in sweep.steps]
    texts += [_of_curve(sweep, curve) for curve in sweep.curves]
    texts += list(_reading(sweep))
    return lines + [line for text in texts for line in textwrap.wrap(text, WIDTH, subsequent_indent="  ")]


def mark(place: int) -> str:
    """The letter of a point; after z the letters start again."""
    letters = string.ascii_lowercase
    return letters[place % len(letters)]


def _knees(sweep: Sweep) -> set[int]:
    return {curve.knee.place for curve in sweep.curves if curve.knee is not None}


def _table(sweep: Sweep) -> list[str]:
    columns = kept_columns(sweep.outcomes, sweep.shown)
    on_front = {place for curve in sweep.curves for place in curve.front}
    knees = _knees(sweep)
    rows: list[tuple[str, list[str] | str, str]] = []
    for place, point in enumerate(sweep.points):
        outcome, label = point.outcome, f"{mark(place)}  {point.name}"
        if outcome.costs is None:
            rows.append((label, outcome.state, outcome.reason))
            continue
        verdict = "NO" if not outcome.verified else "part" if outcome.left_out else "yes"
        values = [outcome.value(column.label) for column in columns]
        where = "knee" if place in knees else "front" if place in on_front else "-"
        rows.append(
            (
                label,
                [
                    verdict,
                    number_text(point.risk),
                    "-" if point.loss is None else number_text(point.loss),
                    where,
                    *("-" if value is None else number_text(value) for value in values),
                    number_text(outcome.costs.publish_seconds),
                ],
                f"not measured: {outcome.reason}" if outcome.reason else "",
            )
        )
    heads = ["holds", "risk", "loss", "map", *(column.label for column in columns), "CPU s"]
    return stacked_table(sweep.method, heads, rows, least=16)


def _drawing(sweep: Sweep) -> list[str]:
    """Risk upwards, loss to the right: a letter for each point, the knee with an arrow; the lower left is best."""
    shown = [(place, point.risk, point.loss) for place, point in enumerate(sweep.points) if point.loss is not None]
    risks, losses = [risk for _, risk, _ in shown], [loss for _, _, loss in shown]
    knees = _knees(sweep)
    rows = [[" "] * (_COLUMNS + 2) for _ in range(_ROWS)]
    for place, risk, loss in shown:
        row = _ROWS - 1 - round(_scaled(risk, risks) * (_ROWS - 1))
        column = round(_scaled(loss, losses) * (_COLUMNS - 1))
        there = rows[row][column]
        rows[row][column] = mark(place) if there == " " else "+"
        if place in knees and rows[row][column + 1] == " ":
            rows[row][column + 1] = _KNEE
    scale = {0: number_text(max(risks)), _ROWS - 1: number_text(min(risks))}
    room = max(map(len, [*scale.values(), "risk"]))
    low, high = number_text(min(losses)), number_text(max(losses))
    assert sweep.loss is not None
    axis = f"loss ({sweep.loss.words})"
    legend = " ".join([f"{_KNEE} the knee"] * bool(knees) + ["+ several points"] * any("+" in row for row in rows))
    return [
        f"{'risk':>{room}}",
        *(f"{scale.get(number, ''):>{room}} |{''.join(row)}".rstrip() for number, row in enumerate(rows)),
        f"{'':{room}} +{'-' * _COLUMNS}",
        f"{'':{room}}  {low}{axis:^{_COLUMNS - len(low) - len(high)}}{high}",
        *([f"{'':{room}}  {legend}"] if legend else []),
    ]


def _scaled(value: float, values: list[float]) -> float:
    low, high = min(values), max(values)
    return (value - low) / (high - low) if high > low else 0.0


def _of_curve(sweep: Sweep, curve: Curve) -> str:
    where = f"{in_words(curve.fixed)}: " if curve.fixed else ""
    if curve.knee is None:
        return f"{where}no knee: {curve.reason}."
    place = curve.knee.place
    safest, riskiest = curve.front[0], curve.front[-1]
    names = {
        at: in_words({name: value for name, value in sweep.points[at].values.items() if name not in curve.fixed})
        for at in (safest, place, riskiest)
    }
    prices = [f"{price / 10:.3f}" for price in (curve.knee.price_before, curve.knee.price_beyond)]
    return (
        f"{where}the knee is at {names[place]}. From {names[riskiest]} to the knee the risk falls by "
        f"{_change(sweep, riskiest, place)} ({prices[0]} of loss for each 0.1), beyond it, to {names[safest]}, by "
        f"{_change(sweep, place, safest)} ({prices[1]} for each 0.1)."
    )


def _change(sweep: Sweep, before: int, after: int) -> str:
    old, new = sweep.points[before], sweep.points[after]
    assert old.loss is not None
    assert new.loss is not None
    return f"{number_text(old.risk - new.risk)} for {number_text(new.loss - old.loss)} of loss"


def _reading(sweep: Sweep) -> Iterator[str]:
    yield f"risk: what follows from the promise, {sweep.risk}. Risks of different methods are not on one scale."
    if sweep.loss is None:
        yield "loss: nothing was measured, so there is no map."
    else:
        yield (
            f"loss: {sweep.loss.words}. front: no other point of the curve has less of one and no more of the other. "
            "knee: the point of the front furthest below the chord between its ends, with both axes scaled to 0..1 "
            "between these, if the distance is .05 or more."
        )
    for place, point in enumerate(sweep.points):
        for failure in point.outcome.failures:
            yield f"{mark(place)}: {' '.join(failure.split())}"
    meanings: dict[str, list[str]] = {}
    for column in kept_columns(sweep.outcomes, sweep.shown):
        meanings.setdefault(column.meaning, []).append(f"{column.label} ({column.direction})")
    for meaning, labels in meanings.items():
        yield f"{', '.join(labels)}: {meaning}."
