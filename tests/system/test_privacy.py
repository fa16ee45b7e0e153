"""``shoal privacy``: from numbers, from a release, and the other way round."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
NUMBERS = ("--keep-prob", ".95", "--fakes", "2", "--mean-support", ".01", "--weight", ".9")
DATA = ("--mean-support", ".01", "--records", "100000", "--items", "1000", "--min-support", ".005")


@pytest.fixture
def hybrid(capfd: Captured, baskets: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "hybrid"
    code, _, err = shoal(
        capfd, "publish", "hybrid", baskets, "--keep-prob", ".8", "--fakes", "2", "--seed", "1", "-o", folder
    )
    assert code == 0, err
    return folder


def words(out: str) -> str:
    return " ".join(out.split())


def test_numbers_are_explained(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "privacy", *NUMBERS)
    assert (code, err) == (0, "")
    said = words(out)
    for sentence in (
        "the row is real with probability 0.3333",
        "an item that it has is reconstructed with 0.153, one that it lacks with 0.9914",
        "the reconstruction probability of single items is 0.07895, which leaves a privacy of 0.9211",
        "does both 0.0789 0.0448 0.9211 0.9552",
        "Anyone who knows several items of a person can look for rows that match them",
        "Size: 3 times the rows",
        "fake transactions alone 9 19 99",
        "Differential privacy: no statement is possible, because records may have any length",
    ):
        assert sentence in said
    assert "epsilon" not in said
    assert "anonym" not in said.lower()


def test_everything_that_is_known_is_used(capfd: Captured) -> None:
    code, out, _ = shoal(capfd, "privacy", *NUMBERS, *DATA[2:], "--filtered", ".5", "--max-basket", "10")
    said = words(out)
    assert code == 0
    assert "picks a row that is real (50% filtered)" in said
    assert "times the items in them" in said
    assert "2 items" in said
    assert "Differential privacy: epsilon 58.8888. Replacing one record by any other of at most 10 items" in said
    assert "This holds only if publishing cuts records to it (--max-basket)." in said


def test_numbers_as_json(capfd: Captured) -> None:
    code, out, _ = shoal(capfd, "privacy", *NUMBERS, "--json")
    assert code == 0
    found = json.loads(out)
    assert round(found["both"]["privacy_worst"], 4) == 0.9211
    assert round(found["rows"]["privacy_average"], 4) == 0.8108  # table 2 of the paper
    assert found["differential_privacy"] is None


def test_rows_that_are_published_as_they_are(capfd: Captured) -> None:
    code, out, _ = shoal(capfd, "privacy", "--fakes", "9", "--mean-support", ".01", *DATA[2:])
    said = words(out)
    assert code == 0
    assert "then all of it is known: a privacy of 0.9" in said
    assert "no statement is possible, because real rows are published unchanged" in said


def test_of_a_release(capfd: Captured, hybrid: Path, tmp_path: Path) -> None:
    code, out, err = shoal(capfd, "privacy", hybrid, "--limit", "3", "--min-support", ".2")
    assert (code, err) == (0, "")
    said = words(out)
    assert "items reconstructed best" in said
    assert "the first 3 of 5: --limit N shows more" in said
    assert "Supports are estimated from the release" in said
    items = tmp_path / "items.csv"
    code, out, err = shoal(capfd, "privacy", hybrid, "-o", items, "--json")
    assert (code, err) == (0, f"wrote 5 rows to {items}\n")
    rows = list(csv.DictReader(items.read_text().splitlines()))
    assert {row["item"] for row in rows} == {"bread", "milk", "tea", "caviar", "hiv"}
    assert list(rows[0]) == ["item", "support", "ones", "zeros", "reconstruction"]
    found = json.loads(out)
    assert (found["keep_prob"], found["fakes"], found["records"]) == (0.8, 2, 27)


def test_a_release_that_promises_differential_privacy_says_so(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cut"
    options = ("--keep-prob", ".75", "--max-basket", "2", "--seed", "1", "-o", folder)
    assert shoal(capfd, "publish", "mask", baskets, *options)[0] == 0
    code, out, _ = shoal(capfd, "privacy", folder)
    assert code == 0
    assert "Differential privacy: epsilon 4.39445." in words(out)
    assert "This holds only if" not in words(out)


def test_which_settings_reach_a_target(capfd: Captured, tmp_path: Path) -> None:
    code, out, err = shoal(capfd, "privacy", "--target", ".95", "--max-size", "3", *DATA)
    assert (code, err) == (0, "")
    said = words(out)
    assert "settings with a privacy of 0.95 in the worst case, the least error first" in said
    assert "A small error and a small release exclude each other" in said
    found = tmp_path / "found.json"
    code, out, err = shoal(capfd, "privacy", "--target", ".95", "--max-size", "3", *DATA, "-o", found)
    assert (code, out) == (0, "")
    rows = json.loads(found.read_text())
    assert err == f"wrote {len(rows)} rows to {found}\n"
    assert all(row["rows"] < 3.001 and row["privacy"] > 0.9499 for row in rows)


def test_an_impossible_target_names_the_nearest(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "privacy", "--target", ".95", "--max-size", "2", *DATA)
    assert (code, out) == (3, "")
    assert "no setting reaches a privacy of 0.95 with at most 2 times the rows; the most at that size is 0.946" in err
    assert "the least size for that privacy is 2.16" in err


@pytest.mark.parametrize("size_in", ["rows", "ones"])
def test_the_frontier_as_a_table_and_as_data(capfd: Captured, tmp_path: Path, size_in: str) -> None:
    code, out, err = shoal(capfd, "privacy", "--frontier", *DATA, "--size-in", size_in)
    assert (code, err) == (0, "")
    assert "that no other beats in privacy, size and error at once, from 56 values of keep_prob" in words(out)
    assert "…" not in out
    assert all(len(line) <= 100 for line in out.splitlines())
    points = tmp_path / "frontier.parquet"
    assert shoal(capfd, "privacy", "--frontier", *DATA, "--size-in", size_in, "-o", points)[0] == 0
    assert pq.read_table(points).column_names[:4] == ["keep_prob", "fakes", "privacy", "rows"]
    assert shoal(capfd, "privacy", "--frontier", *DATA, "-o", points)[0] == 2  # it exists already
    assert shoal(capfd, "privacy", "--frontier", *DATA, "-o", points, "--force")[0] == 0
    code, out, _ = shoal(capfd, "privacy", "--frontier", *DATA, "--json")
    assert {"circumstances", "tried", "settings"} == set(json.loads(out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--keep-prob", ".5", "--mean-support", ".01"), "must be at least 0.51"),
        (("--keep-prob", ".9"), "--mean-support is missing"),
        (("--fakes", "-1", "--mean-support", ".01"), "fakes is -1"),
        (("--mean-support", ".01"), "nothing is randomized"),
        ((*NUMBERS, "--weight", "2"), "weight is 2"),
        ((*NUMBERS, "--filtered", "1.5"), "filtered is 1.5"),
        (("--target", ".9", "--frontier", *DATA), "give only one of them"),
        (("--max-size", "3", *NUMBERS), "add --target"),
        (("--target", ".9", "--keep-prob", ".9", *DATA), "--keep-prob is not about settings that are searched for"),
        (("--target", ".9", "--mean-support", ".01"), "depends on --records, --items, --min-support: give them"),
        (("--target", "1", *DATA), "target is 1"),
        ((*NUMBERS, "-o", "x.csv"), "-o writes the items of a release, or settings"),
        (("--frontier", *DATA, "-o", "x.txt"), "must end with"),
        ((*NUMBERS, "--size-in", "ones"), "--size-in is not about given settings"),
    ],
)
def test_what_does_not_fit_together_is_one_message(capfd: Captured, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = shoal(capfd, "privacy", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_options_that_a_release_answers_itself(capfd: Captured, hybrid: Path) -> None:
    code, _, err = shoal(capfd, "privacy", hybrid, "--keep-prob", ".9")
    assert code == 2
    assert "--keep-prob is not about a release, which itself says how it was made" in err


def test_another_kind_of_release_is_refused(capfd: Captured, release: Path) -> None:
    code, out, err = shoal(capfd, "privacy", release)
    assert (code, out) == (2, "")
    assert "is not a randomized release" in err
