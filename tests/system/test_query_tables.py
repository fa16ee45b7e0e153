"""``shoal query`` on releases of tables, from outside: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal as library
from shoal.run import Run
from tests.making.bucketized_from_dicts import PATIENTS, arrow_of
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
# The people of Table II, with diseases that can be published with l = 3.
GROUPS = [
    (rows, values)
    for (rows, _), values in zip(
        PATIENTS,
        (["Flu", "Cold", "Cough"], ["Flu", "Heart Disease", "Cold"], ["Heart Disease", "Flu", "Cough"]),
        strict=True,
    )
]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    people = library.read_table(
        arrow_of(
            [{**row, "disease": value} for part, values in GROUPS for row, value in zip(part, values, strict=True)]
        ),
        quasi=["zip", "age", "sex"],
        sensitive="disease",
    )
    library.anatomy(people, 3, run=Run(chance=1)).write("release")
    return "release"


def test_several_queries_as_a_table(capfd: Captured, release: str) -> None:
    code, out, err = shoal(capfd, "query", release, "sex = M and disease = Flu", "age in 30..40")
    assert (code, err) == (0, "")
    assert "of 9 rows" in out
    said = library.read_release(release).count("sex = M and disease = Flu")  # type: ignore[union-attr]
    row = next(line for line in out.splitlines() if "disease = Flu" in line)
    numbers = [str(said.least), str(said.most), f"{said.expected:.1f}", f"{said.deviation:.1f}"]
    assert row.split()[-4:] == numbers
    row = next(line for line in out.splitlines() if "30..40" in line)
    assert row.split()[-4:] == ["3", "3", "3.0", "0.0"]
    assert "minimum" not in out


def test_json_is_what_python_returns_and_of_gives_numbers(capfd: Captured, release: str) -> None:
    query = "disease in {Flu, 'Heart Disease'} and age > 25"
    code, out, err = shoal(capfd, "query", release, query, "--of", "age", "--json")
    assert (code, err) == (0, "")
    opened = library.read_release(release)
    counted, numbers = opened.count(query), opened.aggregate(query, of="age")  # type: ignore[union-attr]
    only = json.loads(out)["counts"][0]
    assert json.loads(out)["rows"] == 9
    assert list(only)[1:5] == ["least", "most", "expected", "deviation"]
    assert only.items() >= {name: vars(counted)[name] for name in list(only)[1:5]}.items()
    assert (
        json.loads(out)["expected_if"] == counted.model == "every way to hand a group's values to its rows is as likely"
    )
    assert only["of"]["average"] == vars(numbers.average)
    assert only["of"]["expected_average"] == numbers.expected_average


def test_what_is_uncertain_is_said(capfd: Captured, release: str) -> None:
    code, out, _ = shoal(capfd, "query", release, "age = 29 and disease = Flu", "sex = M", "--of", "age")
    said = " ".join(out.split())
    assert code == 0
    assert "Where no row is certain to meet them, the bounds are those of the originals in which some do." in said
    assert "the expected average is the expected sum by the expected count" in said
    code, out, _ = shoal(capfd, "query", release, "age in 1..2 and disease = Flu", "--of", "age")
    assert code == 0
    assert "no row can meet the conditions and have a number" in " ".join(out.split())


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], "nothing is asked: write conditions"),
        (["agee > 3"], "character 1: no such column: 'agee' (did you mean 'age'?)"),
        (["disease = flu"], "did you mean 'Flu'?"),
        (["sex > 3"], "column 'sex' holds no numbers"),
        (['disease = "Heart Disease'], "character 11: a quote is left open"),
        (["disease = Heart Disease"], "a value with blanks or commas in it needs quotes"),
        (["age > 3", "--of", "sex"], "column 'sex' holds no numbers"),
        (["age > 3", "--of", "ages"], "no such column: 'ages' (did you mean 'age'?)"),
        (["age > 3", "--none-of", "x"], "--none-of and --term-items are about items"),
        (["age > 3", "--term-items", "uniform"], "--none-of and --term-items are about items"),
    ],
)
def test_a_mistake_is_named(capfd: Captured, release: str, command: list[str], message: str) -> None:
    code, out, err = shoal(capfd, "query", release, *command)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_the_mark_stands_below_the_mistake(capfd: Captured, release: str) -> None:
    _, _, err = shoal(capfd, "query", release, "age > 3 and sex > 3")
    _, query, mark = err.splitlines()
    assert query[mark.index("^") :].startswith("sex")


def test_of_is_not_for_baskets(capfd: Captured, tmp_path: Path) -> None:
    folder = tmp_path / "baskets"
    library.disassociate(library.read([{"tea", "milk"}] * 4), k=2, m=2).write(folder)
    code, out, err = shoal(capfd, "query", folder, "tea", "--of", "age")
    assert (code, out) == (2, "")
    assert "--of is about columns" in err
