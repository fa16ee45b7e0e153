"""The kinds of charts in reports, each as records and a Vega-Lite specification."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.reporting.page import Chart, Value
from shoal.reporting.palette import SERIES

Records = Sequence[Mapping[str, Value]]

_LONGEST = 22
"""Maximum number of characters of a name on an axis."""
_ROW = 18
"""Height in pixels of a line in a chart with names."""
MOST_BARS = 24
"""Maximum number of different sizes that a histogram shows separately; beyond, sizes are grouped into ranges."""
_MOST_TICKS = 6
"""Maximum number of labels below a histogram, which is as wide as a phone."""


def shortened(name: str) -> str:
    """A name cut to the room on an axis.

    Example:
        >>> shortened("diabetes with ketoacidosis, type II")
        'diabetes w…is, type II'
    """
    if len(name) <= _LONGEST:
        return name
    half = (_LONGEST - 1) // 2
    return f"{name[:half]}…{name[-half - 1 :]}"


def labelled(names: Sequence[str]) -> list[str]:
    """Names cut to the room on an axis, all different.

    Example:
        >>> labelled(["tea", "tea", "milk"])
        ['tea', 'tea (2)', 'milk']
    """
    short = [shortened(name) for name in names]
    taken, used, found = set(short), set[str](), []
    for name in short:
        # A number may make it equal to another name.
        numbered = (f"{name} ({number})" for number in itertools.count(2))
        label = name if name not in used else next(one for one in numbered if one not in taken)
        used.add(label)
        taken.add(label)
        found.append(label)
    return found


def before_and_after(
    name: str, title: str, says: str, records: Records, columns: Mapping[str, str], *, unit: str, after: str
) -> Chart:
    """One line per name: a tick at the original value, a point at the published value, and a range around it.

    Records have label, low, told, high and, if the original is known, before.
    """
    marks: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "color": "$before"},
            "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "shape": "circle"},
            "encoding": {"x": {"field": "told", "type": "quantitative"}, "color": {"datum": after}},
        },
    ]
    shown, colours = [after], ["$after"]
    if records and "before" in records[0]:
        marks.append(
            {
                "mark": {"type": "tick", "thickness": 2.5, "size": 13},
                "encoding": {"x": {"field": "before", "type": "quantitative"}, "color": {"datum": "original"}},
            }
        )
        shown, colours = ["original", after], ["$ink", "$after"]
    spec = {
        "height": 44 + _ROW * len(records),
        "encoding": {
            "y": {
                "field": "label",
                "type": "nominal",
                "sort": None,
                "axis": {"title": None, "domain": False, "ticks": False, "grid": True, "labelColor": "$ink"},
            },
            "x": {"axis": {"title": unit, "grid": True}, "scale": {"zero": True, "nice": True}},
            "color": {"scale": {"domain": shown, "range": colours}, "legend": {"symbolType": "circle"}},
        },
        "layer": marks,
    }
    return Chart(name, title, says, tuple(records), columns, spec)


def grouped_bars(
    name: str,
    title: str,
    says: str,
    records: Records,
    columns: Mapping[str, str],
    *,
    x: str,
    y: str,
    series: Sequence[str],
    colours: Sequence[str] = SERIES,
    slanted: bool = False,
) -> Chart:
    """Bars next to each other in each group. Records have group, series and value, a share; groups keep their order."""
    axis: dict[str, Any] = {"title": y, "grid": True, "format": ".0%"}
    spec = {
        "height": 220,
        "mark": {"type": "bar"},
        "encoding": {
            "x": {
                "field": "group",
                "type": "nominal",
                "sort": None,
                "axis": {
                    "title": x,
                    "labelAngle": -40 if slanted else 0,
                    "ticks": False,
                    "labelOverlap": False,
                    **({"labelLimit": 110} if slanted else {}),
                },
                "scale": {"paddingInner": 0.25},
            },
            "xOffset": {"field": "series", "type": "nominal", "sort": list(series)},
            "y": {"field": "value", "type": "quantitative", "axis": axis, "scale": {"domain": [0, 1]}},
            "color": {
                "field": "series",
                "type": "nominal",
                "scale": {"domain": list(series), "range": [f"${colour}" for colour in colours[: len(series)]]},
                "legend": {"symbolType": "square"} if len(series) > 1 else None,
            },
        },
    }
    return Chart(name, title, says, tuple(records), columns, spec, bars="value")


def lying_bars(
    name: str,
    title: str,
    says: str,
    records: Records,
    columns: Mapping[str, str],
    *,
    unit: str,
    series: Sequence[str] = (),
    colours: Sequence[str] = SERIES,
    side: str | None = None,
    share: bool = True,
) -> Chart:
    """Bars for each name; the names are to the left.

    Records have label, value and, if there are several, series; if values are not shares, also text, which is the
    number as written.
    """
    several = max(1, len(series))
    lengths = (float(record["value"] or 0) for record in records)
    most = max(filter(math.isfinite, lengths), default=0.0) or 1.0
    # The longest bar needs room for its number.
    axis: dict[str, Any] = {"title": unit, "grid": True, "format": ",.4~r", "tickCount": 4}
    room: dict[str, Any] = {"domain": [0, 1.3 * most], "nice": False}
    if share:
        axis |= {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
        room["domain"] = [0, 1.18]
    colour: dict[str, Any] = {"value": f"${colours[0]}"}
    offset: dict[str, Any] = {}
    if several > 1:
        scale = {"domain": list(series), "range": [f"${colour}" for colour in colours[:several]]}
        colour = {"field": "series", "type": "nominal", "scale": scale, "legend": {"symbolType": "square"}}
        offset = {"yOffset": {"field": "series", "type": "nominal", "sort": list(series)}}
    text: dict[str, Any] = {"field": "value", "type": "quantitative", "format": ".1%"} if share else {"field": "text"}
    spec = {
        "height": 60 + (16 * several + 8) * len({record["label"] for record in records}),
        "encoding": {
            "y": {
                "field": "label",
                "type": "nominal",
                "sort": None,
                "axis": {"title": side, "domain": False, "ticks": False, "labelColor": "$ink"},
                "scale": {"paddingInner": 0.25},
            },
            **offset,
            "x": {"field": "value", "type": "quantitative", "axis": axis, "scale": room},
        },
        "layer": [
            {"mark": {"type": "bar"}, "encoding": {"color": colour}},
            {"mark": {"type": "text", "align": "left", "dx": 3, "fontSize": 10}, "encoding": {"text": text}},
        ],
    }
    return Chart(name, title, says, tuple(records), columns, spec, bars="value")


def histogram(name: str, title: str, says: str, values: npt.NDArray[np.integer], *, x: str, y: str) -> Chart:
    """How often each size occurs; if there are many different sizes, they are grouped into ranges."""
    records = sizes_of(values)
    numbers = np.array([0, *(record["number"] for record in records)], np.int64)
    spec: dict[str, Any] = {
        "height": 200,
        "mark": {"type": "bar", "binSpacing": 1},
        "encoding": {
            "x": {
                "field": "start",
                "type": "quantitative",
                "bin": {"binned": True},
                "axis": {"title": x, "grid": False, "values": whole_ticks(values), "format": ",d"},
                "scale": {"zero": False, "nice": False},
            },
            "x2": {"field": "end"},
            "y": {
                "field": "number",
                "type": "quantitative",
                "axis": {
                    "title": y,
                    "grid": True,
                    "values": whole_ticks(numbers),
                    "format": ",d",
                    "labelOverlap": False,
                },
            },
        },
    }
    return Chart(name, title, says, tuple(records), {"size": x, "number": y}, spec, bars="number")


def sizes_of(values: npt.NDArray[np.integer]) -> list[dict[str, Value]]:
    """Records of a histogram: one for each size, or for ranges of sizes of equal width.

    Example:
        >>> [(one["size"], one["number"]) for one in sizes_of(np.array([3, 3, 5]))]
        [('3', 2), ('4', 0), ('5', 1)]
    """
    if not len(values):
        return []
    low, high = int(values.min()), int(values.max())
    width = max(1, -(-(high - low + 1) // MOST_BARS))
    counts = np.bincount((values.astype(np.int64) - low) // width)
    starts = [low + width * at for at in range(len(counts))]
    return [
        {
            "size": f"{start:,}" if width == 1 else f"{start:,}-{start + width - 1:,}",
            "start": start - 0.5,  # a size is at the centre of its bar
            "end": start + width - 0.5,
            "number": count,
        }
        for start, count in zip(starts, counts.tolist(), strict=True)
    ]


def whole_ticks(values: npt.NDArray[np.integer]) -> list[int]:
    """Tick positions on an axis of whole numbers: Vega-Lite's own would include halves, and round them.

    Example:
        >>> whole_ticks(np.array([3, 4])), whole_ticks(np.array([5, 61]))
        ([3, 4], [10, 20, 30, 40, 50, 60])
    """
    if not len(values):
        return []
    low, high = int(values.min()), int(values.max())
    steps = (digit * 10**power for power in itertools.count() for digit in (1, 2, 5))
    step = next(step for step in steps if high // step - -(-low // step) < _MOST_TICKS)
    return list(range(-(-low // step) * step, high + 1, step))


def curves(
    name: str,
    title: str,
    says: str,
    records: Records,
    columns: Mapping[str, str],
    *,
    x: str,
    y: str,
    series: Sequence[str],
    y_domain: tuple[float, float] | None = None,
) -> Chart:
    """Lines with points, along ordered groups. Records have group, series and value."""
    scale: dict[str, Any] = {"zero": True} if y_domain is None else {"domain": list(y_domain)}
    spec = {
        "height": 220,
        "mark": {"type": "line", "point": {"filled": True, "size": 40}},
        "encoding": {
            "x": {
                "field": "group",
                "type": "ordinal",
                "sort": None,
                "axis": {"title": x, "labelAngle": 0, "grid": False, "labelOverlap": "greedy"},
            },
            "y": {"field": "value", "type": "quantitative", "axis": {"title": y, "grid": True}, "scale": scale},
            "color": {
                "field": "series",
                "type": "nominal",
                "scale": {"domain": list(series), "range": [f"${colour}" for colour in SERIES[: len(series)]]},
                "legend": {"symbolType": "circle"} if len(series) > 1 else None,
            },
        },
    }
    return Chart(name, title, says, tuple(records), columns, spec)
