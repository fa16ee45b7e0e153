"""Releases of tables on the command line: shown as the paper prints them, exported, reconstructed."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.analyse.disassociated.reconstruct import reconstruct
from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.table import Table
from shoal.io.release_folder import write_release
from shoal.promises import FrequencyDiversity
from shoal.release.bucketized import Bucketized
from shoal.run import Run
from tests.making.disassociated_releases import offsets
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
# Table II of the paper: three groups of three.
ROWS = [
    [("47677", 29, "F"), ("47602", 22, "F"), ("47678", 27, "M")],
    [("47905", 43, "M"), ("47909", 52, "F"), ("47906", 47, None)],
    [("47605", 30, "M"), ("47673", 36, "M"), ("47607", 32, "M")],
]
COUNTS = [
    {"Ovarian Cancer": 2, "Prostate Cancer": 1},
    {"Flu": 1, "Heart Disease": 2},
    {"Flu": 1, "Heart Disease": 1, None: 1},
]
VALUES = ["Flu", "Heart Disease", "Ovarian Cancer", "Prostate Cancer", None]


def bucketized(rows: list[Any] = ROWS, counts: list[Any] = COUNTS, **more: Any) -> Bucketized:
    flat = [row for group in rows for row in group]
    quasi = pa.table(
        {
            "zip": pa.array([row[0] for row in flat]),
            "age": pa.array([row[1] for row in flat]),
            "sex": pa.array([row[2] for row in flat]),
        }
    )
    entries = [(VALUES.index(value), count) for group in counts for value, count in group.items()]
    return Bucketized(
        method="anatomy",
        promise=FrequencyDiversity(2, "disease"),
        quasi=Table.from_arrow(quasi, quasi=["zip", "age", "sex"]),
        group_offsets=offsets(len(group) for group in rows),
        values=pa.array(VALUES),
        bucket_offsets=offsets(len(group) for group in counts),
        bucket_values=pa.array([value for value, _ in entries], pa.int32()).to_numpy(),
        bucket_counts=pa.array([count for _, count in entries], pa.int64()).to_numpy(),
        **more,
    )


@pytest.fixture
def table_2(tmp_path: Path) -> Path:
    folder = tmp_path / "table-2"
    folder.mkdir()
    write_release(bucketized(), folder)
    return folder


def test_show_prints_table_2(capfd: Captured, table_2: Path) -> None:
    code, out, err = shoal(capfd, "show", table_2)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert "9 rows in 3 groups" in out
    assert ["group", "zip", "age", "sex"] in lines
    for group, rows in enumerate(ROWS):
        for row in rows:
            assert [str(group), *(str(value or "?") for value in row)] in lines
    assert ["group", "disease", "count"] in lines
    for group, counts in enumerate(COUNTS):
        for value, count in counts.items():
            assert [str(group), *(value or "?").split(), str(count)] in lines
    assert "more groups" not in out


def test_show_a_part(capfd: Captured, table_2: Path) -> None:
    code, out, _ = shoal(capfd, "show", table_2, "--limit", "1", "--rows", "2")
    assert code == 0
    assert "47602" in out
    assert "47678" not in out
    assert "... 1 more" in out
    assert "... and 2 more groups: --limit 3 shows all of them, --group N one" in out
    code, out, _ = shoal(capfd, "show", table_2, "--group", "2")
    assert "47605" in out
    assert "47602" not in out
    assert "Ovarian" not in out


def test_show_says_that_rules_are_there(capfd: Captured, tmp_path: Path) -> None:
    rule = NegativeRule((Condition("sex", "M", ("M",)),), "Ovarian Cancer")
    write_release(bucketized(background=Background("disease", (rule,)), discloses_background=True), tmp_path)
    assert "1 negative rule published with it" in shoal(capfd, "show", tmp_path)[1]


def test_show_is_safe_for_the_terminal(capfd: Captured, tmp_path: Path) -> None:
    rows = [("\x1b[2J", 1, "F"), *(("[bold]", age, "M") for age in range(4))]
    write_release(bucketized([rows], [dict.fromkeys(VALUES, 1)]), tmp_path)
    out = shoal(capfd, "show", tmp_path)[1]
    assert "\x1b" not in out
    assert "[bold]" in out


def test_json_lines_hold_both_tables(capfd: Captured, table_2: Path) -> None:
    code, out, _ = shoal(capfd, "export", table_2)
    assert code == 0
    read = [json.loads(line) for line in out.splitlines()]
    assert [group["group"] for group in read] == [0, 1, 2]
    assert [[tuple(row.values()) for row in group["rows"]] for group in read] == ROWS
    assert list(read[0]["rows"][0]) == ["zip", "age", "sex"]
    assert [{entry["value"]: entry["count"] for entry in group["values"]} for group in read] == COUNTS
    assert {group["sensitive"] for group in read} == {"disease"}


def test_json_lines_are_json_whatever_the_values(capfd: Captured, tmp_path: Path) -> None:
    import datetime

    quasi = pa.table({"b": [1.5, float("inf")], "d": [datetime.date(2020, 1, 2), None], "rows": [True, False]})
    people = quasi.append_column("group", pa.array(["x", "z"]))
    write_release(library.anatomy(Table.from_arrow(people, quasi=quasi.column_names, sensitive="group"), 2), tmp_path)
    code, out, _ = shoal(capfd, "export", tmp_path)
    assert code == 0

    def refuse(word: str) -> None:
        raise AssertionError(word)

    (line,) = [json.loads(text, parse_constant=refuse) for text in out.splitlines()]
    assert {(row["b"], row["d"], row["rows"]) for row in line["rows"]} == {
        (1.5, "2020-01-02", True),
        ("inf", None, False),
    }


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_each_table_is_exported(capfd: Captured, table_2: Path, tmp_path: Path, to: str) -> None:
    whole = library.read_release(table_2).to_arrow()
    for part, name in (("rows", "quasi_identifiers"), ("counts", "sensitive")):
        out = tmp_path / f"{part}.{to}"
        code, printed, err = shoal(capfd, "export", table_2, "--to", to, "--part", part, "-o", out)
        assert (code, printed, err) == (0, "", f"wrote {out}\n")
        if to == "parquet":
            assert pq.read_table(out).to_pylist() == whole[name].to_pylist()
            continue
        read = list(csv.reader(io.StringIO(out.read_text(encoding="utf-8"))))
        assert read[0] == whole[name].column_names
        wanted = [["" if cell is None else str(cell) for cell in row.values()] for row in whole[name].to_pylist()]
        assert read[1:] == wanted


@pytest.mark.parametrize("format", [None, "csv", "parquet"])
def test_reconstructions_are_possible_originals(
    capfd: Captured, table_2: Path, tmp_path: Path, format: str | None
) -> None:
    out = tmp_path / "possible"
    chosen = ["--format", format] if format else []
    code, printed, err = shoal(capfd, "reconstruct", table_2, "-n", 3, "-o", out, "--seed", 5, *chosen)
    assert (code, err) == (0, "")
    assert "wrote 3 reconstructions of 9 rows" in printed
    assert "None is the original, unless by chance" in " ".join(printed.split())
    files = [out / f"reconstruction-0{number}.{format or 'csv'}" for number in (1, 2, 3)]
    assert sorted(out.iterdir()) == files
    expected = library.read_release(table_2).reconstruct(3, run=Run(chance=5))
    for file, table in zip(files, expected, strict=True):
        read = (
            library.read_table(file, text="zip", missing="keep")
            if file.suffix == ".csv"
            else library.read_table(file, missing="keep")
        )
        assert pa.table(read).to_pylist() == table.to_arrow().to_pylist()
    code, printed, _ = shoal(capfd, "reconstruct", table_2, "-o", out, "--force", "--json")
    assert json.loads(printed) == {
        "files": [str(out / "reconstruction-01.csv")],
        "rows": 9,
        "seed": None,
        "format": "csv",
    }


def test_every_dealing_is_as_likely_as_any_other() -> None:
    """Group 1 has 3 dealings and group 2 has 6, so that there are 3 of group 0, and 54 in all."""
    release = bucketized()
    seen: Counter[tuple[Any, ...]] = Counter()
    for table in release.reconstruct(5_400, run=Run(chance=1)):
        assert table.names == ["zip", "age", "sex", "disease"]
        dealt = table.to_arrow()["disease"].to_pylist()
        assert [Counter(dealt[first : first + 3]) for first in (0, 3, 6)] == [Counter(group) for group in COUNTS]
        seen[tuple(dealt)] += 1
    assert len(seen) == 54
    chi_square = sum((count - 100) ** 2 / 100 for count in seen.values())
    assert chi_square < 90  # 53 degrees of freedom: .001 of the draws are further off
    one, other = (next(release.reconstruct(run=Run(chance=seed))).to_arrow() for seed in (1, 1))
    assert one.equals(other)


def test_reconstructing_a_broken_release_or_nothing_is_refused() -> None:
    with pytest.raises(
        library.errors.InputError, match="group 1 has 3 rows and 4 sensitive values: the release is damaged"
    ):
        bucketized(counts=[COUNTS[0], {"Flu": 2, "Heart Disease": 2}, COUNTS[2]]).reconstruct()
    with pytest.raises(library.errors.InputError, match="group 2 has 3 rows and 3 sensitive values"):
        bucketized(counts=[COUNTS[0], COUNTS[1], {"Flu": -1, "Heart Disease": 4}]).reconstruct()
    with pytest.raises(library.errors.InputError, match="n is 0"):
        bucketized().reconstruct(0)
    with pytest.raises(library.errors.InputError, match="seed is -1"):
        bucketized().reconstruct(run=Run(chance=-1))
    with pytest.raises(library.errors.InputError, match=r"is no release of baskets: release\.reconstruct"):
        reconstruct(bucketized())


def test_a_value_that_no_group_has_is_not_made_up() -> None:
    table = next(bucketized(ROWS[:1], COUNTS[:1]).reconstruct())
    assert table.column("disease").values.to_pylist() == ["Ovarian Cancer", "Prostate Cancer"]


def test_a_release_gives_its_tables_to_arrow() -> None:
    tables = bucketized().to_arrow()
    assert list(tables) == ["quasi_identifiers", "sensitive"]
    assert tables["quasi_identifiers"].column_names == ["group", "zip", "age", "sex"]
    assert tables["sensitive"].to_pylist()[-1] == {"group": 2, "disease": None, "count": 1}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("show {table} --cluster 1", "is a release of a table, which has groups: --group 1"),
        ("show {table} --group 3", "there is no group 3: they are numbered 0 to 2"),
        ("show {baskets} --group 1", "is a release of baskets, which has clusters: --cluster 1"),
        ("export {table} --to fimi", "fimi is a format of baskets, and this is a release of a table"),
        ("export {table} --to csv", "csv holds one table: choose its part, rows or counts"),
        ("export {table} --part rows", "JSON lines hold rows and counts, group by group: leave out the part"),
        ("export {baskets} --part rows", "--part is not about a disassociated release: leave it out"),
        ("export {baskets} --to parquet", "a release of baskets is Parquet as it is"),
        ("reconstruct {table} -o {out} --format fimi", "--format fimi is for baskets"),
        (
            "reconstruct {table} -o {out} --term-items uniform",
            "--term-items is not about a bucketized release: leave it out",
        ),
        ("reconstruct {baskets} -o {out} --format csv", "--format csv is for tables"),
        ("mine {table}", "is a release of a table (anatomy), and this is for releases of baskets"),
    ],
)
def test_what_makes_no_sense_is_said(
    capfd: Captured, table_2: Path, release: Path, tmp_path: Path, command: str, message: str
) -> None:
    filled = command.format(table=table_2, baskets=release, out=tmp_path / "out")
    code, out, err = shoal(capfd, *filled.split())
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert not (tmp_path / "out").exists()
