"""The map of a sweep: every point where it is, knees where the sweep says, and names that do not lie on each other."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.reporting.drawing import svg_of
from shoal.reporting.page import Chart
from shoal.reporting.palette import PALETTE
from shoal.reporting.risk_utility_map import map_chart
from shoal.study.sweep import Sweep
from tests.checking.report_html import Element, read_page
from tests.making.sweeps import swept

Box = tuple[float, float, float, float]
# Of Helvetica, in thousandths of the size; other letters are taken for wide ones.
WIDTHS = {" ": 278, ",": 278, ".": 278, "-": 333, "(": 333, ")": 333, "=": 584, "k": 500, "i": 222, "l": 222, "m": 833}
LOSS = st.none() | st.floats(0, 1).map(lambda loss: round(loss, 3))


def chart_of(sweep: Sweep) -> Chart:
    chart = map_chart(sweep)
    assert chart is not None
    return chart


def placed(element: Element, x: float, y: float) -> list[tuple[Element, float, float]]:
    """Every element below with the place that it is moved to."""
    found = []
    for one in element.inside:
        if isinstance(one, Element):
            moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", one.attributes.get("transform") or "")
            here = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
            found += [(one, *here), *placed(one, *here)]
    return found


def drawn(chart: Chart) -> tuple[dict[str, Box], list[tuple[float, float, str]], float]:
    """The boxes of names, the places of points with their colour, and how wide the drawing is."""
    page = read_page(svg_of(chart))
    (svg,) = page.all("svg")
    names: dict[str, Box] = {}
    points = []
    for one, x, y in placed(svg, 0, 0):
        kind = one.attributes.get("aria-roledescription")
        if one.tag == "text" and kind == "text mark":
            width = sum(WIDTHS.get(letter, 556) for letter in one.text) * 11 / 1000
            left = x if one.attributes["text-anchor"] == "start" else x - width
            assert (one.text, one.attributes["font-size"]) not in names
            names[f"{one.text}@{x},{y}"] = (left, y - 8, left + width, y + 2)
        if one.tag == "path" and kind == "point":
            points.append((x, y, one.attributes["fill"] or ""))
    return names, points, float(svg.attributes["width"] or 0)


def meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def check_names(chart: Chart) -> int:
    """How many points have a name; none lies on another, on a point or outside."""
    names, points, width = drawn(chart)
    assert len(points) == len(chart.records)
    assert len(names) == sum(bool(record["align"]) for record in chart.records)
    for (one, box), (other, second) in combinations(names.items(), 2):
        assert not meet(box, second), (one, other)
    for name, box in names.items():
        assert box[0] >= 0, name
        assert box[2] <= width, name
        for x, y, _ in points:
            assert not (box[0] < x < box[2] and box[1] < y < box[3]), name
    return len(names)


def test_points_are_where_risk_and_loss_put_them() -> None:
    sweep = swept("disassociate", {"k": [2, 5, 10, 25]}, [0.1, 0.2, 0.3, 0.9])
    chart = chart_of(sweep)
    assert [one["risk"] for one in chart.records] == [1 / 2, 1 / 5, 1 / 10, 1 / 25]
    assert [one["loss"] for one in chart.records] == pytest.approx([0.1, 0.2, 0.3, 0.9])
    assert [one["setting"] for one in chart.records] == [f"k = {k}" for k in (2, 5, 10, 25)]
    _, points, _ = drawn(chart)
    across, down = [x for x, _, _ in points], [y for _, y, _ in points]
    assert across == sorted(across)  # more loss is further right
    assert down == sorted(down)  # less risk is further down
    steps = [after - before for before, after in pairwise(across)]
    assert steps[2] / steps[0] == pytest.approx(6)


def test_the_knee_is_marked_where_the_sweep_has_it() -> None:
    sweep = swept("disassociate", {"k": [10, 2, 5, 25], "m": [2, 3]}, [0.1, 0.2, 0.3, 0.9, 0.1, 0.12, 0.5, 0.9])
    chart = chart_of(sweep)
    knees = [curve.knee.place for curve in sweep.curves if curve.knee is not None]
    assert len(knees) == 2
    assert [at for at, one in enumerate(chart.records) if one["place"] == "knee"] == sorted(knees)
    fronts = {place for curve in sweep.curves for place in curve.front}
    assert {at for at, one in enumerate(chart.records) if one["place"] != "beaten"} == fronts
    for place in knees:
        assert chart.records[place]["setting"] == sweep.points[place].name
        assert f"the knee is at {sweep.points[place].name}" in chart.says
    report = shoal.report(sweep)
    told = [key.value for key in report.keys if key.label == "Knee"]
    assert told == [sweep.points[place].name for place in knees]


def test_a_setting_that_another_beats_is_off_the_front_and_off_the_line() -> None:
    sweep = swept("disassociate", {"k": [2, 5, 10, 25]}, [0.1, 0.95, 0.3, 0.9])
    chart = chart_of(sweep)
    assert [one["place"] for one in chart.records] == ["front", "beaten", "knee", "front"]
    marks = [one.attributes for one in read_page(svg_of(chart)).all("path")]
    (line,) = [one["d"] or "" for one in marks if one.get("aria-roledescription") == "line mark"]
    along = [float(part.split(",")[0]) for part in line.removeprefix("M").split("L")]
    across = [x for at, (x, _, _) in enumerate(drawn(chart)[1]) if at != 1]
    # From the first to the last, wherever the axes begin.
    assert [x - along[0] for x in along] == pytest.approx([x - across[0] for x in across], abs=0.01)
    points = [one for one in marks if one.get("aria-roledescription") == "point"]
    sizes = [max(map(float, re.findall(r"[\d.]+", one["d"] or ""))) for one in points]
    assert max(sizes) == sizes[2]  # the knee is the largest, and a shape of its own
    assert [points[2]["d"] == one["d"] for one in points] == [False, False, True, False]
    assert points[0]["d"] == points[3]["d"] != points[1]["d"]


def test_several_curves_have_colours_of_their_own() -> None:
    sweep = swept("disassociate", {"k": [2, 5, 10], "m": [2, 3]}, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    chart = chart_of(sweep)
    assert [one["curve"] for one in chart.records] == ["m = 2"] * 3 + ["m = 3"] * 3
    _, points, _ = drawn(chart)
    assert [colour for *_, colour in points] == [PALETTE["after"].light] * 3 + [PALETTE["second"].light] * 3
    assert chart.says.startswith("With m = 2 the knee is at ")
    assert "; with m = 3 the knee is at " in chart.says
    assert check_names(chart) > 2


def test_more_curves_than_colours_are_drawn_too() -> None:
    sweep = swept("disassociate", {"k": [2, 5], "m": [1, 2, 3, 4, 5]}, [n / 10 for n in range(10)])
    chart = chart_of(sweep)
    colours = [colour for *_, colour in drawn(chart)[1]]
    assert len(set(colours)) == 4
    check_names(chart)


def test_points_without_a_loss_are_left_out() -> None:
    chart = chart_of(swept("disassociate", {"k": [2, 5, 10]}, [0.1, None, 0.3]))
    assert [one["setting"] for one in chart.records] == ["k = 2", "k = 10"]
    assert check_names(chart) == 2


def test_one_point_is_a_map_too() -> None:
    chart = chart_of(swept("disassociate", {"k": [2, 5]}, [None, 0.3]))
    assert [(one["setting"], one["place"]) for one in chart.records] == [("k = 5", "front")]
    assert chart.says.startswith("There is no knee: ")
    assert check_names(chart) == 1


def test_points_in_one_place_share_no_name() -> None:
    chart = chart_of(swept("disassociate", {"k": [2, 5], "m": [2, 3]}, [0.5, 0.5, 0.5, 0.5]))
    check_names(chart)


def test_without_a_loss_there_is_no_map() -> None:
    assert map_chart(swept("disassociate", {"k": [2, 5]}, [None, None])) is None


@settings(max_examples=30)
@given(st.lists(LOSS, min_size=8, max_size=8))
def test_names_lie_on_no_other_name_and_no_point(losses: list[float | None]) -> None:
    sweep = swept("disassociate", {"k": [2, 5, 10, 25], "m": [2, 3]}, losses)
    if all(loss is None for loss in losses):
        assert map_chart(sweep) is None
    else:
        check_names(chart_of(sweep))


@settings(max_examples=15)
@given(st.lists(st.floats(0, 1), min_size=16, max_size=16))
def test_names_of_two_parameters_are_longer_and_lie_on_nothing_either(losses: list[float]) -> None:
    grid = {"keep_prob": [0.95, 0.9, 0.8, 0.7], "fakes": [0.5, 1.0, 3.0, 9.0]}
    check_names(chart_of(swept("hybrid", grid, losses)))


def test_a_knee_is_named_first() -> None:
    losses = [0.1, 0.11, 0.12, 0.9]
    sweep = swept("disassociate", {"k": [2, 5, 10, 25]}, losses)
    records = chart_of(sweep).records
    (knee,) = [one for one in records if one["place"] == "knee"]
    assert knee["align"]
    assert str(knee["name"]).endswith("knee)") or knee["name"] == "knee"
