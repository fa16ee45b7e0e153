"""Reports on comparisons and sweeps: every outcome, also those that came to nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import shoal
from shoal.errors import InputError
from shoal.reporting.page import Chart, Grid, Key, Listed, Report, Section, Words
from shoal.study.compare import Comparison
from shoal.study.outcome import Job, Measuring, Outcome
from tests.making.study_data import metric, outcome
from tests.making.sweeps import swept

SETTINGS = {"k": 3, "m": 2, "max_cluster_size": None}
IMPOSSIBLE = Outcome(Job("no way", "disassociate", SETTINGS), "impossible", "there are too few records")
FAILED = Outcome(Job("out of memory", "dls", SETTINGS), "failed", "the process was ended")
FIRST = outcome("first", metric("tKd", 0.25), metric("pairs kept", 0.5, higher=True), not_promised=("a", "a", "b"))
SECOND = outcome("second", metric("tKd", 0.75), metric("pairs kept", 0.75, higher=True), left_out=("noise",))
BROKEN = outcome("broken", metric("tKd", 0.0), failures=("order:\n   rows are  mixed",))


def compared(*outcomes: Outcome, **changes: Any) -> Report:
    fields = {"about": "baskets", "size": "60 records", "measuring": Measuring(), **changes}
    return shoal.report(Comparison(outcomes, **fields))


def section(report: Report, name: str) -> Section:
    return next(one for one in report.sections if one.name == name)


def grid(found: Section, title: str) -> Grid:
    return next(block for block in found.blocks if isinstance(block, Grid) and block.title == title)


def words(found: Section, kind: str) -> list[str]:
    return [block.text for block in found.blocks if isinstance(block, Words) and block.kind == kind]


def charts(found: Section) -> dict[str, Chart]:
    return {block.name: block for block in found.blocks if isinstance(block, Chart)}


def test_a_comparison_says_what_came_of_every_method() -> None:
    report = compared(FIRST, SECOND, IMPOSSIBLE, FAILED, BROKEN)
    assert (report.audience, report.title) == ("internal", "Methods compared")
    promises = section(report, "promises")
    rows = grid(promises, "").rows
    assert [(row[0], row[1]) for row in rows] == [
        ("first", "yes"),
        ("second", "as far as was checked"),
        ("no way", "impossible"),
        ("out of memory", "failed"),
        ("broken", "NO"),
    ]
    assert rows[2][2] == "k^m, k = 3, m = 2"
    assert words(promises, "note") == [
        "no way: there are too few records",
        "out of memory: the process was ended",
    ]
    assert words(promises, "bad") == ["broken: order: rows are mixed"]
    assert grid(promises, "What is not promised").rows == (("first", "a"), ("first", "b"))
    assert report.keys == (
        Key("Releases made, verified from disk and deleted", "2 of 5", "bad"),
        Key("Not possible, or failed", "no way, out of memory"),
    )


def test_it_is_said_that_promises_differ_and_risks_are_on_no_one_scale() -> None:
    assert any(
        "several releases of the same people undo each other" in text
        for text in words(section(compared(FIRST), "what"), "note")
    )
    sweep = shoal.report(swept("disassociate", {"k": [2, 5, 10]}, [0.1, 0.2, 0.3]))
    assert "Risks of different methods are not on one scale." in words(section(sweep, "map"), "plain")[0]


def test_the_least_and_the_most_that_was_taken_are_said() -> None:
    assert SECOND.costs is not None
    slow = replace(SECOND, costs=replace(SECOND.costs, publish_seconds=9000.0))
    cost = charts(section(compared(FIRST, slow), "cost"))["cost-cpu"]
    least, most = (str(one["text"]) for one in cost.records)
    assert least != most
    assert cost.says == f"From {least} (first) to {most} CPU seconds (second)."
    same = charts(section(compared(FIRST, replace(SECOND, costs=FIRST.costs)), "cost"))["cost-memory"]
    assert same.says == f"{same.records[0]['text']} MB each."
    alone = charts(section(compared(FIRST), "cost"))["cost-size"]
    assert alone.says == f"{alone.records[0]['text']} MB."


def test_numbers_of_a_comparison_are_those_of_its_outcomes() -> None:
    report = compared(FIRST, SECOND, IMPOSSIBLE)
    kept = section(report, "kept")
    assert set(charts(kept)) == {"kept-tkd", "kept-pairs-kept"}
    bars = charts(kept)["kept-tkd"]
    assert [(one["name"], one["value"], one["text"]) for one in bars.records] == [
        ("first", 0.25, "0.250"),
        ("second", 0.75, "0.750"),
    ]
    assert bars.says == "Lower is better. Best of the verified releases: first with 0.250."
    assert charts(kept)["kept-pairs-kept"].says == "Higher is better. Best of the verified releases: second with 0.750."
    numbers = grid(kept, "All numbers")
    assert numbers.heads == ("run", "tKd", "pairs kept")
    assert numbers.rows == (("first", "0.250", "0.500"), ("second", "0.750", "0.750"))
    costs = charts(section(report, "cost"))
    assert [[one["value"] for one in costs[name].records] for name in ("cost-cpu", "cost-memory", "cost-size")] == [
        [0.5, 0.5],
        [200, 200],
        [4, 4],
    ]
    settings = grid(section(report, "facts"), "Settings")
    assert settings.rows[0] == ("first", "mask", "keep-prob = 0.9")
    assert settings.rows[2] == ("no way", "disassociate", "k = 3, m = 2")
    assert report.keys[0].tone == "good"


def test_a_metric_that_one_method_lacks_is_a_dash_and_no_bar() -> None:
    only = outcome("only", metric("pairs kept", 0.5, higher=True), metric("tKd", None))
    kept = section(compared(FIRST, only), "kept")
    assert [one["name"] for one in charts(kept)["kept-tkd"].records] == ["first"]
    assert grid(kept, "All numbers").rows[1] == ("only", "-", "0.500")


def test_where_nothing_was_published_that_is_said() -> None:
    report = compared(IMPOSSIBLE, FAILED)
    assert words(section(report, "kept"), "note") == ["Nothing was measured."]
    assert words(section(report, "cost"), "note") == ["Nothing was published, so there is nothing to measure."]
    assert report.keys[0] == Key("Releases made, verified from disk and deleted", "0 of 2", "bad")
    assert not report.charts
    assert report.html()


def test_made_hierarchies_and_measures_are_told() -> None:
    report = compared(FIRST, made=("items",))
    said = " ".join(block.text for block in section(report, "what").blocks if isinstance(block, Words))
    assert "60 records, published by first." in said
    assert "the 1,000 most frequent itemsets are compared" in said
    assert "from a share of 0.01 on" in said
    assert "because none was given: items." in said
    tables = section(compared(FIRST, about="tables"), "what")
    assert "most frequent itemsets" not in " ".join(b.text for b in tables.blocks if isinstance(b, Words))


def test_charts_of_metrics_have_names_of_their_own() -> None:
    several = outcome(
        "all",
        *(metric("re", 0.5, part=part) for part in ("0-20", "200-220")),
        metric("sigma+", 0.5, part="at 0.01"),
        metric("sigma-", 0.25, part="at 0.01"),
    )
    report = compared(several, replace(several, job=replace(several.job, label="other")))
    names = [chart.name for chart in report.charts]
    assert len(names) == len(set(names)) == 7
    assert all(name.replace("-", "").isalnum() for name in names)
    assert "kept-sigma-plus-at-0-01" in names


def test_long_and_equal_names_are_told_apart_in_charts() -> None:
    labels = [f"disassociate,k=3,m={m},max-cluster-size=100" for m in (2, 3)]
    runs = [outcome(label, metric("tKd", 0.5)) for label in labels]
    records = charts(section(compared(*runs), "kept"))["kept-tkd"].records
    assert [one["name"] for one in records] == labels
    assert len({one["label"] for one in records}) == 2


def test_a_sweep_says_what_each_step_costs() -> None:
    sweep = swept("disassociate", {"k": [2, 5, 10, 25]}, [0.1, 0.2, 0.3, 0.9])
    report = shoal.report(sweep)
    assert [one.name for one in report.sections] == ["map", "steps", "promises", "kept", "cost", "facts"]
    assert report.audience == "internal"
    assert report.lead == "disassociate with 4 settings of k, on 8 records."
    (steps,) = section(report, "steps").blocks
    assert isinstance(steps, Listed)
    assert steps.sentences == tuple(f"{step.words}." for step in sweep.steps)
    assert len(steps.sentences) == 3
    assert report.charts[0].name == "risk-utility"
    knee = sweep.curves[0].knee
    assert knee is not None
    assert report.keys[-1] == Key("Knee", sweep.points[knee.place].name)
    said = " ".join(block.text for block in section(report, "map").blocks if isinstance(block, Words))
    assert sweep.risk in said
    assert "Loss: 1 - pairs kept." in said


def test_a_sweep_without_a_loss_has_no_map_and_says_so() -> None:
    sweep = swept("disassociate", {"k": [2, 5]}, [None, None])
    assert sweep.loss is None
    report = shoal.report(sweep)
    assert [type(block) for block in section(report, "map").blocks] == [Words, Words]
    assert words(section(report, "map"), "note") == ["Loss: nothing was measured, so there is no map."]
    assert words(section(report, "steps"), "note") == ["There are no steps."]
    assert not any(key.label == "Knee" for key in report.keys)
    assert report.html()


@pytest.mark.parametrize("state", ["impossible", "failed"])
def test_settings_that_came_to_nothing_are_told_and_not_drawn(state: str) -> None:
    sweep = swept(
        "disassociate", {"k": [2, 5]}, [0.1, 0.2], state=state, reason="no room", metrics=(), costs=None, checks=0
    )
    report = shoal.report(sweep)
    rows = grid(section(report, "promises"), "").rows
    assert [row[:2] for row in rows] == [("k=2", state), ("k=5", state)]
    assert words(section(report, "promises"), "note") == ["k=2: no room", "k=5: no room"]
    assert not report.charts
    assert report.keys[0].value == "0 of 2"
    assert report.html()


def test_of_many_knees_three_are_remembered() -> None:
    grid_of = {"k": [2, 5, 10, 25], "m": [1, 2, 3, 4]}
    sweep = swept("disassociate", grid_of, [0.1, 0.2, 0.3, 0.9] * 4)
    report = shoal.report(sweep)
    assert sum(curve.knee is not None for curve in sweep.curves) == 4
    assert [key.value for key in report.keys if key.label == "Knee"] == [f"m = {m}, k = 10" for m in (1, 2, 3)]


def test_reports_on_studies_are_valid_json_and_the_same_every_time() -> None:
    for _ in range(2):
        one, other = (compared(FIRST, SECOND, IMPOSSIBLE, BROKEN) for _ in range(2))
        assert one == other
        assert one.html() == other.html()
    infinite = outcome("infinite", metric("tKd", float("inf")), metric("pairs kept", 0.5, higher=True))
    report = compared(infinite, FIRST)
    assert json.loads(json.dumps(report.as_dict(), allow_nan=False)) == report.as_dict()
    assert report.html()


def test_nothing_but_a_study_is_reported_on() -> None:
    with pytest.raises(InputError, match=r"shoal.compare or shoal.sweep"):
        shoal.report(FIRST)


def test_what_shoal_compares_is_reported_on() -> None:
    data = shoal.read([{"tea", "milk"}, {"tea", "jam"}] * 10)
    found = shoal.compare(data, methods="disassociate,mask", k=3)
    report = shoal.report(found)
    assert report.keys[0].value == "2 of 2"
    assert {row[0] for row in grid(section(report, "kept"), "All numbers").rows} == {"disassociate", "mask"}
