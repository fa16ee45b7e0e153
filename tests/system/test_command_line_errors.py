"""Every way to get a command wrong: its exit code, and a message that says what is wrong, where, and what to do."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shoal import pipeline
from shoal.cli.main import run
from shoal.errors import InternalError
from tests.builders import disassociated
from tests.damage import edit_manifest, rewrite, with_column

SHOAL = [sys.executable, "-m", "shoal"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with good and bad files; the current one."""
    (tmp_path / "baskets.dat").write_text("bread milk\n" * 6 + "bread tea\n" * 4)
    (tmp_path / "people.csv").write_text("age,job,city\n30,cook,Rome\n?,cook,\n41,,Bonn\n52,nurse,\n")
    (tmp_path / "jobs.csv").write_text("cook;kitchen;*\n")
    (tmp_path / "empty.txt").write_text("\n \n")
    (tmp_path / "single.txt").write_text("tea, milk\nmilk\n")
    (tmp_path / "unknown.txt").write_text("milk, chai\n")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "me.jpg").write_text("mine")
    pipeline.write(disassociated([(3, [["ab", "ab", "a"]], "cd")], k=2, m=2), tmp_path / "release")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PUBLISH = "publish disassociate baskets.dat -o new"
WRONG = [
    # the input
    ("info nowhere.dat", 2, "error: no such file: nowhere.dat"),
    ("info nothing", 2, "error: nothing is a directory: give the file inside it"),
    ("info empty.txt", 2, "error: no records in empty.txt"),
    ("info binary.txt", 2, "error: binary.txt"),
    ("info baskets.dat -k 0", 2, "k is 0: it must be a whole number from 1 on"),
    ("info baskets.dat --long user", 2, "--long needs two comma-separated column names, as in --long user,item"),
    ("info baskets.dat --long a,b,c", 2, "--long needs two comma-separated column names"),
    ("info people.csv --long agee,job", 2, "agee"),
    ("info baskets.dat --column items", 2, "baskets.dat is not a Parquet file"),
    ("info baskets.dat --format xml", 2, "'xml' is not one of"),
    ("info nowhere.csv --table", 2, "nowhere.csv"),
    ("info people.csv --quasi agee", 2, "agee"),
    ("info people.csv --quasi age,job --missing sometimes", 2, "'sometimes' is not one of"),
    ("info people.csv --table", 2, "of 4 rows, values are missing in 'age' (1), 'job' (1), 'city' (2): --missing drop"),
    ("info people.csv --quasi age,job", 2, "values are missing in 'age' (1), 'job' (1): --missing drop"),
    ("info people.csv --missing keep --hierarchy job=jobs.csv", 2, "--complete"),
    ("info people.csv --missing keep --hierarchy job", 2, "--hierarchy needs a column and a file"),
    ("info people.csv --missing keep --hierarchy job=nowhere.csv", 2, "nowhere.csv"),
    ("info people.csv --missing keep --hierarchy joob=jobs.csv", 2, "joob"),
    ("info people.csv --missing keep --hierarchy job=frequency --hierarchy job=frequency", 2, "two hierarchies"),
    # publish
    (f"{PUBLISH} -k 1 -m 2", 2, "k is 1: it must be a whole number from 2 on"),
    (f"{PUBLISH} -k 3 -m 0", 2, "m is 0: it must be a whole number from 1 on"),
    # Before anything is read: there is no such file.
    ("publish disassociate none.dat -o new -k 3 -m 2 --refine-rounds -1", 2, "--refine-rounds"),
    ("publish disassociate none.dat -o new -k 3 -m 2 --threads 0", 2, "--threads"),
    (f"{PUBLISH} -k three -m 2", 2, "Invalid value for '-k' / '--k'"),
    (f"{PUBLISH} -k 3", 2, "Missing option '-m'"),
    ("publish disassociate baskets.dat -k 3 -m 2", 2, "Missing option '-o'"),
    ("publish disassociate -k 3 -m 2 -o new", 2, "Missing argument 'FILE'"),
    ("publish disassociate nowhere.dat -k 3 -m 2 -o new", 2, "no such file: nowhere.dat"),
    (f"{PUBLISH} -k 11 -m 2", 3, "10 records cannot hide one among 11"),
    (f"{PUBLISH} -k 3 -m 2 -l 11 --sensitive tea", 3, "10 records cannot hide one among 11"),
    (f"{PUBLISH} -k 3 -m 2 --max-cluster-size 4", 2, "the maximum cluster size must be at least 5 (2 * 3 - 1), got 4"),
    (f"{PUBLISH} -k 3 -m 2 --sensitive tee -l 2", 2, "not in the data: 'tee' (did you mean 'tea'?) (of 3 items)"),
    (f"{PUBLISH} -k 3 -m 2 --sensitive tea", 2, "sensitive items need l"),
    (f"{PUBLISH} -k 3 -m 2 -l 2", 2, "none are named: add --sensitive ITEM, or leave -l out"),
    (f"{PUBLISH} -k 3 -m 2 -l 1 --sensitive tea", 2, "l is 1: it must be a whole number from 2 on"),
    (f"{PUBLISH} -k 3 -m 2 -l 2 --sensitive-from nowhere.txt", 2, "nowhere.txt: no such file (--sensitive-from)"),
    (f"{PUBLISH} -k 3 -m 2 -l 2 --sensitive-from nothing", 2, "nothing: cannot be read (--sensitive-from): Is a dir"),
    (f"{PUBLISH} -k 3 -m 2 -l 2 --sensitive-from binary.txt", 2, "binary.txt: is not UTF-8 text (--sensitive-from)"),
    (f"{PUBLISH} -k 3 -m 2 -l 2 --sensitive-from empty.txt", 2, "empty.txt names no sensitive items: put one on each"),
    (f"{PUBLISH} -k 3 -m 2 --keep-itemsets nowhere.txt", 2, "nowhere.txt: no such file (--keep-itemsets)"),
    (f"{PUBLISH} -k 3 -m 2 --keep-itemsets empty.txt", 2, "empty.txt names no itemsets: put one on each line"),
    (f"{PUBLISH} -k 3 -m 2 --keep-itemsets single.txt", 2, "single.txt, line 2: 'milk' is one item: a set to keep has"),
    (f"{PUBLISH} -k 3 -m 2 --keep-itemsets unknown.txt", 2, "not in the data: 'chai'"),
    ("publish disassociate baskets.dat -k 3 -m 2 -o release", 2, "exists already; choose another name, or --force"),
    (
        "publish disassociate baskets.dat -k 3 -m 2 -o photos --force",
        2,
        "is not a release, so --force does not replace",
    ),
    ("publish disassociate baskets.dat -k 3 -m 2 -o baskets.dat --force", 2, "exists already and is a file"),
    ("publish disassociate baskets.dat -k 3 -m 2 -o nowhere/new", 2, "nowhere; make it first"),
    ("publish disasociate baskets.dat -k 3 -m 2 -o new", 2, "No such command 'disasociate'"),
    # releases
    ("verify nowhere", 2, "there is no such folder: nowhere"),
    ("verify release --original nowhere.dat", 2, "no such file: nowhere.dat"),
    ("show nowhere", 2, "there is no such folder: nowhere"),
    ("show photos", 2, "photos is not a release: it has no manifest.json"),
    ("show baskets.dat", 2, "baskets.dat is a file, but a release is a folder"),
    ("show release --cluster 1", 2, "there is no cluster 1: they are numbered 0 to 0"),
    ("show release --cluster -1", 2, "there is no cluster -1"),
    ("show release --limit 0", 2, "Invalid value for '--limit'"),
    ("show release --rows 0", 2, "Invalid value for '--rows'"),
    ("export photos", 2, "photos is not a release"),
    ("export release --to xml", 2, "'xml' is not one of"),
    ("export release -o baskets.dat", 2, "baskets.dat exists already"),
    ("export release -o nothing --force", 2, "cannot write nothing: Is a directory"),
    ("export release -o nowhere/out", 2, "cannot write nowhere/out: No such file or directory"),
    # Whatever is written into a release is published with it.
    ("publish disassociate baskets.dat -k 3 -m 2 -o release/new", 2, "release/new is inside of the release and would"),
    ("export release -o release/new", 2, "release/new is inside of the release"),
    ("reconstruct release -o release/new", 2, "release/new is inside of the release"),
    ("mine baskets.dat --min-support 1 -o release/new.csv", 2, "release/new.csv is inside of the release"),
    ("generate sample people -o release/new", 2, "release/new is inside of the release"),
    ("compare baskets.dat --methods mask -o release/new", 2, "release/new is inside of the release"),
    ("sweep baskets.dat --method mask -o release/new", 2, "release/new is inside of the release"),
    ("advise baskets.dat -o release/new", 2, "release/new is inside of the release"),
    # generate
    ("generate quest -o new --records 0", 2, "0"),
    ("generate quest -o nowhere/new --records 2", 2, "cannot write nowhere/new: No such file or directory"),
    ("generate people -o new --rows -3", 2, "-3"),
    ("generate hierarchy people.csv --column agee --kind ranges -o new", 2, "agee"),
    ("generate hierarchy people.csv --column job --kind ranges -o new", 2, "job"),
    ("generate hierarchy nowhere.csv --column job --kind ranges -o new", 2, "nowhere.csv"),
    ("generate hierarchy people.csv --column age --kind rangy -o new", 2, "'rangy' is not one of"),
    ("generate sample cats -o new", 2, "'cats'"),
    ("generate sample people -o nowhere/new", 2, "cannot write nowhere/new: No such file or directory"),
    # the command itself
    ("frobnicate", 2, "No such command 'frobnicate'"),
    ("info", 2, "Missing argument 'FILE|RELEASE'"),
    ("info baskets.dat --frobnicate", 2, "No such option: --frobnicate"),
    ("verify release --jsn", 2, "No such option: --jsn"),
]


