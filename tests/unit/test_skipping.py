"""Tests skip for the reasons that are listed, and every other skip fails the run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.plugins.skipping import MOST, MOST_WITHOUT_DATA, refusal
from tests.running.nested_pytest import ROOT, run_suite, run_suite_to_its_end

EVERY_WAY = """
import pytest

@pytest.mark.skip(reason="I have no time")
def test_by_mark(): ...

@pytest.mark.skipif(True, reason="it is late")
def test_by_condition(): ...

def test_while_it_runs():
    pytest.skip("not today")

@pytest.fixture
def thing():
    pytest.skip("the thing is broken")

def test_by_fixture(thing): ...

def test_by_import():
    pytest.importorskip("no_such_module")

@pytest.mark.parametrize("nothing", [])
def test_of_nothing(nothing): ...
"""


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")], ids=["alone", "in a worker"])
def test_every_way_to_skip_fails_without_a_listed_reason(tmp_path: Path, workers: tuple[str, ...]) -> None:
    counts, said = run_suite(tmp_path, EVERY_WAY, *workers)
    assert sum(counts.values()) == counts["failed"] + counts["error"] == 6, said
    for reason in (
        "I have no time",
        "it is late",
        "not today",
        "the thing is broken",
        "could not import 'no_such_module'",
        "got empty parameter set",
    ):
        assert f"skipped for a reason that tests/plugins/skipping.py does not list: {reason}" in said


@pytest.mark.parametrize(
    "line",
    ['pytest.skip("no time", allow_module_level=True)', 'pytest.importorskip("no_such_module")'],
    ids=["skip", "importorskip"],
)
def test_a_whole_module_that_skips_fails(tmp_path: Path, line: str) -> None:
    counts, said = run_suite(tmp_path, f"import pytest\n{line}\ndef test(): ...\n")
    assert counts == {"error": 1}, said
    assert "skipped for a reason that tests/plugins/skipping.py does not list" in said


def test_listed_reasons_and_expected_failures_are_left_alone(tmp_path: Path) -> None:
    source = """
import pytest

def test_skipped():
    pytest.skip("only root can become somebody else")

@pytest.mark.xfail(reason="known")
def test_expected():
    assert False

@pytest.mark.xfail(run=False, reason="known")
def test_not_run(): ...

def test_passed(): ...
"""
    counts, said = run_suite(tmp_path, source)
    assert counts == {"skipped": 1, "xfailed": 2, "passed": 1}, said


INSTALLABLE = [
    "no chromium and no pdftotext: `make browser` installs what looking at pages needs",
    "pycanon is not at hand: make .venv-rivals/.ready",
    "there is no fish on this machine: `make browser` installs it",
]


@pytest.mark.parametrize("reason", INSTALLABLE)
def test_what_can_be_installed_is_missed_where_a_change_is_judged(tmp_path: Path, reason: str) -> None:
    source = f"import pytest\ndef test(): pytest.skip({reason!r})\n"
    assert run_suite(tmp_path, source)[0] == {"skipped": 1}
    counts, said = run_suite(tmp_path, source, CI="true")
    assert counts == {"failed": 1}
    assert f"skipped where a change is judged: {reason}" in said


def test_data_may_be_missing_where_a_change_is_judged_but_only_all_of_them(tmp_path: Path) -> None:
    source = "def test(real_file): real_file('groceries/groceries.dat')\n"
    data = tmp_path / "data"
    assert run_suite(tmp_path, source, CI="true", SHOAL_DATA=str(data))[0] == {"skipped": 1}
    data.mkdir()
    counts, said = run_suite(tmp_path, source, CI="true", SHOAL_DATA=str(data))
    assert counts == {"failed": 1}
    assert "skipped where a change is judged: groceries/groceries.dat is not at hand" in said
    assert run_suite(tmp_path, source, SHOAL_DATA=str(data))[0] == {"skipped": 1}


@pytest.mark.parametrize("reason", ["", "x: the JIT is off: y", "only root can become somebody else, or so", "Skipped"])
def test_a_reason_is_compared_as_a_whole(reason: str) -> None:
    assert "does not list" in str(refusal(reason))


MANY = """
import pytest

@pytest.mark.parametrize("n", range({n}))
def test_skipped(n):
    pytest.skip("only root can become somebody else")

@pytest.mark.parametrize("n", range(3))
def test_of_data(n, real_file):
    real_file(f"{{n}}.data")

def test_passed(): ...
"""


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "in workers"])
@pytest.mark.parametrize("stage", [None, *MOST])
@pytest.mark.parametrize("over", [0, 1])
def test_a_stage_fails_where_more_tests_skip_than_it_allows(
    tmp_path: Path, stage: str | None, over: int, workers: tuple[str, ...]
) -> None:
    """Skips are counted by reason; data that a clone does not have are counted, but are no fault."""
    n = MOST[stage or "compiled"] + over
    chosen = {} if stage is None else {"SHOAL_STAGE": stage}
    counts, said, code = run_suite_to_its_end(
        tmp_path, MANY.format(n=n), *workers, SHOAL_DATA=str(tmp_path / "no"), **chosen
    )
    assert counts == {"skipped": n + 3, "passed": 1}
    assert f"{n:5}  only root can become somebody else\n    3  real data are not at hand\n{n + 3:5}  in all" in said
    wrong = f"{n} tests skipped, and the stage {stage} allows {n - 1}"
    assert (code, wrong in said) == ((1, True) if over and stage else (0, False))


def test_a_stage_fails_where_more_tests_lack_data_than_there_are(tmp_path: Path) -> None:
    source = MANY.format(n=0).replace("range(3)", f"range({MOST_WITHOUT_DATA + 1})")
    _, said, code = run_suite_to_its_end(tmp_path, source, SHOAL_DATA=str(tmp_path / "no"), SHOAL_STAGE="compiled")
    assert code == 1
    assert f"{MOST_WITHOUT_DATA + 1} tests skipped for lack of data, and the stage compiled allows" in said


def test_every_stage_of_tests_has_its_bound() -> None:
    """A name that has none ends the run; and each stage that runs tests has a name."""
    recipes = "".join(
        (ROOT / name).read_text() for name in ("Makefile", ".ci/bare-clone", "tests/versions/other_pythons.py")
    )
    runs = [line for line in recipes.splitlines() if "pytest" in line and "-n" in line]
    stages = re.findall(r"SHOAL_STAGE\W+(\w+)", recipes)
    assert sorted(stages) == sorted(MOST)
    assert len(runs) == len(stages)
