"""``shoal mine`` and ``shoal query`` on randomized releases: what Python returns, and what does not apply, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet
import pytest

import shoal as api
from shoal.run import Run
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def masked(tmp_path: Path, baskets: Path) -> Path:
    api.mask(api.read(str(baskets)), keep_prob=0.95, run=Run(chance=1)).write(tmp_path / "masked")
    return tmp_path / "masked"


@pytest.fixture
def faked(tmp_path: Path, baskets: Path) -> Path:
    api.fakes(api.read(str(baskets)), fakes=2, fake_length=2, run=Run(chance=1)).write(tmp_path / "faked")
    return tmp_path / "faked"


def test_itemsets_are_shown_with_their_errors_and_intervals(capfd: Captured, masked: Path) -> None:
    code, out, err = shoal(capfd, "mine", masked, "--min-support", ".3", "--limit", "2")
    assert code == 0, err
    found = api.read_release(masked).mine(0.3).found
    assert f"{len(found)} itemsets estimated in at least 8.1 of 27 records" in out
    assert out.split("\n")[2].split() == ["items", "support", "error", "low", "high"]
    assert f"the first 2 of {len(found)}" in out
    best = found.estimates[0]
    assert f"{best.estimate:.2%}" in out
    assert f"{best.low:.3%}" in out


@pytest.mark.parametrize("options", ["", "--estimator matrix", "--estimator constant", "--grow-from upper", "--top 3"])
def test_json_is_what_python_returns(capfd: Captured, masked: Path, options: str) -> None:
    names = {"--estimator": "estimator", "--grow-from": "grow_from", "--top": "top"}
    words = options.split()
    wanted = {names[words[0]]: int(words[1]) if words[1].isdecimal() else words[1]} if words else {}
    found = api.read_release(masked).mine(0.2, **wanted).found
    code, out, _ = shoal(capfd, "mine", masked, "--min-support", ".2", "--json", *words)
    assert code == 0
    assert json.loads(out) == found.to_arrow().to_pylist()


def test_rules_have_intervals_and_files_hold_all(capfd: Captured, masked: Path, tmp_path: Path) -> None:
    rules = api.read_release(masked).mine(0.2, rules=True).found
    code, out, _ = shoal(capfd, "mine", masked, "--min-support", ".2", "--rules")
    assert code == 0
    assert f"{len(rules)} rules estimated in at least 5.4 of 27 records" in out
    assert shoal(capfd, "mine", masked, "--min-support", ".2", "--rules", "-o", tmp_path / "rules.parquet")[0] == 0
    assert pyarrow.parquet.read_table(tmp_path / "rules.parquet").to_pylist() == rules.to_arrow().to_pylist()


def test_an_infinite_interval_is_null_in_json_and_empty_in_a_table(capfd: Captured, tmp_path: Path) -> None:
    data = api.read([{"a", "b"}] * 6 + [{"c"}] * 4)
    api.mask(data, keep_prob=0.6, run=Run(chance=0)).write(tmp_path / "noisy")
    found = api.read_release(tmp_path / "noisy").mine(1, rules=True, min_confidence=0.0).found
    assert len(found)
    code, out, _ = shoal(
        capfd, "mine", tmp_path / "noisy", "--min-support", "1", "--rules", "--min-confidence", "0", "--json"
    )
    assert code == 0
    assert any(rule["low"] is None and rule["high"] is None for rule in json.loads(out))
    code, out, _ = shoal(capfd, "mine", tmp_path / "noisy", "--min-support", "1", "--rules", "--min-confidence", "0")
    assert code == 0
    assert "inf" not in out


def test_what_was_not_explored_and_warnings_are_said_beside_the_result(capfd: Captured, masked: Path) -> None:
    code, out, err = shoal(
        capfd, "mine", masked, "--min-support", "1", "--max-candidates", "2", "--max-length", "2", "--json"
    )
    assert code == 0
    assert isinstance(json.loads(out), list)
    assert "not explored: " in err
    assert "--max-candidates is 2" in err
    assert "warning: single items: the standard error is" in err


def test_thresholds_are_printed_for_other_miners(capfd: Captured, faked: Path) -> None:
    expected = api.read_release(faked).mine(0.2, print_thresholds=True).found
    code, out, _ = shoal(capfd, "mine", faked, "--min-support", ".2", "--print-thresholds", "--json")
    assert code == 0
    assert json.loads(out) == [{"size": one.size, "share": one.share, "rows": one.rows} for one in expected]
    code, out, _ = shoal(capfd, "mine", faked, "--min-support", ".2", "--print-thresholds")
    assert code == 0
    assert "the 81 rows, real and fake" in out
    assert "larger sets need what those of the last size need" in out


@pytest.mark.parametrize(
    ("release", "options", "message"),
    [
        ("masked", "--closed", "--closed and --maximal are for files of baskets"),
        ("masked", "--print-thresholds", "no threshold serves other miners"),
        ("faked", "--print-thresholds --top 3", "depend on the support and the length only"),
        ("faked", "--print-thresholds --estimator matrix", "depend on the support and the length only"),
        ("masked", "--rules --estimator constant", "leave out --estimator constant"),
        ("masked", "--max-candidates 0", "--max-candidates"),
        ("release", "--estimator counts", "--estimator: about randomized releases, and"),
        ("baskets.dat", "--grow-from upper --print-thresholds", "--grow-from, --print-thresholds: about randomized"),
    ],
)
@pytest.mark.usefixtures("masked", "faked", "release")
def test_what_does_not_apply_is_refused(
    capfd: Captured, tmp_path: Path, release: str, options: str, message: str
) -> None:
    code, out, err = shoal(capfd, "mine", tmp_path / release, *options.split())
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_queries_are_answered_by_estimates(capfd: Captured, masked: Path) -> None:
    release = api.read_release(masked)
    code, out, _ = shoal(capfd, "query", masked, "bread, milk", "tea", "--json")
    assert code == 0
    said = json.loads(out)
    assert said["records"] == 27
    assert [answer["all_of"] for answer in said["estimates"]] == [["bread", "milk"], ["tea"]]
    one = release.support(["bread", "milk"])
    assert {name: said["estimates"][0][name] for name in ("support", "error", "low", "high")} == pytest.approx(
        {"support": one.estimate, "error": one.error, "low": one.low, "high": one.high}
    )
    code, out, _ = shoal(capfd, "query", masked, "bread, milk")
    assert code == 0
    assert f"{one.estimate * 27:,.1f}" in out
    assert "Support is an estimate" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "nothing is asked"),
        (["tea", "--none-of", "milk"], "--none-of and --term-items are about releases of baskets in chunks"),
        (["tea", "--of", "age"], "--of is about columns"),
        (["teas"], "not in the release: 'teas'"),
    ],
)
def test_queries_that_do_not_apply_are_refused(capfd: Captured, masked: Path, options: list[str], message: str) -> None:
    code, out, err = shoal(capfd, "query", masked, *options)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
