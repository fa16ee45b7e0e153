"""A job in a process of its own: what it costs is its own, and whatever becomes of it, nothing of it is left."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.errors import Infeasible, InputError
from shoal.methods import METHODS, Method
from shoal.promises import KAnonymity
from shoal.run import Run
from shoal.study import job_process
from shoal.study.original import Original
from shoal.study.outcome import Job, Measuring, Outcome
from shoal.study.running import run_job
from tests.making.study_data import misbehaving, people


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
    found = run_job(
        job("anatomy", l=2),
        Original.of(people()),
        Measuring(seed=1),
        run=Run(progress=lambda stage, *_: stages.append(stage)),
    )
    assert (found.state, found.reason, found.failures, found.left_out) == ("done", "", (), ())
    assert found.checks > 5
    assert found.promises[0].startswith("In every group of rows, each value of illness belongs to at most one in 2")
    costs = found.costs
    assert costs is not None
    assert 0 < costs.before_bytes <= costs.peak_bytes < ballast.nbytes
    assert 0 < costs.publish_seconds < 0.3, "without loading kernels, which takes longer"
    assert 1_000 < costs.disk_bytes < 100_000
    assert 0 < costs.audit_seconds < 10
    assert found.value("query error") is not None
    assert list(dict.fromkeys(stages))[:2] == ["load", "group"]
    assert "read back" in stages
    assert list(place.iterdir()) == []


def misbehaved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> Outcome:
    # A method without kernels, which starts faster.
    monkeypatch.setenv("PYTHONPATH", misbehaving(tmp_path / "site", "bottom-up", what))
    return run_job(job("bottom-up"), Original.of(people()), Measuring())


def test_a_process_that_dies_is_an_outcome(tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = misbehaved(tmp_path, monkeypatch, "os.kill(os.getpid(), signal.SIGKILL)")
    assert (found.state, found.bug) == ("failed", True)
    assert found.reason == "its process was ended by SIGKILL, perhaps by the system for lack of memory"
    assert list(place.iterdir()) == []


def test_a_process_that_compiles_starts_again_once_without_the_memory_of_the_compiler(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = tmp_path / "starts"
    loading = f"run.report('compile', 0, 1); keep = b'1' * 400_000_000; open({str(starts)!r}, 'a').write('one ')"
    path = misbehaving(tmp_path / "site", "bottom-up", "return right(method, original, settings, run)", loading)
    monkeypatch.setenv("PYTHONPATH", path)
    stages: list[str] = []
    found = run_job(
        job("bottom-up"), Original.of(people()), Measuring(), run=Run(progress=lambda stage, *_: stages.append(stage))
    )
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


# --- in this process, where no process of its own is what matters ---------------------------------------------------


def done_here(place: Path, monkeypatch: pytest.MonkeyPatch, call: Any = None, **given: object) -> Outcome:
    if call is not None:
        monkeypatch.setattr(Method, "make", lambda _, *given: call(*given))
    return job_process.do(job("bottom-up", **given), Original.of(people()), Measuring(), place / "release")


def test_a_release_that_does_not_keep_its_promise_is_a_bug(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = METHODS["bottom-up"].make

    def weaker(original: Original, settings: dict[str, Any], run: Run) -> Any:
        return replace(right(original, {**settings, "k": 2}, run), promise=KAnonymity(60, ("age", "sex")))

    found = done_here(place, monkeypatch, weaker)
    assert (found.state, found.bug) == ("failed", True)
    assert "does not keep its own promise" in found.reason
    assert list(place.iterdir()) == []


def test_a_release_of_other_data_is_no_verified_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = METHODS["bottom-up"].make
    found = done_here(place, monkeypatch, lambda _, *rest: right(Original.of(people(50)), *rest))
    assert (found.state, found.verified, found.exit_code, found.lasting) == ("done", False, 4, False)
    assert any("original" in failure for failure in found.failures)


def test_want_of_memory_is_nobodys_bug_and_is_tried_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(*_: object) -> Any:
        raise MemoryError

    found = done_here(place, monkeypatch, hungry)
    assert (found.state, found.bug, found.lasting, found.exit_code) == ("failed", False, False, 2)
    assert "not enough memory" in found.reason


def test_a_full_disk_is_not_what_the_method_cannot_do(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise InputError("cannot write: No space left on device. Nothing was published.")

    monkeypatch.setattr(job_process.pipeline, "write", full)
    found = done_here(place, monkeypatch)
    assert (found.state, found.bug, found.lasting) == ("failed", False, False)


def test_what_cannot_be_measured_is_published_and_verified_all_the_same(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object) -> Any:
        raise Infeasible("too many itemsets")

    monkeypatch.setattr(job_process, "_measure", endless)
    found = done_here(place, monkeypatch)
    assert (found.state, found.verified, found.reason) == ("done", True, "not measured: too many itemsets")


def test_what_is_impossible_says_why(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = done_here(place, monkeypatch, k=100)
    assert (found.state, found.lasting) == ("impossible", True)
    assert found.reason == "the table has 60 rows, so no group of it has k = 100: try a smaller k"
    without = Original.of(people().with_roles(plain="illness"))
    found = job_process.do(job("anatomy"), without, Measuring(), place / "release")
    assert (found.state, found.lasting) == ("impossible", True), "what the data lack is no mistake of a number"
    assert list(place.iterdir()) == []
