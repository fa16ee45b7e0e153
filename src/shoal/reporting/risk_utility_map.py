"""The risk-utility map of a sweep: every setting by risk and loss, the front, and the knee.

G. T. Duncan, S. A. Keller-McNulty, S. L. Stokes: Disclosure Risk vs. Data Utility: The R-U Confidentiality Map, 2001.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from shoal.reporting.page import Chart, Value
from shoal.reporting.palette import SERIES
from shoal.study.sweep import Sweep, in_words

_SHAPES = {"knee": "diamond", "front": "circle", "beaten": "cross"}
# Positions in pixels where labels of points fit.
_WIDTH, _HEIGHT = 270.0, 230.0
_LETTER, _LINE, _GAP = 6.2, 13.0, 7.0
_ABOVE, _BELOW = -7.0, 9.0


def map_chart(sweep: Sweep) -> Chart | None:
    """The map; None if no point has a loss."""
    shown = [place for place, point in enumerate(sweep.points) if point.loss is not None]
    if not shown or sweep.loss is None:
        return None
    knees = {curve.knee.place for curve in sweep.curves if curve.knee is not None}
    names = {place: in_words(curve.fixed) or sweep.method for curve in sweep.curves for place in curve.places}
    fronts = {place for curve in sweep.curves for place in curve.front}
    records: list[dict[str, Value]] = []
    for place in shown:
        point = sweep.points[place]
        kind = "knee" if place in knees else "front" if place in fronts else "beaten"
        name = f"{point.name} (knee)" if place in knees else point.name
        records.append(
            {
                "setting": point.name,
                "curve": names.get(place, sweep.method),
                "risk": point.risk,
                "loss": point.loss,
                "place": kind,
                "name": name,
                "align": "",
            }
        )
    _name_where_there_is_room(records)
    series = list(dict.fromkeys(str(record["curve"]) for record in records))
    shapes = {kind: shape for kind, shape in _SHAPES.items() if any(record["place"] == kind for record in records)}
    spec = {
        "height": 280,
        "encoding": {
            "x": {
                "field": "loss",
                "type": "quantitative",
                "axis": {"title": f"loss: {sweep.loss.words}", "grid": True},
                "scale": {"zero": False, "nice": True, "padding": 14},
            },
            "y": {
                "field": "risk",
                "type": "quantitative",
                "axis": {"title": "risk that follows from the promise", "grid": True},
                "scale": {"zero": False, "nice": True, "padding": 14},
            },
        },
        "layer": [
            {
                "transform": [{"filter": "datum.place !== 'beaten'"}],
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {"color": _colour(series), "order": {"field": "loss", "type": "quantitative"}},
            },
            {
                "mark": {"type": "point"},
                "encoding": {
                    "color": _colour(series),
                    "shape": {
                        "field": "place",
                        "type": "nominal",
                        "scale": {"domain": list(shapes), "range": list(shapes.values())},
                        "legend": {"columns": 3, "symbolFillColor": "$quiet", "symbolStrokeColor": "$quiet"},
                    },
                    "size": {"condition": {"test": "datum.place === 'knee'", "value": 170}, "value": 45},
                },
            },
            *(
                {
                    "transform": [{"filter": f"datum.align === '{side}'"}],
                    "mark": {"type": "text", "align": side, "dx": _GAP if side == "left" else -_GAP, "dy": dy},
                    "encoding": {"text": {"field": "name"}},
                }
                for side, dy in (("left", _ABOVE), ("right", _BELOW))
            ),
        ],
    }
    columns = {"setting": "setting", "risk": "risk", "loss": "loss", "place": "on the map"}
    title = f"Risk and loss of {sweep.method}: the lower left is best"
    return Chart("risk-utility", title, _says(sweep), tuple(records), columns, spec)


def _colour(series: Sequence[str]) -> dict[str, object]:
    colours = [f"${SERIES[number % len(SERIES)]}" for number in range(len(series))]
    return {
        "field": "curve",
        "type": "nominal",
        "scale": {"domain": list(series), "range": colours},
        "legend": {"symbolType": "circle"} if len(series) > 1 else None,
    }


def _says(sweep: Sweep) -> str:
    said = []
    for curve in sweep.curves:
        where = f"with {in_words(curve.fixed)} " if curve.fixed else ""
        knee = f"the knee is at {sweep.points[curve.knee.place].name}" if curve.knee else None
        said.append(f"{where}{knee or f'there is no knee: {curve.reason}'}")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}."


def _name_where_there_is_room(records: list[dict[str, Value]]) -> None:
    """Label points, knees first, unless the label would overlap another label or point, or the border."""
    losses, risks = ([float(record[axis] or 0) for record in records] for axis in ("loss", "risk"))
    spots = [
        (_WIDTH * _part(loss, losses), _HEIGHT * (1 - _part(risk, risks)))
        for loss, risk in zip(losses, risks, strict=True)
    ]
    taken: list[tuple[float, float, float, float]] = [(x - 5, y - 5, x + 5, y + 5) for x, y in spots]
    ranks = {"knee": 0, "front": 1, "beaten": 2}
    for at in sorted(range(len(records)), key=lambda at: ranks[str(records[at]["place"])]):
        record, (x, y) = records[at], spots[at]
        names = [str(record["name"]), *(["knee"] if record["place"] == "knee" else [])]
        for name, side in itertools.product(names, ("left", "right")):
            width = _LETTER * len(name)
            left, middle = (x + _GAP, y + _ABOVE) if side == "left" else (x - _GAP - width, y + _BELOW)
            box = (left, middle - _LINE / 2, left + width, middle + _LINE / 2)
            if left >= 0 and box[2] <= _WIDTH + 20 and not any(_meet(box, other) for other in taken):
                record["name"], record["align"] = name, side
                taken.append(box)
                break


def _part(value: float, values: Sequence[float]) -> float:
    low, high = min(values), max(values)
    return 0.06 + 0.88 * (value - low) / (high - low) if high > low else 0.5


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
