"""A job in a process of its own: what it costs is its own, and whatever becomes of it, nothing of it is left."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from shoal.study.methods import METHODS
from shoal.study.original import Original
from shoal.study.outcome import Job, Measuring, Outcome
from shoal.study.running import run
from tests.study_data import misbehaving, people


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where releases are written meanwhile; nothing is left there, nor in the system's folder."""
    made = tmp_path / "place"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


def job(name: str, **given: object) -> Job:
    return Job(name, name, METHODS[name].settings(given))


def test_what_it_costs_is_its_own(place: Path) -> None:
    ballast = np.ones(60_000_000)  # half a gigabyte of ours, which a child's resource usage begins with
    stages: list[str] = []
    found = run(
        job("anatomy", l=2), Original.of(people()), Measuring(seed=1), progress=lambda stage, *_: stages.append(stage)
    )
    assert (found.state, found.reason, found.failures, found.left_out) == ("done", "", (), ())
    assert found.checks > 5
    assert found.promises[0].startswith("In every group of rows each value of illness belongs to at most one in 2")
    costs = found.costs
    assert costs is not None
    assert 0 < costs.before_bytes <= costs.peak_bytes < ballast.nbytes
    assert 0 < costs.publish_seconds < 1, "without loading kernels, which takes longer"
    assert 1_000 < costs.disk_bytes < 100_000
    assert 0 < costs.audit_seconds < 10
    assert found.value("query error") is not None
    assert list(dict.fromkeys(stages))[:2] == ["load", "group"]
    assert "read back" in stages
    assert list(place.iterdir()) == []


def misbehaved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> Outcome:
    # A method without kernels, which starts faster.
    monkeypatch.setenv("PYTHONPATH", misbehaving(tmp_path / "site", "bottom-up", what))
    return run(job("bottom-up"), Original.of(people()), Measuring())


def test_a_process_that_dies_is_an_outcome(tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = misbehaved(tmp_path, monkeypatch, "os.kill(os.getpid(), signal.SIGKILL)")
    assert (found.state, found.bug) == ("failed", True)
    assert found.reason == "its process was ended by SIGKILL, perhaps by the system for want of memory"
    assert list(place.iterdir()) == []


def test_a_process_that_compiles_starts_again_once_without_the_memory_of_the_compiler(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = tmp_path / "starts"
    loading = f"progress('compile', 0, 1); keep = b'1' * 400_000_000; open({str(starts)!r}, 'a').write('one ')"
    path = misbehaving(tmp_path / "site", "bottom-up", "return before(original, settings, progress)", loading)
    monkeypatch.setenv("PYTHONPATH", path)
    stages: list[str] = []
    found = run(job("bottom-up"), Original.of(people()), Measuring(), progress=lambda stage, *_: stages.append(stage))
    assert starts.read_text() == "one one "
    assert (found.state, found.reason) == ("done", "")
    assert "compile" in stages
    assert list(place.iterdir()) == []


def test_a_bug_is_an_outcome_and_is_shown(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    found = misbehaved(tmp_path, monkeypatch, "raise RuntimeError('of all things')")
    assert (found.state, found.bug, found.exit_code) == ("failed", True, 4)
    assert found.reason == "a bug in Shoal: RuntimeError: of all things"
    said = capfd.readouterr()
    assert "Traceback" in said.err
    assert "this is no message of a child" in said.err, "what prints goes to standard error"
    assert said.out == ""
    assert list(place.iterdir()) == []


def test_a_release_that_does_not_keep_its_promise_is_a_bug(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = misbehaved(
        tmp_path,
        monkeypatch,
        "from shoal import KAnonymity\n"
        "        made = before(original, {**settings, 'k': 2}, progress)\n"
        "        return replace(made, promise=KAnonymity(60, ('age', 'sex')))",
    )
    assert (found.state, found.bug) == ("failed", True)
    assert "does not keep its own promise" in found.reason
    assert list(place.iterdir()) == []


def test_want_of_memory_is_nobodys_bug_and_is_tried_again(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = misbehaved(tmp_path, monkeypatch, "raise MemoryError")
    assert (found.state, found.bug, found.lasting, found.exit_code) == ("failed", False, False, 2)
    assert "not enough memory" in found.reason
    assert list(place.iterdir()) == []


def test_what_is_impossible_says_why(place: Path) -> None:
    found = run(job("bottom-up", k=100), Original.of(people()), Measuring())
    assert (found.state, found.lasting) == ("impossible", True)
    assert found.reason == "the table has 60 rows, so no group of it has k = 100: try a smaller k"
    assert list(place.iterdir()) == []
