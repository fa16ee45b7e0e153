"""Noisy baskets from outside: what is said, what comes out, what is wrong where, and what does not leave the house."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import shoal as library
from shoal.run import Run
from tests.running.commands import shoal
from tests.system.test_nothing_leaks import SECRET, assert_absent, contents, parquet_with_secrets

Captured = pytest.CaptureFixture[str]
LINES = ["bread milk"] * 400 + ["tea"] * 300 + ["bread jam tea"] * 200 + ["caviar rum"]


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nine hundred baskets, and one of somebody who has caviar."""
    path = tmp_path / "many.dat"
    path.write_text("\n".join(LINES))
    monkeypatch.chdir(tmp_path)
    return path


def flat(text: str) -> str:
    return " ".join(text.split())


def test_commands_about_other_releases_send_nobody_to_one_that_refuses_too(capfd: Captured, many: Path) -> None:
    assert shoal(capfd, "publish", "diffpart", many, "--epsilon", "2", "-o", "release", "-q")[0] == 0
    assert "no attack on releases by diffpart is known" in shoal(capfd, "attack", "release")[2]
    for command, said in (("risk", "shoal verify shows whether it keeps"), ("privacy", "shoal info shows what they")):
        code, _, err = shoal(capfd, command, "release")
        assert code == 2
        assert said in err
        assert not any(other in err for other in ("shoal attack", "shoal risk"))


def test_baskets_are_published_verified_and_the_words_say_what_was_done(capfd: Captured, many: Path) -> None:
    code, out, err = shoal(capfd, "publish", "diffpart", many, "--epsilon", "2", "-o", "release")
    assert code == 0, err
    assert "different basket" in out
    assert "in all by their noisy counts" in flat(out)
    assert "makes no release more than exp(2) times as likely" in flat(out)
    assert "some published baskets occur in no record" in flat(out)
    assert "--items FILE or --hierarchy FILE gives a list known from elsewhere" in flat(err)
    assert "2 items occur in one record only" in err
    code, out, _ = shoal(capfd, "verify", "release")
    assert code == 0
    assert "the promise is not confirmed: noise" in out
    code, out, _ = shoal(capfd, "verify", "release", "--original", many)
    assert code == 0, out
    code, out, _ = shoal(capfd, "publish", "diffpart", many, "--epsilon", "2", "-o", "release")
    assert code == 2


def test_a_hierarchy_or_a_list_from_elsewhere_is_taken_and_json_is_printed(capfd: Captured, many: Path) -> None:
    names = ["bread", "milk", "jam", "tea", "rum", "caviar", "saffron"]
    Path("items.txt").write_text("\n".join(names))
    Path("items.csv").write_text(
        "".join(f"{name};{'drink' if name in ('tea', 'rum', 'milk') else 'food'};*\n" for name in names)
    )
    for number, options in enumerate((["--hierarchy", "items.csv"], ["--items", "items.txt", "--fanout", "3"])):
        code, out, err = shoal(
            capfd, "publish", "diffpart", many, "--epsilon", "9", *options, "--seed", "1", "-o", f"r{number}", "--json"
        )
        assert code == 0, err
        assert "from elsewhere" not in err
        said = json.loads(out)
        assert said["reproducible"] is True
        assert said["holds"]
        assert said["counts"]["items"] == 7
        code, out, _ = shoal(capfd, "verify", f"r{number}", "--original", many)
        assert code == 0, out
        assert "left out: chance" in out


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--epsilon", "-1"], 2, "epsilon is -1"),
        (["--epsilon", "1e-6"], 3, "too small for a hierarchy"),
        (["--epsilon", "1", "--fanout", "1"], 2, "fanout is 1"),
        (["--epsilon", "1", "--fanout", "3", "--hierarchy", "x.csv"], 2, "give it, or --items and --fanout"),
        (["--epsilon", "1", "--hierarchy", "x.csv"], 2, "x.csv"),
        (["--epsilon", "1", "--items", "x.txt"], 2, "x.txt"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(capfd: Captured, many: Path, options: list[str], code: int, words: str) -> None:
    found, _, err = shoal(capfd, "publish", "diffpart", many, *options, "-o", "release")
    assert found == code
    assert words in flat(err)
    assert not Path("release").exists()


def test_nothing_of_the_stewards_file_is_in_the_release(tmp_path: Path) -> None:
    home = tmp_path / f"{SECRET}Folder"
    home.mkdir()
    source = home / f"{SECRET}Input.parquet"
    parquet_with_secrets(source)
    listed = home / f"{SECRET}List.txt"
    listed.write_text("".join(f"item{n}\n" for n in range(12)) + f"{SECRET}Rare\n")
    target = tmp_path / "release"
    command = ["publish", "diffpart", "--epsilon", "9", str(source), "--column", "basket", "--items", str(listed)]
    subprocess.run(
        [sys.executable, "-m", "shoal", *command, "-o", str(target)], check=True, capture_output=True, cwd=home
    )
    assert {path.name for path in target.iterdir()} == {"manifest.json", "rows.parquet", "hierarchy.parquet"}
    planted = [f"{SECRET}{word}" for word in ("Unused", "Person", "Field", "Schema", "Host", "Folder", "Input", "List")]
    assert_absent(target, [*planted, str(tmp_path), "basket.", "customer", "pandas", "ARROW:schema", "seed stood in"])


def test_neither_order_nor_seed_nor_the_number_of_records_is_told(tmp_path: Path) -> None:
    """The same seed makes the same bytes of the same records in any order; the manifest has only noisy numbers."""
    rows = [frozenset(line.split()) for line in LINES]
    mixed = random.Random(1).sample(rows, len(rows))
    for name, some in (("one", rows), ("two", mixed)):
        library.diffpart(library.read(some), 2.0, run=Run(chance=987654321012345)).write(tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert_absent(tmp_path / "one", ["987654321012345", f"{987654321012345:x}"])
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["reproducible"] == "a seed stood in for chance: do not publish"
    totals = {library.diffpart(library.read(rows), 2.0, run=Run(chance=seed)).n_records for seed in range(6)}
    assert len(totals) > 2  # none of them is the number of records, but by chance


def test_the_folder_is_made_of_what_is_stated_and_of_nothing_else(tmp_path: Path) -> None:
    """Built again from the promise, the hierarchy, the baskets and their counts: same bytes."""
    release = library.diffpart(library.read([frozenset(line.split()) for line in LINES]), 2.0)
    release.write(tmp_path / "release")
    again = library.NoisyBaskets(
        library.promises.UnboundedDifferentialPrivacy(2.0),
        release.tree,
        release.offsets.copy(),
        release.items.copy(),
        release.row_counts.copy(),
    )
    again.write(tmp_path / "again")
    assert contents(tmp_path / "release") == contents(tmp_path / "again")
