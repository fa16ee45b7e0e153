"""``shoal publish`` and ``shoal verify``: what they print where, and what appears."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal as library
from shoal.io.release_folder import read_release
from shoal.measuring.baskets.kept_itemsets import kept_itemsets
from tests.running.commands import outside, shoal


def test_publish_says_what_it_did_and_what_it_warns_of(
    capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path
) -> None:
    target = tmp_path / "new"
    code, out, err = shoal(capfd, "publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", target)
    assert code == 0
    assert "published 27 records" in out
    assert "at least 3 records contain the set" in " ".join(out.split())
    assert f"shoal verify {target}" in out
    assert "warning: 2 items occur in fewer than 3 records" in err
    assert "--drop-rare" in err


def test_publish_with_every_option(capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path) -> None:
    target, listed = tmp_path / "new", tmp_path / "listed.txt"
    listed.write_bytes("\ufefftea\r\n\r\n".encode())  # as a Windows editor saves it
    command = ["publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", target, "--sensitive", "milk"]
    command += ["--sensitive-from", listed, "-l", 4, "--drop-rare", "--max-cluster-size", 9, "--json", "--force"]
    command += ["--even-if-empty"]  # of so few items so many are sensitive that nothing else is left
    for _ in range(2):  # and again over the first
        code, out, err = shoal(capfd, *command)
        assert code == 0, err
        made = json.loads(out)
    assert err.startswith("warning: total loss: all 3 items of 27 records are in term chunks only")
    assert made["holds"] is True
    assert made["release"] == str(target)
    assert made["left_out"]["rare_items"] == 2
    opened = read_release(target)
    assert opened.diversity is not None
    assert opened.diversity.sensitive == ("milk", "tea")
    assert (opened.promise.k, opened.promise.m, opened.diversity.l) == (3, 2, 4)
    assert opened.cluster_size.max() <= 9 + 4
    assert opened.counts == made["counts"]
    assert shoal(capfd, "verify", target)[0] == 0


def test_publish_says_what_is_left_of_sets_to_keep(
    capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path
) -> None:
    listed = tmp_path / "sets.txt"
    listed.write_text('tea,  "milk"\n\n')
    command = ["publish", "disassociate", baskets, "-k", 3, "-m", 2, "--keep-itemsets", listed]
    code, out, _ = shoal(capfd, *command, "-o", tmp_path / "one", "--json")
    assert code == 0
    (told,) = json.loads(out)["kept_itemsets"]
    data = library.read(baskets)
    releases = [library.disassociate(data, 3, 2, keep_itemsets=sets) for sets in ([["tea", "milk"]], [])]
    (with_it,), (without,) = (kept_itemsets(data, release, [["tea", "milk"]]) for release in releases)
    assert told == {
        "items": ["milk", "tea"],
        "original": with_it.original,
        "certain": with_it.certain,
        "expected": with_it.expected,
        "certain_without": without.certain,
        "expected_without": without.expected,
    }
    code, out, _ = shoal(capfd, *command, "-o", tmp_path / "two")
    row = next(line for line in out.splitlines() if line.strip().startswith("milk, tea"))
    assert row.split()[2:5] == [str(with_it.original), str(with_it.certain), str(without.certain)]


def test_publish_says_what_was_left_out(capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path) -> None:
    command = ["publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", tmp_path / "new", "--drop-rare"]
    code, out, err = shoal(capfd, *command, "--sensitive", "tea", "-l", 5)
    assert code == 0
    assert "left out: 2 items in fewer than 3 records of all the data" in out
    assert "warning" not in err
    assert "The 1 sensitive item appears in term chunks only" in " ".join(out.split())


def test_publish_says_what_was_merged_and_dropped(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "baskets.dat"
    path.write_text("a a b\n\na b\na b\n")
    code, _, err = shoal(capfd, "publish", "disassociate", path, "-k", 2, "-m", 1, "-o", tmp_path / "new")
    assert code == 0
    assert "1 repetitions of an item inside a record were merged" in err
    assert "1 empty records were dropped" in err


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("1 2  10\n1 10 2\n2 1\n10 2 1\n", ("disassociate", "-k", 2, "-m", 2)),  # two blanks
        ("1 2  10\n1 10 2\n2 1\n10 2 1\n", ("mask", "--keep-prob", 0.9)),
        ("1 2 10\n1 10 2 x\n2 1\n10 2 1\n", ("disassociate", "-k", 2, "-m", 2, "--drop-rare")),
    ],
)
def test_items_that_are_numbers_are_published_whatever_else_was_read(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, text: str, method: tuple[object, ...]
) -> None:
    (tmp_path / "baskets.dat").write_text(text)
    name, *options = method
    code, _, err = shoal(capfd, "publish", name, tmp_path / "baskets.dat", *options, "-o", tmp_path / "new")
    assert code == 0, err
    assert shoal(capfd, "verify", tmp_path / "new")[0] == 0


def test_verify_says_what_was_checked(capfd: pytest.CaptureFixture[str], release: Path, baskets: Path) -> None:
    code, out, err = shoal(capfd, "verify", release)
    assert (code, err) == (0, "")
    assert out.startswith("all ")
    assert "record chunks" in out
    code, out, _ = shoal(capfd, "verify", release, "--original", baskets, "--json")
    assert code == 0
    verdict = json.loads(out)
    assert verdict["holds"] is True
    assert len(verdict["checks"]) > 15


def test_verify_against_other_data_says_no(capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.dat"
    other.write_text("bread milk\n" * 27)
    code, out, _ = shoal(capfd, "verify", release, "--original", other)
    assert code == 1
    assert "FAILS" in out


def test_the_command_is_the_python_api(baskets: Path, release: Path, tmp_path: Path) -> None:
    import shoal as api

    api.disassociate(api.read(baskets), k=3, m=2).write(tmp_path / "api")
    for path in release.iterdir():
        assert (tmp_path / "api" / path.name).read_bytes() == path.read_bytes()
    assert api.verify(release).holds


def test_standard_input_is_a_file_too(baskets: Path, tmp_path: Path, release: Path) -> None:
    text = baskets.read_text()
    assert "27 records" in outside("info", "-", input=text).stdout
    target = tmp_path / "piped"
    done = outside("publish", "disassociate", "-", "-k", 3, "-m", 2, "-o", target, input=text)
    assert done.returncode == 0, done.stderr
    assert (target / "manifest.json").read_bytes() == (release / "manifest.json").read_bytes()
    assert outside("verify", target, "--original", "-", input=text).returncode == 0


def test_publish_says_what_striking_out_sensitive_items_cost(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "baskets.dat"
    file.write_text("hiv\n" * 6 + "tea milk\n" * 14)
    options = ["-k", 2, "-m", 2, "--sensitive", "hiv", "-l", 5, "--max-cluster-size", 30]
    code, out, _ = shoal(capfd, "publish", "disassociate", file, *options, "-o", tmp_path / "new")
    assert code == 0
    assert "suppressed: 3 occurrences of sensitive items" in out
    assert "left out: 3 records that held nothing else" in out
