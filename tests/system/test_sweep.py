"""Sweeps from outside: the map in words and numbers, numbers that are kept and gone on with, no release left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.running.commands import SHOAL, shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with baskets and a table, in which commands run."""
    chance = random.Random(9)
    rows = [sorted(set(chance.choices("abcdefgh", [8, 7, 6, 5, 4, 3, 2, 1], k=4))) for _ in range(90)]
    (tmp_path / "baskets.dat").write_text("\n".join(" ".join(row) for row in rows))
    people = [f"{chance.randint(20, 50)},{chance.choice('fm')}" for _ in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex", *people]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def releases_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if "manifest" in path.name or path.suffix == ".parquet"]


def test_a_sweep_prints_the_map_keeps_numbers_only_and_is_not_done_twice(house: Path, capfd: Captured) -> None:
    command = ["sweep", "baskets.dat", "--method", "disassociate", "-k", "2,4,9", "-o", "sweep"]
    code, out, err = shoal(capfd, *command)
    assert code == 0, err
    text = " ".join(out.split())
    assert "k = 4 costs" in text
    assert "of the pairs that k = 2 kept" in text
    assert "Risks of different methods are not on one scale" in text
    assert "0.500 |a" in out
    assert releases_in(house) == []
    assert sorted(path.name for path in (house / "sweep" / "results").iterdir()) == [
        "k=2.json",
        "k=4.json",
        "k=9.json",
    ]
    code, again, err = shoal(capfd, *command, "--json")
    assert code == 0
    assert "not repeated: k=2; k=4; k=9" in err
    found = json.loads(again)
    assert [point["risk"] for point in found["points"]] == [1 / 2, 1 / 4, 1 / 9]
    assert [point["values"] for point in found["points"]] == [{"k": 2}, {"k": 4}, {"k": 9}]
    for point in found["points"]:
        kept = next(m["value"] for m in point["outcome"]["metrics"] if m["name"] == "pairs kept")
        assert point["loss"] == pytest.approx(1 - kept)
        assert point["outcome"]["verified"]
    # Another metric is another map of the same numbers: nothing is done again.
    code, other, _ = shoal(capfd, *command, "--json", "--loss", "tKd")
    assert (code, json.loads(other)["loss"]) == (0, "tKd")
    # All points were asked the same, by chance that was drawn once.
    asked = found["measured_with"]["seed"]
    assert isinstance(asked, int)
    assert json.loads(other)["measured_with"]["seed"] == asked
    code, _, err = shoal(capfd, *[word.replace("2,4,9", "2,4") for word in command])
    assert (code, "holds the sweep of another request" in err) == (2, True)


@pytest.mark.usefixtures("house")
def test_a_table_without_a_sensitive_column_is_judged_by_what_was_generalized(capfd: Captured) -> None:
    options = ["--method", "k-anonymity", "--quasi", "age,sex", "-k", "2,6"]
    code, out, err = shoal(capfd, "sweep", "people.csv", *options, "-o", "sweep", "--json", "--loss", "NCP")
    assert code == 0, err
    found = json.loads(out)
    assert (found["method"], found["loss"]) == ("bottom-up", "NCP")
    low, high = (point["loss"] for point in found["points"])
    assert low <= high


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_sweep_goes_on_and_leaves_no_release(house: Path, number: signal.Signals) -> None:
    command = [*SHOAL, "sweep", "baskets.dat", "--method", "mask", "--keep-prob", ".9,.8", "-o", "sweep"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(house)}
    )
    first = house / "sweep" / "results" / "keep_prob=0.9.json"
    until = time.monotonic() + 300
    while not first.exists() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert "no release is left; the results so far are in sweep" in err
    assert first.exists()
    assert releases_in(house) == []
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "not repeated: keep_prob=0.9\n" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "disassociate", "-k", "1,5"], "k is 1: it must be a whole number from 2 on"),
        (["--method", "disassociate", "-k", "two,5"], "k is 'two': it must be a whole number"),
        (["--method", "disassociate", "-k", "2,,5"], "--k is '2,,5': give comma-separated values"),
        (["--method", "disassociate", "-k", "5"], "a sweep needs several points"),
        (["--method", "mask", "-m", "2,3"], "mask does not take m: it takes keep_prob"),
        (["--method", "dissasociate"], "did you mean 'disassociate'?"),
        (["--method", "anatomy", "-l", "2,3"], "anatomy publishes a table, and these are baskets"),
        (["--method", "all"], "a sweep is of one method"),
        (["--method", "disassociate-l"], "no sensitive item is given"),
        (["--method", "disassociate", "--sensitive", "a"], "--sensitive is only for tables"),
        (["--method", "disassociate", "--loss", "beauty"], "loss is 'beauty': it must be one of tKd"),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_read(options: list[str], said: str, capfd: Captured) -> None:
    code, _, err = shoal(capfd, "sweep", "not-there.dat", *options, "-o", "sweep")
    assert code == 2
    assert said in " ".join(err.split())
