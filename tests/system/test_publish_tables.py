"""Publishing tables from outside: what is said, what is not published, and what is wrong where."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]
COLUMNS = ["--quasi", "age,sex", "--sensitive", "illness"]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table in which no man has one of the illnesses."""
    chance = random.Random(5)
    lines = ["name,age,sex,illness"]
    for number in range(240):
        sex = chance.choice("fm")
        illness = chance.choice(["flu", "gout", "cold", "mumps", "asthma"] + ["endometriosis"] * (sex == "f"))
        lines.append(f"person{number},{chance.randint(20, 60)},{sex},{illness}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines))
    (tmp_path / "ages.csv").write_text("20;young;*\n21;young;*\n")
    monkeypatch.chdir(tmp_path)
    return path


def test_anatomy_says_what_was_published_and_what_was_not(capfd: Captured, people: Path) -> None:
    code, out, err = shoal(capfd, "publish", "anatomy", people, *COLUMNS, "-l", 4, "-o", "release")
    assert code == 0
    assert "published 240 rows in 60 groups of 4 to 4 in release, verified from disk" in out
    assert "each value of illness belongs to at most one in 4 rows" in out
    assert "1 column neither --quasi nor --sensitive, so not published: name" in err
    assert shoal(capfd, "verify", "release", "--original", people)[0] == 0


def test_injector_mines_rules_and_keeps_them_to_itself_unless_told_otherwise(capfd: Captured, people: Path) -> None:
    code, out, _ = shoal(capfd, "publish", "injector", people, *COLUMNS, "-l", 3, "-o", "release")
    assert code == 0
    assert "1 negative rule assumed to be known; not published" in out
    assert not Path("release/rules.parquet").exists()
    code, out, _ = shoal(capfd, "verify", "release")
    assert code == 0
    assert "so the promise is not confirmed: valid values" in out.splitlines()[0]
    for evidence in (["--original", people], ["--rules", "rules.json"]):
        if evidence[0] == "--rules":
            assert shoal(capfd, "mine", people, "--negative", *COLUMNS, "-o", "rules.json")[0] == 0
        code, out, _ = shoal(capfd, "verify", "release", *evidence)
        assert (code, "valid values: every row has at least 3 values" in out) == (0, True), out

    told = ["publish", "injector", people, *COLUMNS, "-l", 3, "--publish-rules", "-o", "open", "--json"]
    code, out, _ = shoal(capfd, *told)
    found = json.loads(out)
    assert (found["rules"], found["rules_published"], found["holds"]) == (1, True, True)
    code, out, _ = shoal(capfd, "verify", "open")
    assert (code, "valid values: every row has at least 3 values" in out) == (0, True)
    # That these are all rules of the data can be told from the data only.
    assert "so the promise is not confirmed: rules of the original" in out.splitlines()[0]
    assert shoal(capfd, "verify", "open", "--original", people)[1].startswith("all 13 checks hold")


def test_rules_of_ones_own_take_the_place_of_those_of_the_data(capfd: Captured, people: Path) -> None:
    rule = {"sensitive": "illness", "excluded": "gout", "conditions": [{"column": "sex", "values": ["f"]}]}
    Path("mine.json").write_text(json.dumps([rule]))
    publish = ["publish", "injector", people, *COLUMNS, "-l", 3, "--rules", "mine.json"]
    code, out, _ = shoal(capfd, *publish, "-o", "release")
    assert code == 0
    assert "by a list of negative rules that the publisher gave" in " ".join(out.split())
    assert shoal(capfd, "verify", "release", "--rules", "mine.json")[0] == 0
    code, _, err = shoal(capfd, *publish, "--fuzzy", "minimum", "-o", "other")
    assert (code, "--fuzzy is only for rules that are mined, and --rules gives them" in err) == (2, True)


def test_a_seed_is_marked(capfd: Captured, people: Path) -> None:
    _, _, err = shoal(capfd, "publish", "anatomy", people, *COLUMNS, "-l", 3, "--seed", 7, "-o", "release")
    assert "do not publish this release" in err
    assert "do not publish" in Path("release/manifest.json").read_text()
    code, out, _ = shoal(capfd, "verify", "release")
    assert (code, "the promise is not confirmed: chance" in out.splitlines()[0]) == (0, True)
    assert "left out: chance: the groups were drawn from a seed" in out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["anatomy", "--quasi", "age,illness", "--sensitive", "illness", "-l", 2],
            2,
            "'illness' (quasi and sensitive)",
        ),
        (["anatomy", "--quasi", "age,Sexe", "--sensitive", "illness", "-l", 2], 2, "'Sexe' (did you mean 'sex'?)"),
        (["injector", "--quasi", "age", "--sensitive", "ilness", "-l", 2], 2, "'ilness' (did you mean 'illness'?)"),
        (["anatomy", *COLUMNS, "-l", 1], 2, "l is 1: it must be a whole number from 2 on"),
        (["anatomy", *COLUMNS, "-l", 60], 3, "which is more than one in 60: the largest l that works is"),
        (["injector", *COLUMNS, "-l", 6], 3, "the rules leave only 5 of 6 values of illness for"),
        (["injector", *COLUMNS, "-l", 2, "--min-expectation", 1], 2, "min_expectation is 1"),
        (["injector", *COLUMNS, "-l", 2, "--hierarchy", "age=ages.csv"], 2, "without a place"),
        (["injector", *COLUMNS, "-l", 2, "--hierarchy", "agee=ages.csv"], 2, "did you mean 'age'?"),
        (["injector", *COLUMNS, "-l", 2, "--complete"], 2, "--complete applies to hierarchies"),
        (["injector", *COLUMNS, "-l", 2, "--crisp", "age"], 2, "name none, or use fuzzy membership"),
        (["injector", *COLUMNS, "-l", 2, "--rules", "none.json"], 2, "none.json"),
        (["injector", "--quasi", "name", "--sensitive", "age", "-l", 2, "--hierarchy", "age=ranges"], 2, "'age'"),
    ],
)
def test_mistakes_are_named(capfd: Captured, people: Path, arguments: list[object], code: int, words: str) -> None:
    method, *options = arguments
    found = shoal(capfd, "publish", method, people, *options, "-o", "release")
    assert (found[0], words in found[2]) == (code, True), found[2]
    assert not Path("release").exists()


