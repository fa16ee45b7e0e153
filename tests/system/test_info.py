"""``shoal info``: what it prints of baskets and of tables."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.cli.main import run
from shoal.generate import bundled
from tests.running.commands import shoal


def test_info_describes_baskets(capfd: pytest.CaptureFixture[str], baskets: Path) -> None:
    code, out, err = shoal(capfd, "info", baskets, "-k", 3)
    assert (code, err) == (0, "")
    assert "27 records, 5 different items" in out
    assert "2 items occur in fewer than 3 records" in out
    assert "bread" in out


def test_info_as_json(capfd: pytest.CaptureFixture[str], baskets: Path) -> None:
    code, out, _ = shoal(capfd, "info", baskets, "-k", 3, "--top", 1, "--json")
    seen = json.loads(out)
    assert code == 0
    assert (seen["records"], seen["items"], seen["rare_items"], len(seen["top_items"])) == (27, 5, 2, 1)


def test_info_describes_a_table_with_hierarchies(capfd: pytest.CaptureFixture[str]) -> None:
    people = Path(bundled.__file__).parent / "data" / "people.csv"
    code, out, _ = shoal(
        capfd, "info", people, "--quasi", "age,sex,postcode", "--sensitive", "diagnosis",
        "--hierarchy", "age=ranges", "--hierarchy", "postcode=prefixes", "--json",
    )  # fmt: skip
    assert code == 0
    seen = json.loads(out)
    roles = {column["name"]: column["role"] for column in seen["columns"]}
    assert (roles["age"], roles["diagnosis"]) == ("quasi", "sensitive")
    levels = {column["name"]: column["hierarchy_levels"] for column in seen["columns"]}
    assert levels["age"] > 1
    assert levels["postcode"] > 1
    assert levels["sex"] is None
    assert seen["quasi_identifier_groups"]["groups"] > 1
    code, out, _ = shoal(capfd, "info", people, "--table")
    assert code == 0
    assert f"{seen['rows']:,} rows" in out


def test_info_drops_or_keeps_missing_values(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,job\n1,x\n?,y\n3,\n")
    assert json.loads(shoal(capfd, "info", path, "--table", "--missing", "drop", "--json")[1])["rows"] == 1
    assert json.loads(shoal(capfd, "info", path, "--table", "--missing", "keep", "--json")[1])["rows"] == 3


def test_every_format_of_baskets_is_the_same_release(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    records = [["a", "b"], ["a", "b"], ["a", "b", "c"], ["a", "c"]]
    (tmp_path / "fimi.dat").write_text("".join(" ".join(row) + "\n" for row in records))
    (tmp_path / "delimited.txt").write_text("".join("|".join(row) + "\n" for row in records))
    long = [(number, item) for number, row in enumerate(records) for item in row]
    (tmp_path / "long.csv").write_text("who,what\n" + "".join(f"{who},{what}\n" for who, what in long))
    pq.write_table(pa.table({"basket": records, "id": [1, 2, 3, 4]}), tmp_path / "list.parquet")
    options: dict[str, list[str]] = {
        "fimi.dat": ["--format", "fimi"],
        "delimited.txt": ["--separator", "|"],
        "long.csv": ["--long", "who,what"],
        "list.parquet": ["--column", "basket"],
    }
    contents = []
    for name, extra in options.items():
        target = tmp_path / f"release-{name}"
        code, _, err = shoal(capfd, "publish", "disassociate", tmp_path / name, "-k", 2, "-m", 2, "-o", target, *extra)
        assert code == 0, err
        contents.append({path.name: path.read_bytes() for path in target.iterdir()})
        assert shoal(capfd, "verify", target, "--original", tmp_path / name, *extra)[0] == 0
    assert all(content == contents[0] for content in contents)


def test_a_csv_that_is_read_as_baskets_is_said_to_be(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age,sex\n39,F\n40,M\n")
    assert run(["info", str(file)]) == 0
    assert "is read as baskets, one record per line" in capfd.readouterr().err
    for plain in (["--format", "delimited"], ["--separator", ","], ["--long", "age,sex"], ["--table"]):
        assert run(["info", str(file), *plain]) == 0
        assert not capfd.readouterr().err


def test_info_takes_names_for_a_table_without_a_header(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "people.data"
    file.write_text("39, F\n40, M\n")
    code, out, _ = shoal(capfd, "info", file, "--column-names", "age,sex", "--quasi", "sex")
    assert code == 0
    assert "2 rows, 2 columns" in out
