"""The kinds of charts: their records, and that what draws them has nothing to complain of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import vl_convert
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.methods import METHODS
from shoal.reporting.charts import (
    MOST_BARS,
    before_and_after,
    curves,
    grouped_bars,
    histogram,
    labelled,
    lying_bars,
    shortened,
    sizes_of,
    whole_ticks,
)
from shoal.reporting.drawing import svg_of, vega_lite
from shoal.reporting.page import Chart, Report
from shoal.reporting.palette import PALETTE
from shoal.reporting.risk_utility_map import map_chart
from tests.checking.report_html import Element, read_page
from tests.making.sweeps import swept

# Of Vega-Lite; an old package has only older ones.
VERSION = "5.20" if "5.20" in vl_convert.get_vegalite_versions() else None
NAMES = st.lists(st.sampled_from(["x", "x (2)", "x (3)", "y" * 40, "y" * 41, "y" * 42, f"{'y' * 10}…{'y' * 11} (2)"]))


@given(st.lists(st.integers(-5, 400), max_size=60))
def test_a_histogram_counts_every_value_once_in_ranges_without_gaps(values: list[int]) -> None:
    records = sizes_of(np.array(values, np.int64))
    assert sum(record["number"] for record in records) == len(values)
    assert len(records) <= MOST_BARS
    widths = {record["end"] - record["start"] for record in records}
    assert len(widths) <= 1
    for record, after in pairwise(records):
        assert record["end"] == after["start"]
    for record in records:
        inside = [value for value in values if record["start"] < value < record["end"]]
        assert record["number"] == len(inside)
        first, last = round(record["start"] + 0.5), round(record["end"] - 0.5)
        assert record["size"] == (f"{first:,}" if first == last else f"{first:,}-{last:,}")
    if values:
        assert records[0]["start"] < min(values) < records[0]["end"]
        assert records[-1]["number"] > 0


def test_a_few_sizes_are_shown_one_by_one() -> None:
    assert [record["size"] for record in sizes_of(np.arange(MOST_BARS))] == [str(n) for n in range(MOST_BARS)]
    assert sizes_of(np.arange(MOST_BARS + 1))[0]["size"] == "0-1"


@example(["x", "x", "x (2)", "x"])
@given(NAMES | st.lists(st.text(max_size=60)))
def test_no_two_labels_are_alike(names: list[str]) -> None:
    labels = labelled(names)
    assert len(labels) == len(names)
    assert len(set(labels)) == len(labels)
    # A name that fits, and that is the first of its kind, is as it is.
    for at, (name, label) in enumerate(zip(names, labels, strict=True)):
        if shortened(name) not in map(shortened, names[:at]):
            assert label == shortened(name)
        assert label.startswith(shortened(name))


@given(st.text(max_size=80))
def test_a_name_is_shortened_in_its_middle(name: str) -> None:
    short = shortened(name)
    if len(name) <= 22:
        assert short == name
    else:
        assert len(short) == 22
        assert short == f"{name[:10]}…{name[-11:]}"


GROUPED = [
    {"group": group, "series": series, "value": 0.5} for group in ("1", "2-4") for series in ("expected", "certain")
]
LABELS = [{"label": "tea", "value": 0.25, "series": "original", "text": "0.25"}]
BOTH = [*LABELS, {"label": "tea", "value": 0.75, "series": "release", "text": "0.75"}]
SUPPORT = {"label": "tea", "low": 1.0, "told": 2.0, "high": 3.0}
COLUMNS = {"value": "value"}
KINDS: dict[str, Chart] = {
    "before and after": before_and_after(
        "c", "t", "s", [{**SUPPORT, "before": 2}], {"told": "told"}, unit="records", after="release"
    ),
    "after": before_and_after("c", "t", "s", [SUPPORT], {"told": "told"}, unit="records", after="release"),
    "grouped bars": grouped_bars(
        "c", "t", "s", GROUPED, COLUMNS, x="x", y="y", series=("expected", "certain"), slanted=True
    ),
    "one series of bars": grouped_bars("c", "t", "s", GROUPED[::2], COLUMNS, x="x", y="y", series=("expected",)),
    "lying bars": lying_bars("c", "t", "s", LABELS, COLUMNS, unit="share"),
    "lying bars of two": lying_bars(
        "c", "t", "s", BOTH, COLUMNS, unit="share", series=("original", "release"), colours=("before", "after")
    ),
    "lying bars of numbers": lying_bars("c", "t", "s", LABELS, COLUMNS, unit="MB", share=False, side="names"),
    "histogram": histogram("c", "t", "s", np.array([3, 3, 5]), x="x", y="y"),
    "ranges": histogram("c", "t", "s", np.arange(500), x="x", y="y"),
    "one size": histogram("c", "t", "s", np.array([4, 4]), x="x", y="y"),
    "curves": curves("c", "t", "s", GROUPED, COLUMNS, x="x", y="y", series=("expected", "certain"), y_domain=(0, 2)),
    "one curve": curves("c", "t", "s", GROUPED[::2], COLUMNS, x="x", y="y", series=("expected",)),
}


def compiled(chart: Chart, capfd: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The chart as Vega; whatever Vega-Lite warns of is a failure."""
    capfd.readouterr()
    found: dict[str, object] = vl_convert.vegalite_to_vega(vega_lite(chart), vl_version=VERSION, show_warnings=True)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    return found


