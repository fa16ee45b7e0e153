"""The fuzzer itself: what is planted in a worker must be reported, each fault under its own name, and nothing else."""

import sys
from pathlib import Path

import pytest

from tests.fuzz import arguments, runner, seeds
from tests.fuzz.cases import KINDS, Seeds, case, empty

PLANTED = """
import os, signal, sys, time
from pathlib import Path
from tests.fuzz import cases, worker
worker.SECONDS = {seconds}
worker.MEMORY = 700 << 20
cases.KINDS = {{"cells": cases.KINDS[{kind!r}]}}
import shoal.cli.verify as verify
from shoal.audit.verdict import Verdict
before = verify.warn_of_leftovers
{fault}
worker.serve(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
"""
EVERY = "verify.warn_of_leftovers = lambda *given: {}"
FAULTS = {
    "raises": (EVERY.format("1 / 0"), "exit 4: ZeroDivisionError"),
    "sleeps": (EVERY.format("time.sleep(9)"), "too long"),
    "cannot be stopped": (
        EVERY.format("(signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM}), time.sleep(99))"),
        "silent for",
    ),
    "takes memory": (EVERY.format("(bytearray(1 << 30), before(*given))[1]"), "MB of memory"),
    "dies": (EVERY.format("os.abort()"), "the process ended with -6"),
    "ends the process": (EVERY.format("os._exit(0)"), "the process ended with 0"),
    "says nothing": ("verify.result = verify.warn_of_leftovers = lambda *given: []", "exit 1 without a message"),
    "accepts everything": ("Verdict.holds = property(lambda verdict: True)", "accepted, and broken: "),
}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("fuzz") / "seeds"
    place.mkdir()
    seeds.make(place)
    return place


def run_planted(fault: str, begun: Path, place: Path, count: int, kind: str = "cells") -> runner.Tally:
    script = place / "planted.py"
    script.write_text(PLANTED.format(fault=fault, kind=kind, seconds=1 if "sleep" in fault else 60))
    code = f"import runpy, sys; sys.path.insert(0, {str(Path.cwd())!r}); runpy.run_path({str(script)!r}, run_name='x')"
    command = (sys.executable, "-c", code)
    return runner.run(3, range(count), seeds=begun, place=place, workers=1, patience=8, command=command)


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_planted_is_reported(name: str, begun: Path, tmp_path: Path) -> None:
    fault, expected = FAULTS[name]
    wanted = {"accepts everything": 60, "says nothing": 60, "cannot be stopped": 1}.get(name, 3)
    tally = run_planted(fault, begun, tmp_path, wanted)
    assert tally.count == wanted
    assert tally.failures
    assert {failure["wrong"] for failure in tally.failures if expected not in failure["wrong"]} == set()


def test_nothing_is_reported_where_nothing_is_planted(begun: Path, tmp_path: Path) -> None:
    tally = run_planted("", begun, tmp_path, 40)
    assert tally.count == 40
    assert not tally.failures
    assert "40" in str(tally)


def test_a_case_follows_from_its_seed_and_its_number(begun: Path, tmp_path: Path) -> None:
    read = Seeds(begun)
    found = []
    for place in (tmp_path / "one", tmp_path / "two"):
        place.mkdir()
        for number in range(60):
            empty(place)
            made = case(number, 5, read, place)
            files = {
                str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()
            }
            found.append((made, files))
    assert found[:60] == found[60:]
    assert len({str(one) for one in found[:60]}) == 60
    assert case(0, 6, read, tmp_path / "one") != found[0][0]


def test_every_command_has_an_example_to_begin_with_and_options_to_draw() -> None:
    from shoal.cli.examples import EXAMPLES

    assert {name.strip() for name in arguments._NAMES} == set(EXAMPLES)
    assert all(("--json", False) in arguments.options(name.strip()) for name in arguments._NAMES)
    assert len(KINDS) > 15
