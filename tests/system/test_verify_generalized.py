"""Verifying and attacking generalized releases from outside."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    chance = random.Random(5)
    lines = ["age,sex,work,ill"]
    for _ in range(200):
        ill = chance.choice(["flu", "flu", "gout", "cold"])
        lines.append(f"{chance.randint(20, 59)},{chance.choice('fm')},{chance.choice('abcd')},{ill}")
    (tmp_path / "people.csv").write_text("\n".join(lines))
    decades = "\n".join(f"{age};{age // 10}0s;*" for age in range(20, 60))
    (tmp_path / "ages.csv").write_text(decades)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "people.csv"


def test_verify_with_and_without_the_original(capfd: Captured, people: Path) -> None:
    published = ["publish", "k-anonymity", people, "--quasi", "age,sex", "--sensitive", "work,ill", "-k", 5]
    assert shoal(capfd, *published, "--hierarchy", "age=ages.csv", "-o", "release")[0] == 0
    code, out, _ = shoal(capfd, "verify", "release", "--json")
    found = json.loads(out)
    assert (code, found["confirmed"]) == (0, True)
    assert {figure["column"] for figure in found["figures"]} == {"work", "ill"}
    code, out, _ = shoal(capfd, "verify", "release", "--original", people, "--hierarchy", "age=ages.csv")
    assert (code, out.splitlines()[0]) == (0, "all 16 checks hold")
    assert "figure  t-closeness of ill" in out
    code, out, _ = shoal(capfd, "verify", "release", "--original", people)
    assert code == 0
    assert "so the promise is not confirmed: generalized cells of the original" in out
    lines = people.read_text().splitlines()
    Path("other.csv").write_text("\n".join([lines[0], "20,f,a,mumps", *lines[2:]]))
    code, out, _ = shoal(capfd, "verify", "release", "--original", "other.csv", "--hierarchy", "age=ages.csv")
    assert code == 1
    assert "1 of 16 checks fail" in out
    code, _, _ = shoal(capfd, "verify", "release", "--rules", "ages.csv")
    assert code == 2


def test_attack(capfd: Captured, people: Path) -> None:
    published = ["publish", "k-anonymity", people, "--quasi", "age,sex", "--sensitive", "work,ill", "-k", 5]
    assert shoal(capfd, *published, "-o", "release")[0] == 0
    code, out, _ = shoal(capfd, "attack", "release", "--fill", "--original", people, "--json")
    found = json.loads(out)
    assert code == 0
    assert [finding["name"] for finding in found["findings"]] == ["values named by trees", "associations"]
    assert [entry["name"] for entry in found["left_out"]] == ["filling", "learnt filling", "second release"]
    code, _, err = shoal(capfd, "attack", "release", "--min-expectation", "0.5")
    assert (code, "--min-expectation is not about a generalized release" in err) == (2, True)
    assert (
        shoal(capfd, "publish", "anatomy", people, "--quasi", "age", "--sensitive", "work", "-l", 2, "-o", "a")[0] == 0
    )
    code, _, err = shoal(capfd, "attack", "a", "--fill")
    assert (code, "--fill is not about a bucketized release" in err) == (2, True)
