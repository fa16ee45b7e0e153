"""``shoal reconstruct``: possible originals as files, in every format, and nothing half written."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

import shoal as library
from shoal import pipeline
from shoal.io import basket_files
from shoal.run import Run
from tests.making.disassociated_releases import disassociated, nodes_of
from tests.oracles import reconstruction as oracle
from tests.running.commands import SHOAL, shoal

ENDINGS = {"fimi": ".dat", "delimited": ".csv", "long": ".long.csv", "parquet": ".parquet"}


def read_back(path: Path, format: str) -> Any:
    return library.read(path, long=("record", "item") if format == "long" else None)


def why_impossible(folder: Path, records: Any) -> str | None:
    return oracle.why_impossible(nodes_of(library.read_release(folder)), list(records))


@pytest.mark.parametrize("format", ENDINGS)
def test_each_format_is_read_back_as_a_possible_original(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path, format: str
) -> None:
    out = tmp_path / "possible"
    code, printed, err = shoal(capfd, "reconstruct", release, "-n", 3, "-o", out, "--format", format, "--seed", 7)
    assert (code, err) == (0, "")
    assert "wrote 3 reconstructions of 27 records" in printed
    assert "None is the original, unless by chance" in " ".join(printed.split())
    names = [f"reconstruction-0{number}{ENDINGS[format]}" for number in (1, 2, 3)]
    assert sorted(path.name for path in out.iterdir()) == names
    expected = library.read_release(release).reconstruct(3, run=Run(chance=7))
    for name, original in zip(names, expected, strict=True):
        records = read_back(out / name, format)
        assert (list(records), records.merged, records.dropped) == (list(original), 0, 0)
        assert why_impossible(release, records) is None


def test_by_default_there_is_one_and_term_items_may_be_in_several_records(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    out = tmp_path / "possible"
    code, printed, _ = shoal(capfd, "reconstruct", release, "-o", out, "--term-items", "uniform", "--json")
    assert code == 0
    said = json.loads(printed)
    assert said["files"] == [str(out / "reconstruction-01.dat")]
    assert (said["records"], said["term_items"], said["seed"], said["format"]) == (27, "uniform", None, "fimi")
    assert why_impossible(release, library.read(out / "reconstruction-01.dat")) is None


def test_a_hundred_files_stand_in_order(capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    assert shoal(capfd, "reconstruct", release, "-n", 100, "-o", tmp_path / "possible")[0] == 0
    names = sorted(path.name for path in (tmp_path / "possible").iterdir())
    assert (names[0], names[-1], len(names)) == ("reconstruction-001.dat", "reconstruction-100.dat", 100)


STRANGE = ['a "x"', "b,c", " lead", "trail ", "semi;colon", "bar|", "f\ng", "tab\there", "\N{SHARK}", "\ufeffmark", "é"]


@pytest.mark.parametrize("format", ["delimited", "long", "parquet"])
def test_words_that_need_quoting_come_back(capfd: pytest.CaptureFixture[str], tmp_path: Path, format: str) -> None:
    pipeline.write(disassociated([(3, [[STRANGE] * 3], "c")], k=3), tmp_path / "release")
    out = tmp_path / "possible"
    assert shoal(capfd, "reconstruct", tmp_path / "release", "-o", out, "--format", format)[0] == 0
    assert why_impossible(tmp_path / "release", read_back(out / f"reconstruction-01{ENDINGS[format]}", format)) is None


@pytest.mark.parametrize(
    ("word", "format"),
    [("b c", "fimi"), ("b,c", "fimi"), ('"b', "fimi"), ("", "fimi"), ("b\rc", "delimited"), ("", "long")],
)
def test_words_that_a_format_cannot_carry_are_refused_and_leave_nothing(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, word: str, format: str
) -> None:
    pipeline.write(disassociated([(3, [[["a", word]] * 3], "c")], k=3), tmp_path / "release")
    code, _, err = shoal(capfd, "reconstruct", tmp_path / "release", "-o", tmp_path / "out", "--format", format)
    assert code == 2
    assert "which this format cannot carry: choose parquet" in err
    assert not (tmp_path / "out").exists()


def test_many_records_are_written_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(basket_files, "_ROWS", 7)
    data = library.quest(50, n_items=20, seed=1)
    for name, (ending, write) in basket_files.BASKET_FILES.items():
        with (tmp_path / f"data{ending}").open("wb") as file:
            write(data, file)
        assert list(read_back(tmp_path / f"data{ending}", name)) == list(data)


# -- wrong inputs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", ["0", "-3"])
def test_no_reconstructions_are_refused(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path, n: str
) -> None:
    code, _, err = shoal(capfd, "reconstruct", release, "-n", n, "-o", tmp_path / "out")
    assert (code, "it must be a whole number from 1 on" in err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_a_release_is_refused(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for wrong in (tmp_path / "mine", tmp_path / "nowhere"):
        assert shoal(capfd, "reconstruct", wrong, "-o", tmp_path / "out")[0] == 2
    assert not (tmp_path / "out").exists()


def test_a_seed_and_words_that_are_none_are_refused(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert shoal(capfd, "reconstruct", release, "-o", out, "--seed", -1)[0] == 2
    assert shoal(capfd, "reconstruct", release, "-o", out, "--term-items", "twice")[0] == 2
    assert shoal(capfd, "reconstruct", release, "-o", out, "--format", "jpeg")[0] == 2
    assert not out.exists()


def test_nothing_is_replaced_without_force_and_with_it_reconstructions_only(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    out = tmp_path / "possible"
    assert shoal(capfd, "reconstruct", release, "-n", 3, "-o", out, "--seed", 1)[0] == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    code, _, err = shoal(capfd, "reconstruct", release, "-n", 2, "-o", out, "--seed", 2)
    assert (code, "--force to replace the reconstructions in it" in err) == (2, True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert shoal(capfd, "reconstruct", release, "-n", 2, "-o", out, "--seed", 2, "--force")[0] == 0
    after = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(after) == ["reconstruction-01.dat", "reconstruction-02.dat"]
    assert all(before[name] != after[name] for name in after)
    (out / "notes.txt").write_text("mine")
    code, _, err = shoal(capfd, "reconstruct", release, "-o", out, "--force")
    assert (code, "holds 'notes.txt', which is not a reconstruction" in err) == (2, True)
    assert len(list(out.iterdir())) == 3


def test_a_folder_that_cannot_be_made_is_refused(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    code, _, err = shoal(capfd, "reconstruct", release, "-o", tmp_path / "file")
    assert (code, "is a file" in err) == (2, True)
    code, _, err = shoal(capfd, "reconstruct", release, "-o", tmp_path / "no" / "such")
    assert (code, "there is no folder" in err) == (2, True)


def test_a_release_that_no_original_has_is_damaged(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from shoal.io.release_folder import write_release

    (tmp_path / "release").mkdir()
    write_release(disassociated([(3, [["a", "a"]], "")]), tmp_path / "release")
    code, _, err = shoal(capfd, "reconstruct", tmp_path / "release", "-o", tmp_path / "out")
    assert (code, "a record of cluster 0 stays empty" in err) == (1, True)
    assert not (tmp_path / "out").exists()


def test_an_interrupted_run_leaves_whole_files_only(tmp_path: Path) -> None:
    library.disassociate(library.quest(20_000, seed=1), 5, 2).write(tmp_path / "release")
    out = tmp_path / "possible"
    command = [*SHOAL, "reconstruct", str(tmp_path / "release"), "-n", "100000", "-o", str(out), "--seed", "1"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 300
    while not (out.is_dir() and len(list(out.iterdir())) > 2) and time.monotonic() < until:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=300)
    assert running.returncode == 130
    written = sorted(out.iterdir())
    assert f"interrupted: {len(written):,} of 100,000 reconstructions written" in err
    assert [path.name for path in written] == [f"reconstruction-{n:06}.dat" for n in range(1, len(written) + 1)]
    lines = [path.read_bytes().count(b"\n") for path in written]
    assert lines == [20_000] * len(written)
