"""``shoal measure`` on tables: bucketized releases, generalized files, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal as library
from shoal.run import Run
from tests.plugins.real_data import ADULT_COLUMNS
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
QUASI = "age,sex,education"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> str:
    monkeypatch.chdir(tmp_path)
    assert shoal(capfd, "generate", "people", "--rows", 300, "--seed", 1, "-o", "people.csv")[0] == 0
    return "people.csv"


@pytest.fixture
def release(people: str) -> str:
    table = library.read_table(people, quasi=QUASI.split(","), sensitive="diagnosis")
    library.anatomy(table, 3, run=Run(chance=1)).write("release")
    return "release"


@pytest.fixture
def generalized(people: str) -> str:
    lines = Path(people).read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in lines]
    for row in rows[1:]:
        row[0] = "young" if int(row[0]) < 50 else "old"
        row[1] = "*"
    Path("general.csv").write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
    ages = sorted({int(line.split(",")[0]) for line in lines[1:]})
    tree = [f"{age};{'young' if age < 50 else 'old'};*\n" for age in ages]
    Path("age.csv").write_text("".join(tree), encoding="utf-8")
    return "general.csv"


def test_a_bucketized_release_brings_its_columns(capfd: Captured, people: str, release: str) -> None:
    code, out, err = shoal(capfd, "measure", people, release, "--seed", 1, "--queries", 50, "--json")
    assert (code, err) == (0, "")
    table = library.read_table(people, quasi=QUASI.split(","), sensitive="diagnosis")
    found = library.measure(table, library.read_release(release), queries=50, run=Run(chance=1))  # type: ignore[arg-type]
    assert json.loads(out) == json.loads(json.dumps(found.as_dict()))
    code, out, _ = shoal(capfd, "measure", people, release, "--seed", 1, "--queries", 50)
    assert (code, out) == (0, f"{found}\n")


def test_all_settings_reach_the_measurement(capfd: Captured, people: str, release: str) -> None:
    settings = ["--dim", 2, "--sel", 0.3, "--queries", 20, "--min-support", 3, "--min-conviction", 1.2]
    code, out, _ = shoal(capfd, "measure", people, release, *settings, "--max-attributes", 2, "--json")
    said = json.loads(out)
    assert code == 0
    assert {name: said[name] for name in ("dim", "sel", "queries", "min_support", "min_conviction")} == {
        "dim": 2, "sel": 0.3, "queries": 20, "min_support": 3, "min_conviction": 1.2,
    }  # fmt: skip
    assert (said["max_attributes"], said["method"], said["rows"]) == (2, "anatomy", 300)


def test_a_generalized_table_with_a_hierarchy(capfd: Captured, people: str, generalized: str) -> None:
    columns = ["--quasi", QUASI, "--sensitive", "diagnosis"]
    code, out, err = shoal(
        capfd, "measure", people, generalized, *columns, "--hierarchy", "age=age.csv", "--seed", 1, "--json"
    )
    assert (code, err) == (0, "")
    said = json.loads(out)
    metrics = {metric["name"]: metric["value"] for metric in said["metrics"]}
    assert said["method"] == "generalized"
    assert metrics["rows kept"] == 1
    assert metrics["query error"] > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "name its columns with --quasi A,B and --sensitive COLUMN"),
        (["--quasi", QUASI, "--sensitive", "diagnosis"], "nor nodes of a hierarchy: none is given for it"),
        (["--quasi", "agee", "--sensitive", "diagnosis"], "no such column: 'agee' (did you mean 'age'?)"),
        (
            ["--quasi", QUASI, "--sensitive", "diagnosis", "--top", "5"],
            "--top is not about a generalized table: leave it out",
        ),
    ],
)
def test_mistakes_about_generalized_tables(
    capfd: Captured, people: str, generalized: str, options: list[str], said: str
) -> None:
    code, out, err = shoal(capfd, "measure", people, generalized, *options)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--dim", "4"], "dim is 4: there are only 3 quasi columns"),
        (["--sel", "1.5"], "sel is 1.5"),
        (["--queries", "0"], "queries is 0"),
        (["--min-support", "x"], "--min-support is 'x'"),
        (["--min-conviction", "-1"], "min_conviction is -1"),
        (["--max-attributes", "0"], "max_attributes is 0"),
        (["--quasi", "age"], "remove quasi and sensitive"),
        (["--hierarchy", "age=age.csv"], "--hierarchy is not about a bucketized release"),
        (["--range", "0-5", "--long", "a,b"], "--range is not about a bucketized release"),
        (["--seed", "-1"], "seed is -1"),
    ],
)
def test_options_out_of_range_are_one_message(
    capfd: Captured, people: str, release: str, options: list[str], said: str
) -> None:
    code, out, err = shoal(capfd, "measure", people, release, *options)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
    assert "Traceback" not in err


def test_other_data_than_the_original_are_refused(capfd: Captured, people: str, release: str) -> None:
    lines = Path(people).read_text(encoding="utf-8").splitlines()
    Path("other.csv").write_text("\n".join(lines[:200]) + "\n", encoding="utf-8")
    code, out, err = shoal(capfd, "measure", "other.csv", release)
    assert (code, out) == (2, "")
    assert "this is not a release of this original" in err


def test_table_options_are_not_for_baskets(capfd: Captured, tmp_path: Path) -> None:
    baskets = [{"tea", "milk"}] * 4
    library.disassociate(library.read(baskets), k=2, m=2).write(tmp_path / "release")
    Path(tmp_path / "baskets.dat").write_text("tea milk\n" * 4, encoding="utf-8")
    code, out, err = shoal(capfd, "measure", tmp_path / "baskets.dat", tmp_path / "release", "--dim", 2)
    assert (code, out) == (2, "")
    assert "--dim is not about a disassociated release" in err


def test_real_people_lose_most_rules_but_few_rows(
    capfd: Captured, tmp_path: Path, adult_folder: Path, on_sample: bool
) -> None:
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex"]
    options = {"column_names": ADULT_COLUMNS, "missing": "drop", "quasi": quasi, "sensitive": "occupation"}
    table = library.read_table(adult_folder / "adult.data", **options)
    library.anatomy(table, 6, run=Run(chance=1)).write(tmp_path / "release")
    names = ",".join(ADULT_COLUMNS)
    code, out, err = shoal(
        capfd, "measure", adult_folder / "adult.data", tmp_path / "release", "--column-names", names, "--missing",
        "drop", "--seed", 1, "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    metrics = {metric["name"]: metric for metric in json.loads(out)["metrics"]}
    assert metrics["rows kept"]["details"]["of"] == (782 if on_sample else 30718)
    assert 0.3 < metrics["confidence error"]["value"] < 0.7
    assert (0.5 if on_sample else 0.7) < metrics["query error"]["value"] < 1.3