@pytest.mark.usefixtures("people")
def test_numbers_stored_as_text_are_named(capfd: Captured) -> None:
    ages = [f"{age} years" for age in range(20, 60)]
    rows = {"age": ages, "sex": ["f", "m"] * 20, "illness": ["flu", "gout", "cold", "mumps"] * 10}
    pq.write_table(pa.table(rows), "text.parquet")
    code, _, err = shoal(capfd, "publish", "anatomy", "text.parquet", *COLUMNS, "-l", 2, "-o", "release")
    assert (code, "column 'age' holds numbers as texts, such as '20 years'" in err) == (0, True)
    publish = ["publish", "injector", "text.parquet", *COLUMNS, "-l", 2, "-o", "other"]
    code, _, err = shoal(capfd, *publish, "--hierarchy", "age=ranges")
    assert (code, "holds no numbers but texts, such as '20 years': make it a column of numbers" in err) == (2, True)
    code, _, err = shoal(capfd, *publish, "--fuzzy", "product")
    assert (code, "holds numbers as texts, such as '20 years'" in err) == (2, True)
    assert shoal(capfd, *publish, "--fuzzy", "product", "--crisp", "age")[0] == 0
    assert "except those of age" in Path("other/manifest.json").read_text()
    assert shoal(capfd, "verify", "other", "--original", "text.parquet")[0] == 0


def test_missing_values_are_an_error_a_value_or_left_out(capfd: Captured, people: Path) -> None:
    people.write_text(people.read_text() + "\nsomebody,,f,flu\n")
    publish = ["publish", "anatomy", people, *COLUMNS, "-l", 3, "-o", "release"]
    code, _, err = shoal(capfd, *publish)
    assert (code, "values are missing in 'age' (1)" in err) == (2, True)
    assert "published 240 rows" in shoal(capfd, *publish, "--missing", "drop")[1]
    assert "published 241 rows" in shoal(capfd, *publish, "--missing", "keep", "--force")[1]


def test_from_standard_input(people: Path) -> None:
    with people.open() as file:
        done = outside("publish", "anatomy", "-", *COLUMNS, "-l", 2, "-o", "release", stdin=file)
    assert done.returncode == 0, done.stderr
