"""``shoal mine``: what it prints and writes is what the Python functions return."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pyarrow.parquet
import pytest

from shoal import mining, read_release
from shoal.analyse.disassociated.mine import expected_itemsets
from shoal.io.baskets import read_baskets
from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]


def test_the_first_are_shown_and_the_rest_is_announced(capfd: Captured, baskets: Path) -> None:
    code, out, _ = shoal(capfd, "mine", baskets, "--min-support", "4", "--limit", "2")
    assert code == 0
    assert "{milk}" in out
    everything = mining.frequent_itemsets(read_baskets(str(baskets)), 4)
    assert f"{len(everything)} itemsets in at least 4 of 27 records" in out
    assert f"the first 2 of {len(everything)}: --limit N shows more, -o FILE writes all of them" in out
    assert out.count("{") == 2


@pytest.mark.parametrize("kind", ["", "--closed", "--maximal", "--top 3", "--rules", "--rules --min-confidence .9"])
def test_json_is_what_python_returns(capfd: Captured, baskets: Path, kind: str) -> None:
    data = read_baskets(str(baskets))
    expected = {
        "": lambda: mining.frequent_itemsets(data, 0.2),
        "--closed": lambda: mining.closed_itemsets(data, 0.2),
        "--maximal": lambda: mining.maximal_itemsets(data, 0.2),
        "--top 3": lambda: mining.top_itemsets(data, 3),
        "--rules": lambda: mining.association_rules(mining.frequent_itemsets(data, 0.2), 0.5),
        "--rules --min-confidence .9": lambda: mining.association_rules(mining.frequent_itemsets(data, 0.2), 0.9),
    }[kind]()
    code, out, _ = shoal(capfd, "mine", baskets, "--min-support", ".2", "--json", *kind.split())
    assert code == 0
    assert json.loads(out) == expected.to_arrow().to_pylist()


@pytest.mark.parametrize("rules", [[], ["--rules", "--min-confidence", "0.1"]], ids=["itemsets", "rules"])
def test_every_format_holds_all_of_them(capfd: Captured, tmp_path: Path, rules: list[str]) -> None:
    (tmp_path / "odd.csv").write_text('a b,"c;d"\n' * 3 + 'a b,é\n"x"\n', encoding="utf-8")
    files = [tmp_path / f"out.{suffix}" for suffix in ("csv", "parquet", "json")]
    for file in files:
        source = [tmp_path / "odd.csv", "--format", "delimited", "--min-support", "1", *rules]
        code, out, err = shoal(capfd, "mine", *source, "-o", file)
        assert (code, out) == (0, ""), err
        assert f"to {file}" in err
    expected = pyarrow.parquet.read_table(files[1]).to_pylist()
    assert len(expected) > 3
    assert any("c;d" in cell for row in expected for cell in row.values() if isinstance(cell, list))
    plain = [{name: None if value == float("inf") else value for name, value in row.items()} for row in expected]
    assert json.loads(files[2].read_text(encoding="utf-8")) == plain
    with files[0].open(encoding="utf-8", newline="") as lines:
        read = list(csv.DictReader(lines))
    for row, wanted in zip(read, expected, strict=True):
        for name, value in wanted.items():
            assert (json.loads(row[name]) if isinstance(value, list) else type(value)(row[name])) == value


def test_a_file_is_replaced_with_force_only(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("mine")
    code, _, err = shoal(capfd, "mine", baskets, "-o", out)
    assert (code, out.read_text()) == (2, "mine")
    assert "exists already; choose another name, or --force to replace it" in err
    assert shoal(capfd, "mine", baskets, "-o", out, "--force")[0] == 0
    assert json.loads(out.read_text())


def test_nothing_frequent_is_said_and_written(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    code, out, _ = shoal(capfd, "mine", baskets, "--min-support", "28")
    assert (code, out) == (0, "0 itemsets in at least 28 of 27 records\n")
    assert shoal(capfd, "mine", baskets, "--min-support", "28", "-o", tmp_path / "none.json")[0] == 0
    assert json.loads((tmp_path / "none.json").read_text()) == []


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--min-support 0", 2, "min_support is 0: it must be a share"),
        ("--min-support 1.5", 2, "min_support is 1.5"),
        ("--min-support -1", 2, "min_support is -1"),
        ("--min-support many", 2, "--min-support is 'many': give a share"),
        ("--min-confidence .5", 2, "--min-confidence is about rules"),
        ("--rules --min-confidence 2", 2, "min_confidence is 2.0: it must be a number from 0 to 1"),
        ("--rules --closed", 2, "choose one"),
        ("--top 5 --maximal", 2, "choose one"),
        ("--top 0", 2, "--top"),
        ("--max-length 0", 2, "--max-length"),
        ("-o out.txt", 2, "out.txt: the name must end with .csv, .parquet or .json"),
        ("-o nowhere/out.csv --min-support 20", 2, "cannot write nowhere/out.csv: No such file or directory"),
    ],
)
def test_a_mistake_is_named(capfd: Captured, baskets: Path, options: str, code: int, message: str) -> None:
    found, out, err = shoal(capfd, "mine", baskets, *options.split())
    assert (found, out) == (code, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_what_would_explode_is_impossible_and_says_what_to_do(capfd: Captured, tmp_path: Path) -> None:
    (tmp_path / "long.dat").write_text((" ".join(map(str, range(60))) + "\n") * 3)
    code, out, err = shoal(capfd, "mine", tmp_path / "long.dat", "--min-support", "3")
    assert (code, out) == (3, "")
    assert "more than 20,000,000 itemsets" in err
    ways_out = (
        "raise the minimum support, limit the length of sets, or find only closed, maximal or the most frequent sets"
    )
    assert ways_out in " ".join(err.split())
    for way_out in ("--closed", "--maximal", "--top 100"):
        assert shoal(capfd, "mine", tmp_path / "long.dat", "--min-support", "3", *way_out.split())[0] == 0


def test_a_release_is_mined_by_expected_supports(capfd: Captured, release: Path, tmp_path: Path) -> None:
    code, out, _ = shoal(capfd, "mine", release, "--min-support", "2")
    assert code == 0
    found = expected_itemsets(read_release(release), 2)
    certain = int(found.certain.sum())
    assert out.startswith(f"in at least 2 of {read_release(release).n_records} records: {certain} itemset")
    assert f"{len(found):,} are expected there, if {found.supports.model}" in " ".join(out.split())
    once = expected_itemsets(read_release(release), 2, term_items="once")
    code, out, _ = shoal(capfd, "mine", release, "--min-support", "2", "--term-items", "once", "--json")
    said = json.loads(out)
    assert [row["expected"] for row in said["itemsets"]] == pytest.approx([mean for _, mean in once])
    assert (said["term_items"], said["expected_if"]) == ("once", once.model)
    code, out, _ = shoal(capfd, "mine", release, "--min-support", "2", "--json")
    said = json.loads(out)
    assert (said["records"], said["term_items"]) == (read_release(release).n_records, "uniform")
    assert said["expected_if"] == found.model != once.model
    rows = said["itemsets"]
    assert [frozenset(row["items"]) for row in rows] == [items for items, _ in found]
    assert [row["certain"] for row in rows] == found.certain.tolist()
    for suffix in ("csv", "parquet", "json"):
        file = tmp_path / f"mined.{suffix}"
        code, _, err = shoal(capfd, "mine", release, "--top", "2", "-o", file)
        assert code == 0
        assert f"expected there, if {found.model}" in " ".join(err.split())
        assert file.stat().st_size > 0
    code, out, _ = shoal(capfd, "mine", release, "--min-support", "2", "--rules", "--json")
    assert json.loads(out)["expected_if"] == found.model
    assert json.loads(out)["rules"]
    _, told, _ = shoal(capfd, "mine", release, "--min-support", "2", "--rules")
    said = " ".join(told.split())
    certain = sum(rule["least"] >= 2 for rule in json.loads(out)["rules"])
    assert f"the items of {certain:,} rule" in said
    assert (
        f"those of {len(json.loads(out)['rules']):,} are expected there, with such a confidence, if {found.model}"
        in said
    )
    assert re.search(r"least +most +expected +confidence +lift", told)
    for rule in json.loads(out)["rules"]:
        told = read_release(release).support([*rule["antecedent"], *rule["consequent"]])
        both = told.expected
        assert rule["expected"] == pytest.approx(both)
        assert list(rule)[2:5] == ["least", "most", "expected"]
        assert (rule["least"], rule["most"]) == (told.least, told.most)
        assert rule["confidence"] == pytest.approx(both / read_release(release).support(rule["antecedent"]).expected)
        assert rule["confidence"] >= 0.5 - 1e-9
    for option in ("--closed", "--maximal"):
        code, _, err = shoal(capfd, "mine", release, option)
        assert code == 2
        assert "are for files of baskets" in err


def test_from_outside(baskets: Path) -> None:
    done = outside("mine", baskets, "--top", "1", "--threads", "1")
    assert done.returncode == 0
    assert "{milk}" in done.stdout or "{bread}" in done.stdout
