"""What came of jobs: as JSON and back, what is worth keeping, and the table of them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from shoal.study.compare import Comparison
from shoal.study.outcome import Job, Measuring, Outcome
from shoal.study.outcome_table import kept_columns, outcome_arrow, outcome_lines
from tests.making.study_data import metric, outcome

IMPOSSIBLE = Outcome(Job("dls", "dls", {"k": 9, "m": 2, "max_cluster_size": None}), "impossible", "too few records")


def test_an_outcome_comes_back_from_json_as_it_was() -> None:
    for one in (
        outcome("a", metric("tKd", 0.5), metric("NCP", None), left_out=("chance",), promises=("so and so",)),
        outcome("b", failures=("FAILS",)),
        IMPOSSIBLE,
    ):
        text = json.dumps(one.as_dict(), allow_nan=False)  # which has no infinity
        assert Outcome.from_dict(json.loads(text)) == one


@pytest.mark.parametrize(
    ("one", "lasting", "code"),
    [
        (outcome("a"), True, 0),
        (IMPOSSIBLE, True, 0),
        (outcome("a", failures=("FAILS",)), False, 4),
        (outcome("a", checks=0), False, 0),
        (Outcome(IMPOSSIBLE.job, "failed", "disk full"), False, 2),
        (Outcome(IMPOSSIBLE.job, "failed", "a bug", bug=True), False, 4),
    ],
)
def test_only_what_would_come_out_again_lasts_and_bugs_are_seen_at_the_end(
    one: Outcome, lasting: bool, code: int
) -> None:
    assert (one.lasting, one.exit_code) == (lasting, code)
    beside = Comparison((outcome("b"), one), "baskets", "", Measuring())
    assert beside.exit_code == code


def test_a_comparison_in_which_nothing_is_possible_is_impossible() -> None:
    assert Comparison((IMPOSSIBLE, IMPOSSIBLE), "baskets", "", Measuring()).exit_code == 3


def test_the_best_of_each_direction_is_marked_but_never_what_was_not_verified() -> None:
    rows = [
        outcome("one", metric("tKd", 0.25), metric("kept", 0.5, higher=True), metric("same", 1.0)),
        outcome("two", metric("tKd", 0.5), metric("kept", 0.75, higher=True), metric("same", 1.0)),
        outcome("bad", metric("tKd", 0.0), metric("kept", 1.0, higher=True), failures=("FAILS",)),
        IMPOSSIBLE,
    ]
    columns = kept_columns(rows, ["tKd", "kept", "same"])
    assert [column.best(rows) for column in columns] == [0.25, 0.75, None]
    lines = {line.split()[0]: line.split() for line in outcome_lines(rows, ["tKd", "kept", "same"]) if line.strip()}
    head = outcome_lines(rows, ["tKd", "kept", "same"])[:2]
    assert head[0].split() == ["peak", "size"]
    assert head[1].split() == [
        "method:",
        "what",
        "it",
        "promises",
        "holds",
        "tKd",
        "kept",
        "same",
        "CPU",
        "s",
        "MB",
        "MB",
    ]
    assert lines["one"] == ["one", "yes", "0.250*", "0.500", "1.00", "0.500", "200", "4.00"]
    assert lines["two"] == ["two", "yes", "0.500", "0.750*", "1.00", "0.500", "200", "4.00"]
    assert lines["bad"][:3] == ["bad", "NO", "0.000"]
    assert lines["dls"] == ["dls", "impossible"]
    text = " ".join(" ".join(outcome_lines(rows, ["tKd", "kept", "same"])).split())
    assert "lower is better: tKd, same; higher is better: kept." in text
    assert "Promises differ" in text
    assert "dls: impossible: too few records" in text
    assert "150 MB of it were in use before publishing began" in text
    assert "every item kept with probability 0.9, else flipped" in text
    assert "Promises differ" not in " ".join(outcome_lines(rows[:2], ["tKd"]))


def test_parts_are_columns_only_where_there_is_no_whole() -> None:
    one = outcome("one", metric("NCP", 0.5), metric("NCP", 0.1, part="age"), metric("re", 0.2, part="0-20"))
    two = outcome("two", metric("other", 1.0), metric("NCP", None))
    assert [column.label for column in kept_columns([two, one], ["re", "NCP"])] == ["re 0-20", "NCP"]


def test_what_has_no_value_says_why() -> None:
    one, two = outcome("one", metric("tKd", 0.5)), outcome("two", replace(metric("tKd", None), reason="it is noise"))
    text = " ".join(outcome_lines([one, two], ["tKd"]))
    assert "two: no tKd, because it is noise" in text
    assert "because" not in " ".join(outcome_lines([one, two], ["other"]))  # of what is not shown
    assert "one: no" not in text


def test_the_table_as_arrow_has_a_row_for_each_job() -> None:
    table = outcome_arrow([outcome("one", metric("tKd", 0.25)), IMPOSSIBLE], ["tKd"])
    assert table["tKd"].to_pylist() == [0.25, None]
    assert table["verified"].to_pylist() == [True, None]
    assert table["peak_bytes"].to_pylist() == [200_000_000, None]
    assert table["promise"].to_pylist()[1] == "k^m of what was not suppressed, k = 9, m = 2"
    comparison = Comparison((outcome("one", metric("tKd-ML2", 0.5)),), "baskets", "", Measuring())
    assert "tKd-ML2" in comparison.to_arrow().column_names
    assert "tKd-ML2" not in replace(comparison, made=("items",)).to_arrow().column_names
