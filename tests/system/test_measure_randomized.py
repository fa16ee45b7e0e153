"""``shoal measure`` of randomized releases: what it prints is what the Python function returns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import shoal as library
from shoal.run import Run
from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def hybrid(tmp_path: Path, baskets: Path) -> Path:
    library.hybrid(library.read(baskets), 0.95, 1, run=Run(chance=1)).write(tmp_path / "hybrid")
    return tmp_path / "hybrid"


def test_json_is_what_python_returns(capfd: Captured, baskets: Path, hybrid: Path) -> None:
    options = ["--min-support", ".5,.25,3", "--runs", "2", "--seed", "4", "--max-length", "2", "--json"]
    code, out, err = shoal(capfd, "measure", baskets, hybrid, *options)
    assert (code, err) == (0, "")
    found = library.measure(
        library.read(baskets),
        library.read_release(hybrid),
        min_support=[0.5, 0.25, 3],
        max_length=2,
        runs=2,
        run=Run(chance=4),
    )
    assert json.loads(out) == json.loads(json.dumps(found.as_dict()))
    labels = [f"{metric['name']} {metric['part']}" for metric in json.loads(out)["metrics"]]
    assert "sigma+ at 0.25" in labels
    assert "sigma- at 3 records, 2 items" in labels


def test_the_table_is_the_value_as_text(capfd: Captured, baskets: Path, hybrid: Path) -> None:
    code, out, err = shoal(capfd, "measure", baskets, hybrid)
    assert (code, err) == (0, "")
    assert out == f"{library.measure(library.read(baskets), library.read_release(hybrid))}\n"
    assert "27 records, hybrid; at 0.01, at 0.005, at 0.0025" in out


def test_the_original_may_come_in_any_format_and_from_standard_input(baskets: Path, hybrid: Path) -> None:
    rows = [line.split() for line in baskets.read_text(encoding="utf-8").splitlines()]
    long = "who,what\n" + "".join(f"{number},{item}\n" for number, row in enumerate(rows) for item in row)
    done = outside("measure", "-", hybrid, "--long", "who,what", "--min-support", ".3", "--json", input=long)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records"] == 27


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--top", "7"], "--top is not about a randomized release: leave it out"),
        (["--reconstructions", "10"], "--reconstructions is not about a randomized release"),
        (["--quasi", "a"], "--quasi is not about a randomized release"),
        (["--hierarchy", "x.csv"], "--hierarchy is not about a randomized release"),
        (["--min-support", ".1,.1"], "the same threshold is given twice"),
        (["--min-support", ".1,"], "--min-support is ''"),
        (["--min-support", "often"], "--min-support is 'often'"),
        (["--min-support", "1.5"], "min_support is 1.5"),
        (["--runs", "-1"], "--runs"),
        (["--max-length", "0"], "max_length is 0"),
    ],
)
def test_what_does_not_fit_is_refused(
    capfd: Captured, baskets: Path, hybrid: Path, options: list[str], words: str
) -> None:
    code, out, err = shoal(capfd, "measure", baskets, hybrid, *options)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())


def test_runs_are_about_randomized_releases_only(capfd: Captured, baskets: Path, release: Path) -> None:
    code, _, err = shoal(capfd, "measure", baskets, release, "--runs", "2")
    assert code == 2
    assert "--runs is not about a disassociated release: leave it out" in err


def test_another_original_is_refused(capfd: Captured, tmp_path: Path, hybrid: Path) -> None:
    (tmp_path / "other.dat").write_text("bread milk\nbread wine\n")
    code, _, err = shoal(capfd, "measure", tmp_path / "other.dat", hybrid)
    assert code == 2
    assert "this is not the original of this release" in err
    assert "the original has 2 records, the release 27" in err
    assert "'wine'" in err


def test_real_baskets(real_file: Callable[[str], Path], on_sample: bool) -> None:
    """More flips and more made-up rows cost more, and intervals say how much: msweb, three settings."""
    baskets = library.read(real_file("msweb/msweb.dat"))
    settings = {"few": (0.999, 1), "more": (0.95, 2), "most": (0.8, 2)}
    found = {
        name: library.measure(baskets, library.hybrid(baskets, *numbers, run=Run(chance=1)), min_support=0.01)
        for name, numbers in settings.items()
    }
    errors = [found[name]["support error at 0.01"].value for name in settings]
    assert errors == sorted(errors)
    wrongly = 0.1 if on_sample else 0.05  # more sets are near the threshold by chance where records are few
    assert found["few"]["sigma+ at 0.01"].value < wrongly < found["most"]["sigma+ at 0.01"].value
    for report in found.values():
        # Errors of sets that share items go together, so that the share of intervals wanders about .95 from run to run.
        assert 0.8 < report["in interval at 0.01"].value <= 1
        assert 0.7 < report["standard errors at 0.01"].value < 1.4