def test_a_warning_would_be_seen(capfd: pytest.CaptureFixture[str]) -> None:
    x = {"field": "a", "type": "nominal", "scale": {"nice": True}}
    wrong = Chart("c", "t", "s", ({"a": 1},), {}, {"mark": "bar", "encoding": {"x": x}})
    with pytest.raises(AssertionError, match="WARN x-"):
        compiled(wrong, capfd)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_chart_compiles_without_a_warning(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert compiled(KINDS[kind], capfd)["marks"]
    assert read_page(svg_of(KINDS[kind])).all("path")


@pytest.mark.parametrize("method", METHODS)
def test_every_chart_of_a_report_compiles_without_a_warning(
    method: str, reported: Callable[..., Report], capfd: pytest.CaptureFixture[str]
) -> None:
    for public in (False, True):
        for chart in reported(method, public).charts:
            compiled(chart, capfd)


def test_maps_compile_without_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    for sweep in (
        swept("disassociate", {"k": [2, 5, 10]}, [0.1, 0.2, 0.9]),
        swept("disassociate", {"k": [2, 5], "m": [1, 2]}, [0.1, 0.2, 0.3, 0.4]),
        swept("disassociate", {"k": [2, 5]}, [0.5, None]),
    ):
        chart = map_chart(sweep)
        assert chart is not None
        compiled(chart, capfd)
    for chart in shoal.report(sweep).charts:
        compiled(chart, capfd)


def bars(chart: Chart) -> list[dict[str, str | None]]:
    """The attributes of the bars that were drawn."""
    return [one.attributes for one in read_page(svg_of(chart)).all("path") if drawn_as(one, "bar")]


def drawn_as(element: Element, kind: str) -> bool:
    return element.attributes.get("aria-roledescription") == kind


def test_bars_have_the_colours_of_their_series() -> None:
    assert [bar["fill"] for bar in bars(KINDS["lying bars of two"])] == [
        PALETTE["before"].light,
        PALETTE["after"].light,
    ]
    assert [bar["fill"] for bar in bars(KINDS["grouped bars"])] == [
        PALETTE["after"].light,
        PALETTE["second"].light,
    ] * 2


def test_bars_of_a_histogram_are_as_high_as_their_numbers() -> None:
    said = [bar["aria-label"] or "" for bar in bars(KINDS["histogram"])]
    assert [text.rpartition("; ")[2] for text in said] == ["number: 2", "number: 0", "number: 1"]


def test_ticks_points_and_ranges_stand_where_the_numbers_are() -> None:
    page = read_page(svg_of(KINDS["before and after"]))
    said = [(one.attributes["aria-roledescription"], one.attributes["aria-label"]) for one in page.every() if mark(one)]
    assert said == [
        ("rule mark", "low: 1; label: tea; high: 3"),
        ("point", "told: 2; label: tea"),
        ("tick", "before: 2; label: tea"),
    ]


def mark(element: Element) -> bool:
    kind = element.attributes.get("aria-roledescription")
    return element.tag != "g" and kind in ("rule mark", "point", "tick")


def axis_labels(chart: Chart) -> list[list[str]]:
    """What stands beside each axis that was drawn; a logarithmic one leaves most of its ticks without a number."""
    groups = (
        one for one in read_page(svg_of(chart)).all("g") if "role-axis-label" in (one.attributes.get("class") or "")
    )
    return [[text.text for text in group.all("text") if text.text] for group in groups]


@pytest.mark.parametrize("sizes", [[3, 3, 4], [4, 4], [0, 1], [5, 20], [10, 23], [1, 500], [990, 1_010]])
def test_an_axis_of_sizes_has_whole_numbers_each_once(sizes: list[int]) -> None:
    across, upwards = axis_labels(histogram("c", "t", "s", np.array(sizes), x="x", y="y"))
    assert across == [f"{tick:,}" for tick in whole_ticks(np.array(sizes))]
    assert upwards == sorted(set(upwards), key=int)
    assert upwards[0] == "0"


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=9))
def test_ticks_are_few_even_steps_over_the_whole_range(values: list[int]) -> None:
    ticks = whole_ticks(np.array(values))
    low, high = min(values), max(values)
    assert 1 <= len(ticks) <= 6
    assert len({after - before for before, after in pairwise(ticks)}) <= 1
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1
    assert low <= ticks[0] < low + step
    assert high - step < ticks[-1] <= high
    assert all(tick % step == 0 for tick in ticks)
    assert len(ticks) >= min(2, high - low + 1)


def test_no_axis_of_a_report_has_a_number_twice(reported: Callable[..., Report]) -> None:
    for method in METHODS:
        for chart in reported(method).charts:
            for labels in axis_labels(chart):
                assert len(set(labels)) == len(labels), (method, chart.name, labels)
