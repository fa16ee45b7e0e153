"""A report as one HTML page: text, tables and drawings in the file itself, no scripts, no requests."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from shoal.quoting import escaped
from shoal.reporting.drawing import SPACES, require_packages, svg_of
from shoal.reporting.drawing_process import CannotDraw
from shoal.reporting.page import Chart, Report, Value
from shoal.reporting.palette import style_variables, with_variables

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_SENTENCE = 40
MOST_ROWS = 200
"""Maximum number of chart records listed below the chart."""


def page_of(report: Report) -> str:
    """The report as a page. If the drawing process cannot run, it has the numbers of the charts without drawings.

    Raises:
        InputError: a package that a report needs is not installed.
    """
    template = _template()
    from markupsafe import Markup

    try:
        drawings = {chart.name: _drawn(chart) for chart in report.charts}
        undrawn = None
    except CannotDraw as reason:
        drawings = {}
        undrawn = f"The charts of this report are left out, and their numbers are listed: {reason}"
        warnings.warn(undrawn, NoCharts, stacklevel=2)

    styles = resources.files("shoal.reporting").joinpath("page.css").read_text(encoding="utf-8")
    variables = {scheme: style_variables(scheme) for scheme in ("light", "dark")}
    return template.render(
        report=report,
        styles=Markup(styles),  # noqa: S704  (our own file)
        light=Markup(variables["light"]),  # noqa: S704
        dark=Markup(variables["dark"]),  # noqa: S704
        drawings=drawings,
        undrawn=undrawn,
        listed=_listed,
        prose=_is_prose,
        kind=lambda block: type(block).__name__.lower(),
        data=_embedded(report),
    )


class NoCharts(UserWarning):
    """Replacement for a page that has no charts."""


@cache
def _template() -> Template:
    require_packages()
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("shoal.reporting", "."),
        autoescape=True,  # names of items and columns come from any data
        # And they may hold control codes.
        finalize=lambda value: escaped(value, keep=SPACES) if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


def _drawn(chart: Chart) -> Markup:
    """The drawing, with a title and a description for screen readers, in the colours of the page."""
    from markupsafe import Markup, escape

    svg = with_variables(svg_of(chart))
    head, _, body = svg.partition(">")
    # Screen readers would read every mark by its name: the description is enough.
    head = re.sub(r' class="marks"', "", head)
    named = f' role="img" aria-labelledby="{chart.name}-title {chart.name}-says">'
    told = (
        f'<title id="{chart.name}-title">{escape(chart.title)}</title>'
        f'<desc id="{chart.name}-says">{escape(chart.says)}</desc>'
    )
    return Markup(head + named + escaped(told, keep=SPACES) + body)  # noqa: S704  (Vega escapes what it draws)


def _listed(chart: Chart) -> tuple[list[str], list[list[str]], int]:
    """The numbers behind a chart: headings, rows as text, and the number of further rows."""
    rows = [[number_text(record.get(field)) for field in chart.columns] for record in chart.records[:MOST_ROWS]]
    return list(chart.columns.values()), rows, max(0, len(chart.records) - MOST_ROWS)


def _is_prose(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table contains sentences, which need room."""
    return any(len(cell) > _SENTENCE for row in rows for cell in row)


def number_text(value: Value) -> str:
    """A value of a record, formatted for a reader."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:,.4g}"
    return value


def _embedded(report: Report) -> Markup:
    """The whole report as data, for programs; escaped so that it cannot end the element that contains it."""
    from markupsafe import Markup

    text = json.dumps(report.as_dict(), ensure_ascii=False, sort_keys=True, allow_nan=False)
    text = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704
