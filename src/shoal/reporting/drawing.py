"""Charts drawn by Vega-Lite, which vl-convert includes with all its dependencies: no browser, no network.

Altair would write the same specifications. As plain data they can be made, kept and read without any package; only
drawing needs one, so that nothing else in Shoal depends on it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from shoal.errors import InputError
from shoal.quoting import escaped
from shoal.reporting.drawing_process import draw
from shoal.reporting.page import Chart, finite
from shoal.reporting.palette import CONFIG, WIDTH, in_light_colours

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_VERSION = "5.20"
"""The Vega-Lite version, fixed so that charts look the same with every package version that supports it."""
_LETTERS = 50
"""Maximum number of characters of a title on one line."""
SPACES = "\n\t\u00a0\u202f"
"""Characters that are not escaped, in addition to printable ones."""
MISSING = "reports need packages that are not installed: pip install jinja2 vl-convert-python"


def vega_lite(chart: Chart) -> dict[str, Any]:
    """The chart as one specification with its records, which any Vega-Lite tool can open."""
    spec: dict[str, Any] = _drawable(
        {
            "$schema": _SCHEMA,
            "description": chart.says,
            "width": WIDTH,
            "autosize": {"type": "fit", "contains": "padding"},
            "data": {"values": finite([dict(record) for record in chart.records])},
            "config": in_light_colours(CONFIG),
            **in_light_colours(chart.spec),
        }
    )
    return spec


def svg_of(chart: Chart) -> str:
    """The chart as SVG, in light colours.

    Raises:
        InputError: vl-convert is not installed, or cannot run here.
    """
    return _svg(vega_lite(chart))


def png_of(chart: Chart) -> bytes:
    """The chart as PNG, twice as large as on a page, with its title above it.

    Raises:
        InputError: vl-convert is not installed, or cannot run here.
    """
    require_packages()
    return draw("png", titled(chart), _VERSION, scale=2)


def titled(chart: Chart) -> dict[str, Any]:
    """The specification with the title in the picture."""
    lines = _drawable(textwrap.wrap(chart.title, _LETTERS))
    title = {"text": lines, "anchor": "start", "fontSize": 12, "color": "$ink", "offset": 8}
    plain = vega_lite(chart)
    return {**plain, "height": plain["height"] + 16 * len(lines) + 8, "title": in_light_colours(title)}


def titled_svg_of(chart: Chart) -> str:
    """The chart as a self-contained SVG.

    Raises:
        InputError: vl-convert is not installed, or cannot run here.
    """
    return _svg(titled(chart))


def _drawable(value: Any) -> Any:
    """The same with escapes for characters that cannot be shown.

    SVG, being XML, cannot hold some control characters; the drawing engine does not report them, but ends its process.
    """
    if isinstance(value, Mapping):
        return {name: _drawable(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_drawable(entry) for entry in value]
    return escaped(value, keep=SPACES) if isinstance(value, str) else value


def _svg(spec: dict[str, Any]) -> str:
    require_packages()
    return draw("svg", spec, _VERSION).decode()


def require_packages() -> None:
    """Fail early if drawing at the end would fail.

    Raises:
        InputError: a package that a report needs is not installed; the message says how to install it.
    """
    if find_spec("vl_convert") is None or find_spec("jinja2") is None:
        raise InputError(MISSING)
