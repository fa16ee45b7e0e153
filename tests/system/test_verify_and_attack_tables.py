"""``shoal verify`` and ``shoal attack`` on releases of tables: what they ask for, say, and refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shoal.io.release_folder import write_release
from shoal.release.evidence import Evidence
from tests.making.bucketized_releases import SEX_RULES, anatomized, injected, patients
from tests.running.commands import shoal

PEOPLE = ["--quasi", "age,sex", "--sensitive", "disease"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty people; no man has gout, which every eighth person has; one age is missing."""
    rows = ["age,sex,disease"]
    for number in range(80):
        sex = "fm"[number % 2]
        value = (
            ("gout", "cold", "flu", "mumps", "croup")[number % 8 // 2]
            if sex == "f"
            else ("cold", "flu", "mumps", "croup")[number % 8 // 2]
        )
        rows.append(f"{20 + number % 7},{sex},{value}")
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def sexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trees") / "sex.csv"
    path.write_text("f,*\nm,*\n")
    return path


@pytest.fixture
def injected_release(people: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "injected"
    code, _, err = shoal(capfd, "publish", "injector", people, *PEOPLE, "-l", 2, "-o", folder)
    assert code == 0, err
    return folder


@pytest.fixture
def anatomized_release(people: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "anatomized"
    assert shoal(capfd, "publish", "anatomy", people, *PEOPLE, "-l", 2, "-o", folder)[0] == 0
    return folder


def findings(out: str) -> dict[str, Any]:
    return {finding["name"]: finding for finding in json.loads(out)["findings"]}


def test_anatomy_is_verified_from_its_folder(
    capfd: pytest.CaptureFixture[str], anatomized_release: Path, people: Path
) -> None:
    code, out, _ = shoal(capfd, "verify", anatomized_release)
    assert (code, out.splitlines()[0]) == (0, "all 9 checks hold")
    code, out, _ = shoal(capfd, "verify", anatomized_release, "--original", people)
    assert (code, out.splitlines()[0]) == (0, "all 12 checks hold")


def test_injector_is_verified_with_its_rules_only(
    capfd: pytest.CaptureFixture[str], injected_release: Path, people: Path, tmp_path: Path
) -> None:
    code, out, _ = shoal(capfd, "verify", injected_release)
    assert code == 0
    assert out.splitlines()[0].endswith("1 was left out, so the promise is not confirmed: valid values")
    plain = json.loads(shoal(capfd, "verify", injected_release, "--json")[1])
    assert (plain["holds"], plain["confirmed"]) == (True, False)
    code, out, _ = shoal(capfd, "verify", injected_release, "--original", people)
    assert (code, out.splitlines()[0]) == (0, "all 12 checks hold")
    assert "rule counted in the original" in out or "rules counted in the original" in out
    rules = tmp_path / "rules.json"
    assert shoal(capfd, "mine", "--negative", people, *PEOPLE, "-o", rules)[0] == 0
    code, out, _ = shoal(capfd, "verify", injected_release, "--rules", rules)
    assert (code, out.splitlines()[0]) == (0, "all 9 checks hold")
    code, out, _ = shoal(capfd, "verify", injected_release, "--rules", rules, "--original", people)
    assert (code, out.splitlines()[0]) == (0, "all 13 checks hold")
    assert "rules of the original" in out


def test_rules_that_are_published_with_a_release(
    capfd: pytest.CaptureFixture[str], people: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "open"
    command = ["publish", "injector", people, *PEOPLE, "-l", 2, "--publish-rules", "-o", folder]
    assert shoal(capfd, *command)[0] == 0
    code, out, _ = shoal(capfd, "verify", folder)
    assert code == 0
    assert "that the release discloses" in out
    assert "left out: rules of the original" in out
    assert shoal(capfd, "verify", folder, "--original", people)[1].startswith("all 13 checks hold")


def test_hierarchies_are_asked_for(
    capfd: pytest.CaptureFixture[str], people: Path, sexes: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "nodes"
    command = ["publish", "injector", people, *PEOPLE, "-l", 2, "--hierarchy", f"sex={sexes}", "-o", folder]
    assert shoal(capfd, *command)[0] == 0
    out = shoal(capfd, "verify", folder, "--original", people)[1]
    assert "--hierarchy sex=FILE" in out
    out = shoal(capfd, "verify", folder, "--original", people, "--hierarchy", f"sex={sexes}")[1]
    assert out.startswith("all 12 checks hold")


def test_a_release_that_breaks_its_promise(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Tables I and II of Li and Li 2008, with the rules disclosed."""
    from dataclasses import replace

    folder = tmp_path / "patients"
    folder.mkdir()
    write_release(replace(patients(injected(2)), background=SEX_RULES, discloses_background=True), folder)
    code, out, _ = shoal(capfd, "verify", folder)
    assert code == 1
    assert "sex F: has 1 valid value: Ovarian Cancer (and 2 more rows)" in out
    code, out, _ = shoal(capfd, "attack", folder)
    assert code == 1
    assert "BREAKS THE PROMISE  background knowledge: 3 of 9 rows" in " ".join(out.split("\n"))
    assert out.splitlines()[0] == "1 of 2 findings break the promise of this release"
    other = tmp_path / "anatomized"
    other.mkdir()
    write_release(patients(anatomized(2)), other)
    assert shoal(capfd, "verify", other)[0] == 1
    assert shoal(capfd, "attack", other)[0] == 1


def test_attack(
    capfd: pytest.CaptureFixture[str], anatomized_release: Path, injected_release: Path, people: Path
) -> None:
    code, out, _ = shoal(capfd, "attack", anatomized_release, "--json")
    assert code == 0
    assert set(findings(out)) == {"most frequent value"}
    assert {entry["name"] for entry in json.loads(out)["left_out"]} == {
        "background knowledge",
        "deFinetti",
        "second release",
    }
    for release in (anatomized_release, injected_release):
        code, out, err = shoal(capfd, "attack", release, "--original", people, "--json")
        assert code == 0, err
        found = findings(out)
        assert set(found) == {"most frequent value", "background knowledge", "deFinetti"}
        assert found["background knowledge"]["numbers"]["rules"] >= 1
    assert findings(out)["background knowledge"]["numbers"]["vulnerable_rows"] == 0
    more = ["--min-expectation", 0.5, "--min-confidence", 0.9, "--max-attributes", 2]
    out = shoal(capfd, "attack", injected_release, "--original", people, *more, "--json")[1]
    assert findings(out)["background knowledge"]["numbers"]["rules"] > 5


@pytest.mark.parametrize(
    ("command", "options", "expected"),
    [
        ("verify", ["--format", "fimi"], "--format is not about a bucketized release"),
        ("attack", ["--victims", "1000"], "--victims is not about a bucketized release"),
        ("attack", ["--other", "x"], "there is no such folder: x"),
        ("attack", ["--min-expectation", "0.5"], "rules are counted in the original"),
        ("verify", ["--hierarchy", "sex=x.csv"], "give --original FILE"),
        ("verify", ["--rules", "nowhere.json"], "nowhere.json"),
    ],
)
def test_options_that_do_not_apply_are_refused(
    capfd: pytest.CaptureFixture[str], anatomized_release: Path, command: str, options: list[str], expected: str
) -> None:
    code, out, err = shoal(capfd, command, anatomized_release, *options)
    assert (code, out) == (2, "")
    assert expected in " ".join(err.split())


@pytest.mark.parametrize("options", [["--rules", "x.json"], ["--hierarchy", "a=b"], ["--missing", "keep"]])
@pytest.mark.parametrize("command", ["verify", "attack"])
def test_options_about_tables_are_refused_for_baskets(
    capfd: pytest.CaptureFixture[str], release: Path, command: str, options: list[str]
) -> None:
    code, _, err = shoal(capfd, command, release, *options)
    assert code == 2
    assert f"{options[0]} is not about a disassociated release" in " ".join(err.split())


def test_a_damaged_folder_is_a_verdict(capfd: pytest.CaptureFixture[str], anatomized_release: Path) -> None:
    manifest = anatomized_release / "manifest.json"
    entries = json.loads(manifest.read_text())
    entries["quasi_identifiers"] = {}
    manifest.write_text(json.dumps(entries))
    code, out, _ = shoal(capfd, "verify", anatomized_release, "--original", "nowhere.csv")
    assert code == 1
    assert "FAILS   folder" in out
    assert shoal(capfd, "attack", anatomized_release)[0] == 1


def test_an_original_of_the_other_kind_is_refused(anatomized_release: Path, release: Path, people: Path) -> None:
    import shoal as api

    with pytest.raises(api.errors.InputError, match="is a release of a table"):
        api.verify(anatomized_release, Evidence(original=api.read([["a"]])))
    with pytest.raises(api.errors.InputError, match="is a release of a table"):
        api.attack(anatomized_release, Evidence(original=api.read([["a"]])))
    table = api.read_table(people)
    for call in (api.verify, api.attack):
        with pytest.raises(api.errors.InputError, match="is a release of baskets"):
            call(release, Evidence(original=table))
        with pytest.raises(api.errors.InputError, match="is a disassociated release: remove hierarchies of columns"):
            call(release, Evidence(hierarchies={}))
