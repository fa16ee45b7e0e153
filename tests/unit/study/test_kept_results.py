"""The folder of a study: what is noted stays, another request is refused, and two runs do not meet in it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.study.kept_results import results_in
from shoal.study.outcome import Outcome
from tests.making.study_data import metric, outcome

REQUEST = {"version": "1", "data": "abc", "jobs": [1, 2]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "comparison"


def test_what_lasts_is_noted_and_found_again(folder: Path) -> None:
    good, bad = outcome("good", metric("tKd", 0.5)), Outcome(outcome("bad").job, "failed", "crashed", bug=True)
    with results_in(folder, "comparison", REQUEST) as kept:
        for one in (good, bad):
            kept.keep(one)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "not for publication" in (folder / "README.txt").read_text()
    assert json.loads((folder / "comparison.json").read_text()) == REQUEST
    with results_in(folder, "comparison", REQUEST) as kept:
        assert kept.outcome("good") == good
        assert kept.outcome("bad") is None
        (folder / "results" / "good.json").write_text("{")
        assert kept.outcome("good") is None, "half a file is no outcome"
    assert sorted(path.name for path in folder.iterdir()) == ["README.txt", "comparison.json", "results"]


def test_another_request_is_refused_or_begins_anew(folder: Path) -> None:
    with results_in(folder, "comparison", REQUEST) as kept:
        kept.keep(outcome("good"))
        kept.release("good").mkdir()
    other = {**REQUEST, "data": "xyz"}
    with (
        pytest.raises(InputError, match=r"another request \(it differs in data\).*force=True"),
        results_in(folder, "comparison", other),
    ):
        pass
    with results_in(folder, "comparison", REQUEST) as kept:
        assert kept.outcome("good")
    with results_in(folder, "comparison", other, force=True) as kept:
        assert kept.outcome("good") is None
        assert not (folder / "releases").exists()
    with results_in(folder, "comparison", other):
        pass


def test_a_folder_of_something_else_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary.txt").write_text("mine")
    with results_in(tmp_path / "study", "comparison", REQUEST):
        pass
    for name, said in (
        ("file", "is a file"),
        ("notes", "holds no comparison"),
        ("none/there", "there is no folder"),
    ):
        with pytest.raises(InputError, match=said), results_in(tmp_path / name, "comparison", REQUEST, force=True):
            pass
    with pytest.raises(InputError, match="holds no sweep"), results_in(tmp_path / "study", "sweep", REQUEST):
        pass
    assert (tmp_path / "notes" / "diary.txt").read_text() == "mine"


def test_two_runs_do_not_meet_and_what_a_dead_one_left_is_deleted(folder: Path) -> None:
    with (
        results_in(folder, "comparison", REQUEST),
        pytest.raises(InputError, match="in use by another run"),
        results_in(folder, "comparison", REQUEST),
    ):
        pass
    left = folder / ".unpublished-abc"
    (left / "release").mkdir(parents=True)
    with results_in(folder, "comparison", REQUEST):
        assert not left.exists()


def test_a_run_that_died_before_it_noted_anything_goes_on(folder: Path) -> None:
    folder.mkdir()
    (folder / ".comparison.json.part").write_text("{")
    with results_in(folder, "comparison", REQUEST) as kept:
        kept.keep(outcome("good"))
    assert (folder / "results" / "good.json").is_file()


def test_without_a_folder_nothing_is_kept() -> None:
    with results_in(None, "comparison", REQUEST) as kept:
        kept.keep(outcome("good"))
        assert kept.outcome("good") is None
