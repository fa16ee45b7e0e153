"""``shoal mine --negative``: what it prints and writes is what the Python function returns."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest

from shoal import negative_rules, read_background, read_hierarchy, read_table
from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [(30 + n % 9, "fm"[n % 2], "birth" if n % 6 == 0 else "gout" if n % 9 > 5 else "flu") for n in range(90)]
    lines = ["age,sex,ill", *(f"{age},{sex},{ill}" for age, sex, ill in rows), "40,?,flu", "?,m,flu"]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "age.csv"
    path.write_text("".join(f"{age};{'young' if age < 35 else 'old'};*\n" for age in range(30, 41)))
    return path


def test_the_rules_of_a_table_are_shown(capfd: Captured, people: Path) -> None:
    options = ["--negative", "--sensitive", "ill", "--missing", "drop"]
    code, out, err = shoal(capfd, "mine", people, *options, "--limit", "1")
    assert code == 0, err
    rules = negative_rules(read_table(people, quasi=["age", "sex"], sensitive="ill", missing="drop"), 0.9)
    assert f"{len(rules)} negative rules about ill in 90 rows, with an expectation of at least 0.9" in out
    assert "sex = m" in out
    assert "birth" in out
    assert f"the first 1 of {len(rules)}: --limit N shows more" in out
    assert "note: 2 rows with missing values left out" in err


def test_json_is_what_python_returns(capfd: Captured, people: Path, tree: Path) -> None:
    table = read_table(people, quasi="age", sensitive="ill", missing="keep")
    age = read_hierarchy(tree, column=table.column("age"), complete=True)
    wanted = negative_rules(table, 0.5, hierarchies={"age": age}, min_confidence=0.8, membership="minimum")
    numbers = ["--min-expectation", ".5", "--min-confidence", ".8", "--fuzzy", "minimum", "--missing", "keep"]
    columns = ["--sensitive", "ill", "--quasi", "age", "--hierarchy", f"age={tree}", "--complete"]
    code, out, err = shoal(capfd, "mine", people, "--negative", *numbers, *columns, "--json")
    assert code == 0, err
    assert json.loads(out) == wanted.to_arrow().to_pylist()
    assert any("age = young" in row["antecedent"] for row in json.loads(out))


def test_every_format_holds_all_of_them(capfd: Captured, people: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"rules.{suffix}" for suffix in ("json", "parquet", "csv")]
    for file in files:
        options = ["--sensitive", "ill", "--missing", "drop", "--max-attributes", "2"]
        code, out, err = shoal(capfd, "mine", people, "--negative", *options, "-o", file)
        assert (code, out) == (0, ""), err
        assert f"to {file}" in err
    wanted = pyarrow.parquet.read_table(files[1]).to_pylist()
    assert json.loads(files[0].read_text()) == wanted
    assert any(len(row["antecedent"]) == 2 for row in wanted)
    with files[2].open(encoding="utf-8", newline="") as lines:
        for read, row in zip(csv.DictReader(lines), wanted, strict=True):
            assert json.loads(read["conditions"]) == row["conditions"]
            assert (read["excluded"], int(read["count"])) == (row["excluded"], row["count"])
    assert read_background(files[0]) == read_background(files[1])
    assert len(read_background(files[0])) == len(wanted)


def test_a_file_without_a_header_is_read(capfd: Captured, people: Path) -> None:
    body = people.with_name("body.tsv")
    body.write_text("\n".join(people.read_text().replace(",", "\t").splitlines()[1:]))
    names = ["--column-names", "age,sex,ill", "--separator", "\\t"]
    options = ["--negative", "--sensitive", "ill", "--missing", "drop", "--json"]
    assert shoal(capfd, "mine", body, *names, *options)[1] == shoal(capfd, "mine", people, *options)[1]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--negative", 2, "--negative needs the column to exclude values of"),
        ("--sensitive ill", 2, "--sensitive: about negative rules of a table: add --negative"),
        ("--max-attributes 2 --fuzzy product", 2, "--max-attributes, --fuzzy: about negative rules of a table"),
        ("--negative --sensitive ill --min-support 3", 2, "--min-support: about baskets"),
        ("--negative --sensitive ill --rules --top 3", 2, "--top, --rules: about baskets"),
        ("--negative --sensitive ill --threads 2 --format fimi", 2, "--threads, --format: about baskets"),
        ("--negative --sensitive il", 2, "no such column: 'il' (did you mean 'ill'?)"),
        ("--negative --sensitive ill --quasi ill", 2, "'ill' (quasi and sensitive)"),
        ("--negative --sensitive ill", 2, "values are missing in 'age' (1), 'sex' (1): --missing drop leaves"),
        ("--negative --sensitive ill --quasi sex", 2, "values are missing in 'sex' (1): --missing drop"),
        ("--negative --sensitive ill --crisp age", 2, "add --fuzzy, or leave it out"),
        ("--negative --sensitive ill --complete", 2, "--complete applies to hierarchies"),
        ("--negative --sensitive ill --missing keep --min-expectation 1", 2, "min_expectation is 1.0: it must be"),
        ("--negative --sensitive ill --missing keep --min-confidence 0", 2, "min_confidence is 0.0: it must be"),
        ("--negative --sensitive ill --missing keep --quasi sex --hierarchy age=ranges", 2, "these are none: 'age'"),
        ("--negative --sensitive ill --missing keep --hierarchy age=nowhere.csv", 2, "nowhere.csv"),
        ("--negative --sensitive ill --hierarchy sex=ranges --missing keep", 2, "'sex'"),
        ("--negative --sensitive ill -o out.txt", 2, "out.txt: the name must end with .csv, .parquet or .json"),
    ],
)
def test_a_mistake_is_named(capfd: Captured, people: Path, options: str, code: int, message: str) -> None:
    found, out, err = shoal(capfd, "mine", people, *options.split())
    assert (found, out) == (code, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_a_release_has_no_negative_rules(capfd: Captured, release: Path) -> None:
    code, _, err = shoal(capfd, "mine", release, "--negative", "--sensitive", "ill")
    assert code == 2
    assert "is a release: negative rules are mined from the table before it is published" in err


def test_nothing_found_is_said(capfd: Captured, people: Path) -> None:
    options = ["--negative", "--sensitive", "sex", "--quasi", "age", "--missing", "drop", "--min-expectation", ".99999"]
    code, out, _ = shoal(capfd, "mine", people, *options)
    assert (code, out) == (0, "0 negative rules about sex in 90 rows, with an expectation of at least 0.99999\n")


def test_a_text_from_the_file_cannot_steer_the_terminal(capfd: Captured, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("a,y\n" + "\x1b[31mred,x\n" * 9 + "b,\x1b[2Jz\n" * 9)
    code, out, _ = shoal(capfd, "mine", tmp_path / "odd.csv", "--negative", "--sensitive", "y")
    assert code == 0
    assert "red" in out
    assert "\x1b" not in out


def test_from_outside(people: Path) -> None:
    done = outside("mine", people, "--negative", "--sensitive", "ill", "--missing", "drop")
    assert done.returncode == 0, done.stderr
    assert "negative rules about ill" in done.stdout