@pytest.mark.parametrize(("command", "code", "message"), WRONG, ids=[command for command, _, _ in WRONG])
def test_a_mistake_is_named(
    capfd: pytest.CaptureFixture[str], folder: Path, command: str, code: int, message: str
) -> None:
    before = sorted(path.name for path in folder.rglob("*"))
    capfd.readouterr()
    assert run(command.split()) == code
    out, err = capfd.readouterr()
    assert message in " ".join(err.split()) or message in err
    assert out == "", "messages belong on standard error"
    assert "Traceback" not in err
    assert err.strip().count("\n") < 8
    assert sorted(path.name for path in folder.rglob("*")) == before, "a mistake leaves nothing behind"


def test_a_value_without_a_place_is_listed(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "all.csv").write_text("job\ncook\nnurse\npilot\ncook\n")
    command = ["info", "all.csv", "--quasi", "job", "--hierarchy", "job=jobs.csv"]
    assert run(command) == 2
    err = capfd.readouterr().err
    assert "'nurse'" in err
    assert "'pilot'" in err
    assert "'cook'" not in err
    assert "--complete" in err
    assert run([*command, "--complete"]) == 0


def test_verify_of_damage_is_no_with_a_witness(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "release" / "chunks.parquet").write_bytes(b"PAR1")
    assert run(["verify", "release"]) == 1
    out, err = capfd.readouterr()
    assert err == ""
    assert "FAILS   folder" in out
    assert "chunks.parquet was changed after it was published" in out
    assert run(["verify", "release", "--json"]) == 1
    verdict = json.loads(capfd.readouterr().out)
    assert verdict["holds"] is False
    assert "chunks.parquet" in verdict["checks"][0]["witness"]
    assert run(["show", "release"]) == 1
    assert "chunks.parquet was changed" in capfd.readouterr().err


