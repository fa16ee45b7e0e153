"""Commands on randomized releases: they are shown, described and exported as they are, and nothing else is made up."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.io.release_folder import read_release
from shoal.promises import Randomization
from tests.making.randomized_releases import names_of, randomized
from tests.running.commands import shoal

HYBRID = Randomization(0.9, 1.5, ((1, 0.5), (2, 0.5)))
ROWS = [(), (), ["a"], ["a", "b"], ["a", "b"], ["a", "b"], ["a", "c"], ["b"], ["b", "c"], ["c"]]


@pytest.fixture
def hybrid(tmp_path: Path) -> Path:
    """Ten rows, four of them real, two of them empty; nobody has d."""
    release = randomized(ROWS, "abcd", HYBRID, n_records=4)
    release.write(tmp_path / "hybrid")
    return tmp_path / "hybrid"


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Items that need quoting everywhere, and of which some are no words."""
    randomized([["a b", "b,c"], ['d"e', "f\ng"], ["\N{SHARK}"], []], ["a b", "b,c", 'd"e', "f\ng", "\N{SHARK}"]).write(
        tmp_path / "odd"
    )
    return tmp_path / "odd"


def test_show_draws_the_first_different_rows(capfd: pytest.CaptureFixture[str], hybrid: Path) -> None:
    code, out, err = shoal(capfd, "show", hybrid)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "was kept with probability 0.9" in " ".join(lines)
    assert "10 rows, 6 of them fake; 4 items in the list" in lines
    drawn = lines[lines.index("row items") + 2 :]
    times = "\N{MULTIPLICATION SIGN}"
    assert drawn[:7] == [f"0 {{}} {times}2", "2 {a}", f"3 {{a, b}} {times}3", "6 {a, c}", "7 {b}", "8 {b, c}", "9 {c}"]
    assert "more" not in out
    out = shoal(capfd, "show", hybrid, "--rows", 3)[1]
    assert f"{{a, b}} {times}3" in out
    assert "{a, c}" not in out
    assert "... and 4 more rows (--rows N)" in out


