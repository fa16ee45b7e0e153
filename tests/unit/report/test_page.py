"""Reports as data: plain, whole, and without what JSON does not have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.methods import METHODS
from shoal.reporting.charts import lying_bars
from shoal.reporting.page import INTERNAL, PUBLIC, Chart, Code, Grid, Key, Listed, Report, Section, Words, finite

BARS = lying_bars("bars", "Bars", "No bar has a length.", [{"label": "a", "value": 0.0}], {"value": "length"}, unit="u")
EMPTY = Chart("none", "Nothing", "There is no record.", (), {}, {})
FULL = lying_bars("full", "Full", "One bar.", [{"label": "a", "value": 0.5}], {"value": "length"}, unit="u")


def test_a_chart_in_which_there_is_nothing_to_see_is_told_in_words() -> None:
    section = Section("one", "One", (BARS, FULL, EMPTY, Words("w")))
    assert section.blocks == (
        Words("Bars: No bar has a length.", "note"),
        FULL,
        Words("Nothing: There is no record.", "note"),
        Words("w"),
    )
    report = Report("title", "public", "lead", (), (section,))
    assert report.charts == (FULL,)


def test_points_at_zero_are_something_to_see() -> None:
    assert not Chart("points", "Points", "All at 0.", ({"x": 0, "y": 0},), {}, {}).is_blank


def test_as_data_a_report_says_all_that_it_holds() -> None:
    blocks = (
        Words("w", "bad"),
        Listed(("a", "b")),
        Grid("grid", ("h",), (("c",),), folded=True),
        Code("run", "sh", "ls"),
        FULL,
    )
    report = Report("title", "internal", "lead", (Key("k", "v", "good"),), (Section("one", "One", blocks),))
    plain = report.as_dict()
    assert plain["sections"] == [
        {
            "name": "one",
            "title": "One",
            "blocks": [
                {"kind": "words", "text": "w", "tone": "bad"},
                {"kind": "listed", "sentences": ["a", "b"]},
                {"kind": "grid", "title": "grid", "heads": ["h"], "rows": [["c"]], "folded": True},
                {"kind": "code", "title": "run", "language": "sh", "text": "ls"},
                {"kind": "chart", **finite(FULL.as_dict())},
            ],
        }
    ]
    assert plain["sections"][0]["blocks"][4]["records"] == [{"label": "a", "value": 0.5}]
    del plain["sections"]
    key = {"label": "k", "value": "v", "tone": "good"}
    assert plain == {"title": "title", "audience": "internal", "mark": INTERNAL, "lead": "lead", "keys": [key]}


def test_the_mark_is_that_of_the_audience() -> None:
    assert Report("t", "internal", "", (), ()).mark == INTERNAL
    assert Report("t", "public", "", (), ()).mark == PUBLIC


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.floats(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@example((float("inf"), {"a": float("-inf"), "b": (float("nan"), 1.5)}))
@given(PLAIN)
def test_what_json_has_no_number_for_is_null_and_everything_else_stays(value: Any) -> None:
    found = json.loads(json.dumps(finite(value), allow_nan=False))
    assert found == by_hand(value)


def by_hand(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: by_hand(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return [by_hand(entry) for entry in value]
    return None if value in (float("inf"), float("-inf")) or value != value else value


@pytest.mark.parametrize("public", [False, True], ids=["internal", "public"])
@pytest.mark.parametrize("method", METHODS)
def test_every_report_is_valid_json(method: str, public: bool, reported: Callable[..., Report]) -> None:
    report = reported(method, public)
    text = json.dumps(report.as_dict(), allow_nan=False)
    assert json.loads(text) == report.as_dict()
    assert report.audience == ("public" if public else "internal")
    names = [chart.name for chart in report.charts]
    assert len(names) == len(set(names))
    for chart in report.charts:
        assert set(chart.columns) <= set(chart.records[0])
        assert chart.says.strip().endswith(".")


def test_the_public_names_are_there() -> None:
    assert callable(shoal.report)
