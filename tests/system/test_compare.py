"""Comparisons from outside: one table, numbers that are kept and gone on with, and no release left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest

from tests.making import study_data
from tests.running.commands import SHOAL, shoal

Captured = pytest.CaptureFixture[str]
COLUMNS = ["--quasi", "age,sex", "--sensitive", "illness"]
# Writes its release, says who it is, and then waits.
WAITS = """
        pipeline.verify = lambda *_, **__: (open({who!r}, "w").write(str(os.getpid())), time.sleep(600))
        return right(method, original, settings, run)
"""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with baskets and people, in which commands run, and a folder for temporary files."""
    rows = [" ".join(sorted(row)) for row in study_data.baskets()]
    (tmp_path / "baskets.dat").write_text("\n".join(rows))
    pyarrow.csv.write_csv(study_data.people().to_arrow(), tmp_path / "people.csv")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def left_in(house: Path) -> list[Path]:
    """Whatever looks like a release, whole or half, anywhere."""
    return [path for path in house.rglob("*") if "manifest" in path.name or path.suffix == ".parquet"]


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def flat(text: str) -> str:
    return " ".join(text.split())


@contextlib.contextmanager
def waiting(house: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A comparison one of whose methods has written its release and now waits, and the process of that method."""
    who = house / "who"
    path = study_data.misbehaving(house / "site", "bottom-up", WAITS.format(who=str(who)))
    paths = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [*SHOAL, *TABLE, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    try:
        until(lambda: who.exists() and who.read_text() != "", process)
        assert left_in(house), "the release is not there yet"
        yield process, int(who.read_text())
    finally:
        process.kill()
        process.communicate()


def until(there: Any, process: subprocess.Popen[str] | None = None) -> None:
    for _ in range(3_000):
        if there():
            return
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.02)
    pytest.fail("waited for a minute")


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    with contextlib.suppress(OSError):  # an orphan that nobody has buried yet
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return False


TABLE = ["compare", "people.csv", *COLUMNS, "--missing", "keep", "-k", "5", "-l", "2", "--seed", "1", "-o", "out"]
TABLE += ["--methods", "anatomy,bottom-up,mondrian-hidden"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_comparison_leaves_no_release_and_goes_on(
    capfd: Captured, house: Path, number: signal.Signals
) -> None:
    with waiting(house) as (process, child):
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 128 + number, err
    assert "Traceback" not in err
    assert "interrupted: no release is left; the results so far are in out, and the same command resumes there" in err
    assert out == ""
    assert is_gone(child)
    assert left_in(house) == []
    first = house / "out" / "results" / "anatomy.json"
    before = (first.stat().st_mtime_ns, first.read_bytes())
    assert files(house / "out") == ["README.txt", "comparison.json", "results", "results/anatomy.json"]

    code, out, err = shoal(capfd, *TABLE)
    assert code == 0, err
    assert "note: done before, and not repeated: anatomy" in err
    assert (first.stat().st_mtime_ns, first.read_bytes()) == before
    assert left_in(house) == []
    assert list((house / "temporary").iterdir()) == []
    assert files(house / "out" / "results") == ["anatomy.json", "bottom-up.json", "mondrian-hidden.json"]
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert lines["anatomy"][1] == "part", "a seed stood in for chance"
    assert lines["bottom-up"][1] == lines["mondrian-hidden"][1] == "yes"
    assert "a sensitive value belongs to at most one in l = 2 rows of a group" in flat(out)
    assert "groups show no association of confidence 0.5" in flat(out)
    assert "Promises differ: what one of them hides another may show." in out
    assert "query error" in flat(out)
    assert flat(out).endswith("numbers are kept in out: internal, not for publication")

    kept = files(house / "out")
    code, _, err = shoal(capfd, *TABLE, "--json")  # all of it was done
    assert "anatomy; bottom-up; mondrian-hidden" in err
    assert code == 0
    code, _, err = shoal(capfd, *TABLE, "-k", "6")
    assert code == 2
    assert "out holds the comparison of another request (it differs in jobs)" in err
    pyarrow.csv.write_csv(study_data.people(61).to_arrow(), house / "people.csv")
    code, _, err = shoal(capfd, *TABLE)
    assert code == 2
    assert "(it differs in data)" in err
    assert files(house / "out") == kept


def test_a_method_does_not_outlive_a_command_that_is_killed(house: Path) -> None:
    with waiting(house, "--methods", "bottom-up,anatomy") as (process, child):
        process.kill()
        process.communicate()
        until(lambda: is_gone(child))
    assert left_in(house) == []
    assert list((house / "temporary").iterdir()) == []


def test_what_is_impossible_or_crashes_is_shown_the_others_go_on_and_releases_are_kept_if_asked_for(
    capfd: Captured, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = study_data.misbehaving(house / "site", "fakes", "os.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")])))
    methods = ["--methods", "disassociate,fakes,mask"]
    command = ["compare", "baskets.dat", *methods, "-k", "100", "-o", "out", "--keep-releases", "--top", "50"]
    code, out, err = shoal(capfd, *command, "--json")
    assert code == 4, err
    found = json.loads(out)
    rows = {entry["label"]: entry for entry in found["outcomes"]}
    assert found["size"] == "60 records of 6 different items"
    assert rows["disassociate"]["state"] == "impossible"
    assert rows["disassociate"]["reason"].startswith("60 records cannot hide one among 100")
    assert (rows["fakes"]["state"], rows["fakes"]["bug"]) == ("failed", True)
    assert "SIGKILL" in rows["fakes"]["reason"]
    assert (rows["mask"]["state"], rows["mask"]["verified"], rows["mask"]["not_checked"]) == ("done", True, [])
    assert rows["mask"]["metrics"]
    # What crashed is tried again next time; what is impossible is not.
    assert files(house / "out" / "results") == ["disassociate.json", "mask.json"]
    releases = house / "out" / "releases"
    assert sorted(path.name for path in releases.iterdir()) == ["DO-NOT-PUBLISH.txt", "mask"]
    assert left_in(house) == left_in(releases / "mask") != []
    assert list((house / "temporary").iterdir()) == []
    assert "Do not publish these folders" in (releases / "DO-NOT-PUBLISH.txt").read_text()
    assert releases.stat().st_mode & 0o077 == 0
    assert "one of several" in json.loads((releases / "mask" / "manifest.json").read_text())["do_not_publish"]
    code, out, _ = shoal(capfd, "verify", releases / "mask", "--original", "baskets.dat")
    assert code == 0
    assert "do not publish" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere.dat"], 2, "nowhere.dat"),
        (["baskets.dat", "--methods", "disasociate"], 2, "did you mean 'disassociate'?"),
        (["baskets.dat", "--methods", "anatomy"], 2, "anatomy publishes a table"),
        (["baskets.dat", "-k", "1"], 2, "k is 1"),
        (["baskets.dat", "--methods", "mask", "--epsilon", "2"], 2, "epsilon is only used by diffpart"),
        (["baskets.dat", "-l", "2"], 2, "l is only used by anatomy, injector"),
        (["baskets.dat", "--min-support", "2"], 2, "min_support is 2"),
        (["baskets.dat", "--hierarchy", "nowhere.csv"], 2, "nowhere.csv"),
        (["baskets.dat", "--hierarchy", "items.csv"], 2, "without a place"),
        (["baskets.dat", "--hierarchy", "items.csv", "--hierarchy", "items.csv"], 2, "give --hierarchy once"),
        (["baskets.dat", "--hierarchy", "twice.csv"], 2, "the label 'c' occurs at two places"),
        (["baskets.dat", "--complete"], 2, "--complete applies to hierarchies"),
        (["baskets.dat", "--sensitive", "a", "--methods", "mask"], 2, "sensitive is only used by disassociate-l"),
        (["baskets.dat", "--methods", "disassociate-l"], 2, "no sensitive item is given"),
        (["baskets.dat", "--sensitive", "aa"], 2, "not in the data: 'aa'"),
        (["people.csv", "--quasi", "age,sex", "--long", "a,b"], 2, "--long is only for baskets"),
        (["people.csv", "--quasi", "age,agee"], 2, "did you mean 'age'"),
        (["people.csv", "--quasi", "age"], 2, "missing"),
        (["people.csv", "--quasi", "sex", "--top", "5"], 2, "top applies to itemsets of baskets"),
        (["people.csv", "--quasi", "sex", "--hierarchy", "sex=nowhere.csv"], 2, "nowhere.csv"),
        (["people.csv", "--quasi", "sex", "-m", "2"], 2, "m is only used by disassociate"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(
    capfd: Captured, house: Path, arguments: list[str], code: int, said: str
) -> None:
    (house / "items.csv").write_text("a;*\nb;*\n")
    (house / "twice.csv").write_text("a;c;*\nb;c;*\nc;d;*\nd;d;*\ne;f;*\nf;f;*\n")
    ended, out, err = shoal(capfd, "compare", *arguments, "-o", "out")
    assert (ended, out) == (code, ""), err
    assert said in err
    assert not (house / "out").exists()
