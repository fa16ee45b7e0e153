"""Charts of reports: their records are the numbers that were measured, and what is drawn are their records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.data.item_hierarchies import neighbours
from shoal.io.release_folder import read_release
from shoal.measuring.baskets.errors_by_rank import errors_by_rank
from shoal.measuring.baskets.item_supports import supports_beside
from shoal.measuring.baskets.pairs_by_frequency import pairs_by_frequency
from shoal.measuring.baskets.pairs_kept import pairs_told
from shoal.measuring.baskets.views import view_of
from shoal.methods import METHODS
from shoal.reporting.drawing import svg_of
from shoal.reporting.page import Chart, Report
from shoal.run import Run
from tests.checking.report_html import Element, read_page
from tests.making.sweeps import swept

Reported = Callable[..., Report]
Released = Callable[..., tuple[Path, Any]]
BASKETS = [name for name, method in METHODS.items() if method.about == "baskets"]
RANK = "rank of the first of twenty items, by frequency", "mean relative error (re, 0 to 2)"
WITH_BOTH = "records of the original with both items"
# What axes say that they count, by the names of charts.
UNITS = {
    "risk": {"share of people, or probability"},
    "top-items": {"records"},
    "cluster-sizes": {"records per cluster", "clusters"},
    "term-chunks": {"items per term chunk", "clusters"},
    "class-sizes": {"rows per group", "groups"},
    "row-lengths": {"items per row", "rows"},
    "item-groups": {"items", "published names"},
    "ncp": {"NCP: 0 unchanged, 1 nothing left"},
    "hidden-cells": {"share of the cells"},
    "pairs-kept": {WITH_BOTH, "share of occurrences kept"},
    "error-by-rank": set(RANK),
    "frontier": {"rows, as a multiple of the original's", "expected error, as a multiple of 0.01"},
    "risk-utility": {"loss: 1 - pairs kept", "risk that follows from the promise"},
    "cost-cpu": {"CPU seconds, of all threads"},
    "cost-memory": {"MB at the peak, data included"},
    "cost-size": {"MB on disk"},
    "kept-pairs-kept": {"pairs kept"},
    "kept-tkd": {"tKd"},
}


def marks(chart: Chart, kind: str) -> list[Element]:
    """The marks of a kind that were drawn, in the order of the records."""
    drawn = read_page(svg_of(chart)).every()
    return [one for one in drawn if one.tag != "g" and one.attributes.get("aria-roledescription") == kind]


def said(mark: Element) -> dict[str, str]:
    """What a mark is drawn from: the fields of its place and its colour."""
    return dict(part.split(": ", 1) for part in (mark.attributes["aria-label"] or "").split("; "))


def check_units(chart: Chart) -> None:
    axes = [one for one in read_page(svg_of(chart)).all("g") if one.attributes.get("aria-roledescription") == "axis"]
    labels = [one.attributes["aria-label"] or "" for one in axes]
    numbers = [label for label in labels if "linear scale" in label or "log scale" in label]
    assert numbers
    assert all(" titled '" in label for label in numbers)
    titles = {found[1] for label in labels if (found := re.search("titled '(.*?)' for a", label))}
    assert titles - {"known items"} == UNITS[chart.name]


def check_names(chart: Chart) -> None:
    """Every name that a line or a group of bars has is drawn: none was left out for want of room."""
    names = {field["field"] for field in chart.spec["encoding"].values() if field.get("type") == "nominal"}
    texts = read_page(svg_of(chart)).all("text")
    drawn = Counter(one.text for one in texts if float(one.attributes.get("opacity") or 1) > 0)
    for field in names & {"label", "group"}:
        wanted = {str(record[field]) for record in chart.records}
        assert all(drawn[name] for name in wanted), wanted - set(drawn)


def check_bars(chart: Chart) -> None:
    """Bars as long as their values, and texts that are the values."""
    bars = [one.attributes["d"] or "" for one in marks(chart, "bar")]
    values = [float(record[chart.bars] or 0) for record in chart.records]
    assert len(bars) == len(values)
    sides = [re.match(r"M[-\d.e]+,[-\d.e]+h([-\d.e]+)v([-\d.e]+)", path) for path in bars]
    lying = chart.spec["encoding"]["y"].get("type") == "nominal"
    lengths = [float(side[1 if lying else 2]) for side in sides if side]
    longest, most = max(lengths), max(values)
    assert longest > 0
    assert lengths == pytest.approx([longest * value / most for value in values], abs=1e-6)
    if lying:
        wanted = [str(record.get("text", f"{value:.1%}")) for record, value in zip(chart.records, values, strict=True)]
        assert [one.text for one in marks(chart, "text mark")] == wanted


def check_points(chart: Chart, fields: dict[str, type]) -> None:
    """Points where the records say, series by series."""
    points = [said(one) for one in marks(chart, "point")]
    order = [name for name, kind in fields.items() if kind is str]
    wanted = sorted(chart.records, key=lambda one: [one[name] for name in order])
    found = sorted(points, key=lambda one: [one[name] for name in order])
    assert len(found) == len(wanted)
    for point, record in zip(found, wanted, strict=True):
        for name, kind in fields.items():
            assert kind(point[name]) == (record[name] if kind is str else pytest.approx(record[name]))


POINTS = {
    "error-by-rank": {"series": str, "group": str, "value": float},
    "frontier": {"series": str, "rows": float, "error": float},
    "risk-utility": {"place": str, "curve": str, "risk": float, "loss": float},
}


def check_chart(chart: Chart) -> None:
    check_units(chart)
    check_names(chart)
    if chart.bars:
        check_bars(chart)
    elif chart.name in POINTS:
        check_points(chart, POINTS[chart.name])
    else:
        assert chart.name == "top-items"
        for mark, fields in (("rule mark", ("low", "high")), ("point", ("told",)), ("tick", ("before",))):
            if fields[0] in chart.records[0]:
                drawn = [[float(said(one)[field].replace(",", "")) for field in fields] for one in marks(chart, mark)]
                assert drawn == [[record[field] for field in fields] for record in chart.records]


@pytest.mark.parametrize("public", [False, True], ids=["internal", "public"])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_drawn_are_the_records_in_their_units(method: str, public: bool, reported: Reported) -> None:
    for chart in reported(method, public).charts:
        check_chart(chart)


def test_so_are_maps_and_bars_of_studies() -> None:
    report = shoal.report(swept("disassociate", {"k": [2, 5, 10, 25]}, [0.1, 0.2, 0.3, 0.9]))
    assert {chart.name for chart in report.charts} >= {"risk-utility", "cost-cpu"}
    for chart in report.charts:
        check_chart(chart)


def records_of(report: Report, name: str) -> list[dict[str, Any]]:
    return [dict(record) for chart in report.charts if chart.name == name for record in chart.records]


@pytest.mark.parametrize("method", BASKETS)
def test_supports_pairs_and_errors_are_those_measured(method: str, reported: Reported, released: Released) -> None:
    folder, original = released(method)
    report, release = reported(method), read_release(folder)
    tree = neighbours(original.words) if method == "km-generalization" else None
    view = view_of(original, release, hierarchy=tree, run=Run(chance=0))
    told = supports_beside(original, release, hierarchy=tree)
    wanted = {
        name: (
            int(original.supports[at]),
            *(pytest.approx(part[at], abs=0.01) for part in (told.low, told.told, told.high)),
        )
        for at, name in enumerate(told.names)
    }
    found = records_of(report, "top-items")
    assert {one["item"]: (one["before"], one["low"], one["told"], one["high"]) for one in found} == wanted
    pairs = pairs_by_frequency(view, pairs_told(original, view))
    assert pairs
    pairs = tuple(one for one in pairs if any(pair.kept for pair in pairs))  # bars of no length are told in words
    groups = [(f"{one.least}" if one.least == one.most else f"{one.least}-{one.most}", one) for one in pairs]
    assert [
        (one["group"], one["series"], one["pairs"], one["occurrences"], one["value"])
        for one in records_of(report, "pairs-kept")
    ] == [
        (group, series, one.pairs, one.occurrences, value)
        for group, one in groups
        for series, value in in_series(one.kept, one.certain, "certain")
    ]
    ranks = errors_by_rank(original, view)
    assert [
        (one["group"], one["items"], one["series"], one["value"]) for one in records_of(report, "error-by-rank")
    ] == [
        (f"{one.start}", one.items, series, value)
        for one in ranks
        for series, value in in_series(one.told, one.certain, "certain only")
    ]
    assert ranks


def in_series(told: float, certain: float | None, sure: str) -> list[tuple[str, float]]:
    return [("told", told)] if certain is None else [("expected", told), (sure, certain)]


@pytest.mark.parametrize("method", METHODS)
def test_sizes_and_shares_are_those_of_the_release(method: str, reported: Reported, released: Released) -> None:
    release, report = read_release(released(method)[0]), reported(method, True)
    wanted = {
        "cluster-sizes": lambda: release.cluster_size[release.is_leaf],
        "term-chunks": lambda: [
            int(release.term_offsets[at + 1] - release.term_offsets[at])
            for at in range(len(release.is_leaf))
            if release.is_leaf[at]
        ],
        "class-sizes": lambda: release.group_sizes,
        "row-lengths": lambda: release.lengths,
        "item-groups": lambda: release.tree.leaves[release.is_held],
    }
    histograms = [chart for chart in report.charts if chart.bars == "number"]
    assert histograms
    for chart in histograms:
        found = {int(str(one["size"])): one["number"] for one in chart.records if one["number"]}
        assert found == Counter(int(size) for size in wanted[chart.name]())
    for name, metric in (("ncp", "NCP"), ("hidden-cells", "hidden cells")):
        parts = records_of(report, name)
        if parts:
            assert {one["column"]: one["value"] for one in parts} == {
                one.part: one.value for one in shoal.measure(None, release) if one.name == metric and one.part
            }