def test_verify_of_a_broken_promise_is_no_with_a_witness(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    # With every checksum right: somebody who promises more than they keep.
    edit_manifest(folder / "release", lambda manifest: manifest["promises"][0].update(k=3))
    assert run(["verify", "release"]) == 1
    out = capfd.readouterr().out
    assert "FAILS   record chunks" in out
    assert "b" in out


def test_verify_of_a_changed_cluster_is_no_with_a_witness(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    rewrite(folder / "release", "clusters.parquet", with_column("size", [1], "clusters.parquet"))
    edit_manifest(folder / "release", lambda manifest: manifest["counts"].update(records=1))
    assert run(["verify", "release"]) == 1
    assert "3 subrecords for 1 record" in capfd.readouterr().out


def test_a_folder_that_is_no_release_does_not_verify(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    assert run(["verify", "photos"]) == 1
    assert "photos is not a release: it has no manifest.json" in capfd.readouterr().out
    assert (folder / "photos" / "me.jpg").exists()


@pytest.mark.parametrize("error", [InternalError("we are wrong"), RuntimeError("we are wrong"), KeyError("wrong")])
def test_a_bug_of_ours_is_4_and_shows_all(
    capfd: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def broken(*_arguments: Any, **_options: Any) -> None:
        raise error

    monkeypatch.setattr(pipeline, "verify_with", broken)
    assert run(["verify", str(folder / "release")]) == 4
    err = capfd.readouterr().err
    assert "Traceback" in err
    assert "wrong" in err
    assert err.endswith("error: this is a bug in Shoal, not a mistake of yours. Please report what stands above.\n")


def test_a_release_that_does_not_keep_its_promise_is_our_bug(
    capfd: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shoal.publish import disassociation

    broken = disassociated([(2, [["ab", "a"]], "")], k=2)
    monkeypatch.setattr(disassociation, "publish_and_trace", lambda *_a, **_k: (broken, None))
    assert run([*PUBLISH.split(), "-k", "2", "-m", "2"]) == 4
    out, err = capfd.readouterr()
    assert out == ""
    assert "Nothing was published" in err
    assert not (folder / "new").exists()


def test_no_memory_is_not_a_traceback(
    capfd: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hungry(*_arguments: Any, **_options: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(pipeline, "verify_with", hungry)
    assert run(["verify", str(folder / "release")]) == 2
    said = capfd.readouterr().err
    assert said.startswith("error: not enough memory, which says nothing about the data: raise ")
    assert "the memory of the machine, or of the container or control group" in said


@pytest.mark.parametrize("wrapped", [False, True], ids=["", "in a class statement"])
@pytest.mark.parametrize("command", [["verify", "release"], ["publish", "disassociate", "baskets.dat"]])
def test_interrupted_is_130(
    capfd: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], wrapped: bool
) -> None:
    def interrupted(*_arguments: Any, **_options: Any) -> None:
        if wrapped:  # as Python before 3.12 does while a module is loaded
            raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "verify_with", interrupted)
    monkeypatch.setattr(pipeline, "write", interrupted)
    publishing = command[0] == "publish"
    assert run([*command, *(["-k", "2", "-m", "1", "-o", "new"] if publishing else [])]) == 130
    said = capfd.readouterr().err.splitlines()[-1]  # a first run says before that it compiles
    assert said == ("interrupted: nothing was published" if publishing else "interrupted")
    assert not (folder / "new").exists()


# --- what only a process of its own shows --------------------------------------------------------------------------


def in_shell(command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    text = "set -o pipefail; " + command.replace("shoal", " ".join(SHOAL))
    options = {"text": True, **options}
    return subprocess.run(["bash", "-c", text], capture_output=True, timeout=300, check=False, **options)


@pytest.mark.parametrize(
    "to", ["export release", "export release --to csv", "export release --to fimi", "show release"]
)
def test_a_reader_that_has_had_enough_is_no_error(folder: Path, to: str) -> None:
    rows = [(2, [[f"item{number:05}"] * 2], [f"term{number:05}"]) for number in range(6000)]
    pipeline.write(disassociated(rows, k=2, m=2), folder / "release", force=True)
    more = " --limit 3000" if "show" in to else ""
    done = in_shell(f"shoal {to}{more} | head -n 2", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("more", ["", " --json"])
def test_a_check_that_fails_says_so_also_when_nobody_reads_why(folder: Path, more: str) -> None:
    (folder / "release" / "chunks.parquet").write_bytes(b"PAR1")
    assert in_shell(f"shoal verify release{more} | true", cwd=folder).returncode == 1
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}  # the pipe breaks while printing, not at the end
    assert in_shell(f"shoal verify release{more} | true", cwd=folder, env=environment).returncode == 1


def test_a_reader_of_made_up_data_that_has_had_enough_is_no_error() -> None:
    done = in_shell("shoal generate quest -o - --records 20000 --seed 1 | head -n 3")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize("command", ["info baskets.dat", "export release", "export release --to csv", "verify release"])
def test_a_full_device_is_the_users_to_mend(folder: Path, command: str) -> None:
    done = in_shell(f"shoal {command} > /dev/full", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == "error: the result cannot be written: No space left on device\n"


def test_a_closed_output_is_said(folder: Path) -> None:
    done = in_shell("shoal info baskets.dat >&-", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == "error: standard output is closed, so there is nowhere to write the result\n"
    assert in_shell("shoal info baskets.dat 2>&-", cwd=folder).returncode == 0
    assert in_shell("shoal info nowhere.dat 2>&-", cwd=folder).returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_umlauts_is_no_reason_to_stop(folder: Path, encoding: str) -> None:
    (folder / "baskets.dat").write_text("Brot Käse \N{SHARK}\n" * 5)
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for command in ("info baskets.dat", "info \N{SHARK}.dat"):
        done = in_shell(f"shoal {command}", cwd=folder, env=environment, encoding=encoding)
        assert done.returncode in (0, 2)
        assert "Traceback" not in done.stderr
        assert r"\U0001f988" in done.stdout + done.stderr


def test_no_traceback_from_outside(folder: Path) -> None:
    done = subprocess.run([*SHOAL, "info", "nowhere.dat"], capture_output=True, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: no such file: nowhere.dat\n")


def test_progress_is_drawn_on_a_terminal_and_only_there(folder: Path) -> None:
    command = [*SHOAL, *PUBLISH.split(), "-k", "3", "-m", "2"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, cwd=folder) as process:
        os.close(theirs)
        drawn = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side was closed
                break
            if not piece:
                break
            drawn += piece
        assert process.stdout is not None
        printed = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, drawn
    assert b"\x1b[" in drawn
    assert b"\x1b[" not in printed
    assert printed.startswith(b"published 10 records")


@pytest.mark.parametrize(("command", "code"), [("info baskets.dat", 0), ("info nowhere.dat", 2)])
def test_what_goes_wrong_while_the_interpreter_is_taken_apart_changes_nothing(
    folder: Path, command: str, code: int
) -> None:
    # As a thread of Arrow does now and then, which lets go of data of Python too late.
    script = "import atexit, os; atexit.register(os.abort); from shoal.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, *command.split()], capture_output=True, text=True, check=False, cwd=folder
    )
    plain = subprocess.run([*SHOAL, *command.split()], capture_output=True, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (code, plain.stdout, plain.stderr)
    assert done.stdout or done.stderr


def test_interrupted_while_it_is_loaded_is_130_in_one_line(folder: Path) -> None:
    script = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from shoal.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
