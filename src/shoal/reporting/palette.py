"""Colours and fonts of charts: one name per use, with a value for light and one for dark mode.

Charts are drawn once, in the light colours. In a page each colour is then replaced by a variable of the style sheet,
which has another value in dark mode; therefore no two names share a light colour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple


class Shade(NamedTuple):
    """A colour in light and in dark mode."""

    light: str
    dark: str


PALETTE: Mapping[str, Shade] = {
    "paper": Shade("#fefefe", "#13171c"),
    "ink": Shade("#1c2127", "#e6eaef"),
    "quiet": Shade("#565f69", "#a5afba"),
    "line": Shade("#dde2e7", "#303841"),
    "before": Shade("#808a95", "#8b96a2"),
    "after": Shade("#0a6c97", "#4db2dd"),
    "second": Shade("#b4521a", "#f0965c"),
    "third": Shade("#54781c", "#a4cd58"),
    "fourth": Shade("#7449ab", "#ba9ce8"),
    "alarm": Shade("#b3261e", "#ff8a80"),
}
SERIES = ("after", "second", "third", "fourth")
"""Colours of series, in this order."""
# Letters must be equally wide where text is measured (where charts are drawn) and where it is shown.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
WIDTH = 344
"""The width of every chart with its axes: it fits a phone. Wider screens show several next to each other."""

_NAMES = re.compile(r"\$(\w+)")
_TAG = re.compile("<[^<>]*>")
_COLOUR = re.compile('="(#[0-9a-f]{6})"')


def in_light_colours(value: Any) -> Any:
    """A specification with ``$after`` and the like replaced by colours."""
    if isinstance(value, Mapping):
        return {name: in_light_colours(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [in_light_colours(entry) for entry in value]
    if isinstance(value, str) and (match := _NAMES.fullmatch(value)):
        return PALETTE[match[1]].light
    return value


def with_variables(svg: str) -> str:
    """A drawing with the colours of the style sheet; text that looks like a colour is unchanged."""
    names = {shade.light: name for name, shade in PALETTE.items()}

    def replaced(tag: re.Match[str]) -> str:
        return _COLOUR.sub(lambda found: f'="var(--{names[found[1]]})"' if found[1] in names else found[0], tag[0])

    return _TAG.sub(replaced, svg)


def style_variables(scheme: str) -> str:
    """The palette as declarations of a style sheet, for ``light`` or ``dark``."""
    return " ".join(f"--{name}: {getattr(shade, scheme)};" for name, shade in PALETTE.items())


CONFIG: Mapping[str, Any] = {
    "font": FONT,
    "background": "$paper",
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        "domainColor": "$quiet",
        "tickColor": "$quiet",
        "gridColor": "$line",
        "labelColor": "$quiet",
        "titleColor": "$ink",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 130,
        "labelOverlap": "greedy",
        "titlePadding": 6,
    },
    "axisX": {"tickCount": 5},
    "axisY": {"tickCount": 5},
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "labelColor": "$ink",
        "titleColor": "$ink",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 300,
        "columns": 2,
        "offset": 6,
        "symbolOpacity": 1,
        "title": None,
    },
    "bar": {"color": "$after"},
    "rule": {"color": "$ink"},
    "text": {"color": "$ink", "fontSize": 11},
    "point": {"filled": True, "size": 45, "color": "$after", "opacity": 1},
    "line": {"color": "$after", "strokeWidth": 2},
    "tick": {"opacity": 1},
}
