"""Publishing k-anonymity from outside: what is said, what comes out, and what is wrong where."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]
COLUMNS = ["--quasi", "age,sex,postcode", "--sensitive", "job,illness"]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table in which cooks of the first town have the flu, and one person is much older than all others."""
    chance = random.Random(5)
    lines = ["name,age,sex,postcode,job,illness"]
    for number in range(300):
        town = chance.choice(["130", "148"])
        job = chance.choice(["cook", "clerk", "nurse"])
        illness = "flu" if town == "130" and job == "cook" else chance.choice(["flu", "gout", "cold", "mumps"])
        age = 95 if number == 7 else chance.randint(20, 60)
        lines.append(f"person{number},{age},{chance.choice('fm')},{town}{chance.randint(50, 59)},{job},{illness}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines))
    (tmp_path / "ages.csv").write_text("20;young;*\n21;young;*\n")
    monkeypatch.chdir(tmp_path)
    return path


def test_it_says_what_was_published_what_was_not_and_what_hierarchies_it_made(capfd: Captured, people: Path) -> None:
    code, out, err = shoal(
        capfd, "publish", "k-anonymity", people, *COLUMNS, "--hierarchy", "postcode=prefixes", "-k", 10, "-o", "release"
    )
    assert code == 0, err
    assert out.startswith("published 300 rows in ")
    assert "Every published combination of age, sex, postcode occurs in at least 10 rows" in flat(out)
    assert "1 column neither --quasi nor --sensitive, so not published: name" in err
    assert "no hierarchy given for age: generalized to intervals built from the data" in err
    assert "no hierarchy given for sex: published unchanged or fully suppressed" in err
    code, out, _ = shoal(capfd, "verify", "release", "--original", people, *TREES)
    assert code == 0, out
    assert "not checked" not in out


TREES = ["--hierarchy", "postcode=prefixes", "--hierarchy", "age=balanced", "--hierarchy", "sex=flat"]


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("strategy", ["bottom-up", "mondrian"])
def test_suppressed_rows_are_tagged_counted_and_no_group(capfd: Captured, people: Path, strategy: str) -> None:
    trees = ["--hierarchy", "postcode=prefixes", "--hierarchy", "age=ranges"]
    options = [*trees, "-k", 10, "--max-suppressed", ".02", "--strategy", strategy]
    code, out, _ = shoal(capfd, "publish", "k-anonymity", people, *COLUMNS, *options, "-o", "release", "--json")
    counts = json.loads(out)["counts"]
    assert code == 0
    assert counts["rows"] + counts["suppressed_rows"] == 300
    assert 1 <= counts["suppressed_rows"] <= 6
    rows = pq.read_table("release/rows.parquet").to_pylist()
    gone = [row for row in rows if row["group"] is None]
    assert len(gone) == counts["suppressed_rows"]
    assert {value for row in gone for name, value in row.items() if name != "group"} == {"*"}
    assert rows[-len(gone) :] == gone
    sizes: dict[int, int] = {}
    for row in rows[: -len(gone)]:
        sizes[row["group"]] = sizes.get(row["group"], 0) + 1
    assert min(sizes.values()) >= 10
    assert len(sizes) == counts["groups"]
    assert shoal(capfd, "verify", "release", "--original", people, *trees)[0] == 0


def test_hiding_says_its_price_and_what_filling_brings_back(capfd: Captured, people: Path) -> None:
    options = [*COLUMNS, "--hierarchy", "postcode=prefixes", "-k", 40, "--support", ".1", "--confidence", ".4"]
    prices = {}
    for hide in ("greedy", "iga", "resistant"):
        code, out, _ = shoal(capfd, "publish", "k-anonymity", people, *options, "--hide", hide, "-o", hide)
        assert code == 0
        assert "sensitive cells (" in out
        assert "An adversary who fills each hidden cell with the most frequent value shown in its group" in flat(out)
        code, out, _ = shoal(
            capfd, "publish", "k-anonymity", people, *options, "--hide", hide, "-o", hide, "--force", "--json"
        )
        found = json.loads(out)
        prices[hide] = found["residual"]["hidden_cells"]
        assert found["counts"]["hidden_cells"] == prices[hide] > 0
        assert found["residual"]["associations"] > 0
        assert (found["residual"]["associations_back"] == 0) == (hide == "resistant")
        promised = json.loads(Path(hide, "manifest.json").read_text())["promises"]
        assert [promise["kind"] for promise in promised] == ["KAnonymity", "HiddenAssociations"]
        assert promised[1]["resists_filling"] is (hide == "resistant")
        assert "attack --fill measures it" in promised[1]["not_promised"][0]
        assert shoal(capfd, "verify", hide, "--original", people, *TREES)[0] == 0
    assert prices["resistant"] > prices["greedy"]
    code, out, _ = shoal(
        capfd, "publish", "k-anonymity", people, *options, "--hide", "resistant", "-o", "resistant", "--force"
    )
    assert f"--hide greedy would hide {prices['greedy']:,}" in flat(out)


def test_hierarchies_are_published_down_to_what_rows_hold_or_whole_if_wanted(capfd: Captured, people: Path) -> None:
    codes = sorted({line.split(",")[3] for line in people.read_text().splitlines()[1:]})
    Path("masks.csv").write_text("".join(f"{code};{code[:4]}*;{code[:2]}***;*\n" for code in codes))
    options = [*COLUMNS, "--hierarchy", "postcode=masks.csv", "-k", 30]
    shoal(capfd, "publish", "k-anonymity", people, *options, "-o", "cut")
    shoal(capfd, "publish", "k-anonymity", people, *options, "--publish-hierarchies", "-o", "whole")
    cut, whole = (pq.read_table(f"{name}/hierarchies.parquet").to_pylist() for name in ("cut", "whole"))
    shown = {row["postcode"] for row in pq.read_table("cut/rows.parquet").to_pylist()}
    below = {row["label"] for row in cut if row["column"] == "postcode"}
    assert shown <= below
    assert not any("*" not in label for label in below)
    assert {row["label"] for row in whole if row["column"] == "postcode"} > below
    assert pq.read_table("cut/rows.parquet").equals(pq.read_table("whole/rows.parquet"))
    assert shoal(capfd, "verify", "whole", "--original", people)[0] == 0


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-k", "1"], 2, "k is 1: it must be a whole number from 2 on"),
        (["-k", "301"], 3, "the table has 300 rows, so no group of it has k = 301: try a smaller k"),
        (["-k", "5", "--max-suppressed", "1"], 2, "if every row may be left out, nothing remains to publish"),
        (["-k", "5", "--max-suppressed", "-.1"], 2, "max_suppressed is -0.1: it must be a number from 0 to 1"),
        (["-k", "5", "--hierarchy", "age=ages.csv"], 2, "add --complete to correct this (without a place)"),
        (["-k", "5", "--hierarchy", "name=flat"], 2, "a hierarchy is given for 'name', which is neither quasi nor"),
        (["-k", "5", "--evaluate-from", "many"], 2, "--evaluate-from is 'many': give a number of rows, as in 50, or"),
        (["-k", "5", "--evaluate-from", "1.5k"], 2, "evaluate_from is 1.5: it must be a number from 0 to 1"),
        (["-k", "5", "--weight-loss", "-1"], 2, "the weight of loss is -1.0: it must be a number from 0 to 1,000"),
        (["-k", "5", "--strategy", "mondrian", "--evaluate-from", "5"], 2, "leave it out for mondrian"),
        (["-k", "5", "--support", ".1"], 2, "--support is only for associations that are hidden or evaluated"),
        (["-k", "5", "--hide", "greedy", "--confidence", "0"], 2, "min_confidence is 0.0: it must be a number above 0"),
        (["-k", "5", "--complete"], 2, "--complete applies to hierarchies"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_and_nothing_is_published(
    capfd: Captured, people: Path, options: list[str], code: int, message: str
) -> None:
    found, out, err = shoal(capfd, "publish", "k-anonymity", people, *COLUMNS, *options, "-o", "release")
    assert found == code, err
    assert message in flat(err)
    assert not out
    assert not Path("release").exists()


def test_there_is_nothing_to_hide_without_sensitive_columns(capfd: Captured, people: Path) -> None:
    command = ["publish", "k-anonymity", people, "--quasi", "age,sex", "-k", 5, "-o", "release"]
    code, _, err = shoal(capfd, *command, "--hide", "greedy")
    assert (code, "there is nothing to hide: no column is sensitive" in err) == (2, True)
    code, _, err = shoal(capfd, *command, "--evaluate-from", 3)
    assert (code, "evaluate_from needs associations of sensitive columns" in err) == (2, True)
    assert shoal(capfd, *command)[0] == 0, "but quasi-identifiers alone can be published"
    assert shoal(capfd, "verify", "release", "--original", people, "--hierarchy", "age=balanced")[0] == 0


def test_a_missing_value_is_said_before_anything_is_published(people: Path) -> None:
    people.write_text(people.read_text().replace("person3,", "person3,,f,13051,cook,flu\nperson300,", 1))
    command = ["publish", "k-anonymity", people, *COLUMNS, "-k", 5, "-o", "release"]
    done = outside(*command, cwd=people.parent)
    assert done.returncode == 2
    assert "age" in done.stderr
    assert not (people.parent / "release").exists()
    for missing in ("drop", "keep"):
        assert outside(*command, "--missing", missing, "--force", cwd=people.parent).returncode == 0