def test_show_does_not_say_that_equal_rows_end_where_it_stops_looking(
    capfd: pytest.CaptureFixture[str], hybrid: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.analyse.first_rows._LOOKED_AT", 5)
    out = shoal(capfd, "show", hybrid)[1]
    assert "{a, b} \N{MULTIPLICATION SIGN}2 or more" in out
    assert "... and 5 more rows" in out


@pytest.mark.parametrize("option", ["--cluster", "--group", "--limit"])
def test_show_refuses_options_about_other_releases(
    capfd: pytest.CaptureFixture[str], hybrid: Path, option: str
) -> None:
    code, _, err = shoal(capfd, "show", hybrid, option, 1)
    assert code == 2
    assert f"{option} is not about a randomized release, which has rows (--rows N): leave it out" in err


@pytest.mark.parametrize("name", ["hybrid", "odd"])
@pytest.mark.parametrize("to", ["jsonl", "csv", "parquet"])
def test_every_row_is_exported_by_name(
    capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest, tmp_path: Path, name: str, to: str
) -> None:
    folder = request.getfixturevalue(name)
    expected = names_of(read_release(folder))
    out = tmp_path / "out"
    code, printed, err = shoal(capfd, "export", folder, "--to", to, "-o", out)
    assert (code, printed) == (0, "")
    if to == "jsonl":
        assert [json.loads(line) for line in out.read_text().splitlines()] == [{"items": row} for row in expected]
    elif to == "parquet":
        assert pq.read_table(out).to_pydict() == {"items": expected}
    else:
        rows = list(csv.DictReader(io.StringIO(out.read_text())))
        assert [(int(row["row"]), row["item"]) for row in rows] == [
            (number, item) for number, row in enumerate(expected) for item in row
        ]
        empty = sum(not row for row in expected)
        assert f"{empty} of the {len(expected)} rows are empty: their numbers, from 0 on, are not in the file" in err


def test_fimi_has_a_line_for_each_row_and_says_that_blank_ones_may_be_skipped(
    capfd: pytest.CaptureFixture[str], hybrid: Path
) -> None:
    code, out, err = shoal(capfd, "export", hybrid, "--to", "fimi")
    assert code == 0
    assert [line.split() for line in out.split("\n")[:-1]] == names_of(read_release(hybrid))
    assert "2 of the 10 rows are empty and stand as blank lines" in err
    assert "as numbers of rows, not as shares" in err


def test_without_empty_rows_nothing_is_said(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    randomized(["a", "ab"], "ab").write(tmp_path / "release")
    for to in ("fimi", "csv"):
        assert shoal(capfd, "export", tmp_path / "release", "--to", to)[2] == ""


def test_fimi_refuses_names_that_it_cannot_carry(capfd: pytest.CaptureFixture[str], odd: Path) -> None:
    code, _, err = shoal(capfd, "export", odd, "--to", "fimi")
    assert code == 2
    assert "4 items, such as 'a b'" in err
    assert "export as jsonl, csv or parquet" in err
    code, _, err = shoal(capfd, "export", odd, "--part", "rows")
    assert code == 2
    assert "--part is not about a randomized release: leave it out" in err


def test_an_export_can_be_read_back_but_for_empty_rows(
    capfd: pytest.CaptureFixture[str], hybrid: Path, tmp_path: Path
) -> None:
    shoal(capfd, "export", hybrid, "--to", "fimi", "-o", tmp_path / "rows.dat")
    back = library.read(tmp_path / "rows.dat")
    assert [sorted(row) for row in back] == [row for row in names_of(read_release(hybrid)) if row]


def test_info_says_what_an_analyst_needs(capfd: pytest.CaptureFixture[str], hybrid: Path, tmp_path: Path) -> None:
    code, out, err = shoal(capfd, "info", hybrid)
    assert (code, err) == (0, "")
    assert "hybrid: 10 rows, 4 records, 4 items, 13 ones" in out
    assert "items per row: 0 to 2, mean 1.30; 2 of them empty" in out
    assert "fake transactions were drawn with 1 to 2 items" in out
    assert "seed" not in out
    seen = json.loads(shoal(capfd, "info", hybrid, "--json")[1])
    assert seen["counts"] == {"rows": 10, "records": 4, "items": 4, "ones": 13}
    assert (seen["keep_prob"], seen["fakes"], seen["fake_lengths"]) == (0.9, 1.5, {"1": 0.5, "2": 0.5})
    assert seen["row_lengths"] == {"shortest": 0, "longest": 2, "mean": 1.3, "empty": 2}
    assert seen["reproducible"] is False
    randomized(["a"], "a", reproducible=True).write(tmp_path / "seeded")
    assert "the random choices were made with a seed: do not publish" in shoal(capfd, "info", tmp_path / "seeded")[1]


def test_no_original_is_drawn_and_no_group_judged(
    capfd: pytest.CaptureFixture[str], hybrid: Path, tmp_path: Path
) -> None:
    code, _, err = shoal(capfd, "reconstruct", hybrid, "-o", tmp_path / "drawn")
    assert code == 2
    assert "no possible original is drawn" in err
    assert "shoal mine and shoal query estimate" in err
    assert not (tmp_path / "drawn").exists()
    code, _, err = shoal(capfd, "risk", hybrid)
    assert code == 2
    assert "is a randomized release (hybrid)" in err
    assert "shoal privacy" in err


HOSTILE = ["\x1b[31mred\x1b[0m", "\x9b2J", "a\nb", "\u202eevil", "\x07", "", " ", "{a, b}", "tab\tbed"]


def test_items_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    randomized([HOSTILE], HOSTILE).write(tmp_path / "release")
    for command in ("show", "info"):
        _, out, err = shoal(capfd, command, tmp_path / "release")
        assert all(c.isprintable() or c == "\n" for c in out + err), (command, out, err)
    assert r"'\x1b[31mred\x1b[0m'" in " ".join(shoal(capfd, "show", tmp_path / "release")[1].split())
