"""``shoal attack --other``: what several releases of the same people say together, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal as library
from tests.plugins.real_data import ADULT_COLUMNS
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
QUASI = ("--quasi", "age,sex,postcode", "--sensitive", "diagnosis")
NAME = "second release"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> Path:
    monkeypatch.chdir(tmp_path)
    assert shoal(capfd, "generate", "people", "--rows", 600, "--seed", 1, "-o", "people.csv")[0] == 0
    return Path("people.csv")


def publish(capfd: Captured, method: str, *options: object) -> None:
    code, _, err = shoal(capfd, "publish", method, *options)
    assert code == 0, err


def found(capfd: Captured, *command: object) -> dict[str, Any]:
    code, out, err = shoal(capfd, "attack", *command, "--json")
    assert code == 0, err
    return {one["name"]: one for one in json.loads(out)["findings"]}


def refused(capfd: Captured, *command: object) -> str:
    code, out, err = shoal(capfd, "attack", *command)
    assert (code, out) == (2, "")
    return " ".join(err.split())


@pytest.mark.parametrize("method", ["anatomy", "injector"])
def test_groups_drawn_anew_are_intersected_and_those_of_one_secret_are_not(
    capfd: Captured, people: Path, method: str
) -> None:
    for seed, out in enumerate(("one", "two", "three")):
        publish(capfd, method, people, *QUASI, "-l", 3, "--seed", seed, "-o", out)
    for out in ("kept", "again"):
        publish(capfd, method, people, *QUASI, "-l", 3, "--secret", "own.key", "-o", out)
    shares = []
    for others in (["--other", "two"], ["--other", "two", "--other", "three"]):
        finding = found(capfd, "one", *others, "--original", people)[NAME]
        assert "The promise does not cover a second release" in finding["sentence"]
        assert finding["breaks_promise"] is False
        unique, everybody = finding["numbers"]["descriptions"]
        assert everybody["people"] == 600
        assert unique["one_value_by_one_release"] == 0
        assert unique["one_value_and_right"] == unique["one_value"] > 0
        shares.append(unique["one_value_share"])
    assert 0.3 < shares[0] < shares[1]
    assert finding["residual"]["share"] == shares[1]
    unique, everybody = found(capfd, "kept", "--other", "again", "--original", people)[NAME]["numbers"]["descriptions"]
    assert unique["one_value"] == everybody["one_value"] == 0
    assert unique["values_by_all_releases"] == unique["values_by_the_first_release"]
    code, out, _ = shoal(capfd, "attack", "one", "--other", "two")
    assert code == 0
    assert "people with a unique description" in " ".join(out.split())


def test_two_recodings(capfd: Captured, people: Path) -> None:
    recoded = ("--strategy", "mondrian", "--hierarchy", "age=ranges", "--hierarchy", "postcode=prefixes")
    for out, k in (("one", 3), ("two", 4)):
        publish(capfd, "k-anonymity", people, *QUASI, "-k", k, *recoded, "-o", out)
    code, out, _ = shoal(capfd, "attack", "one", "--other", "two")
    assert "left out: second release: only the original shows which people are in the groups of the releases" in out
    code, out, err = shoal(capfd, "attack", "one", "--other", "two", "--original", people, *recoded[2:], "--json")
    assert code == 0, err
    finding = next(one for one in json.loads(out)["findings"] if one["name"] == NAME)
    unique = finding["numbers"]["descriptions"][0]
    assert unique["one_value_by_one_release"] < unique["one_value"] == unique["one_value_and_right"]
    assert unique["values_by_all_releases"] < unique["values_by_the_first_release"]


def test_two_distortions(capfd: Captured, people: Path) -> None:
    del people
    assert shoal(capfd, "generate", "sample", "baskets", "-o", "b.dat")[0] == 0
    for out in ("one", "two"):
        publish(capfd, "mask", "b.dat", "--keep-prob", 0.95, "-o", out)
        publish(capfd, "fakes", "b.dat", "--fakes", 2, "-o", f"faked-{out}")
    code, out, _ = shoal(capfd, "attack", "one", "--other", "two")
    assert code == 0
    assert "left out: linked rows: it needs the data (--original FILE)" in out
    command = ("one", "--other", "two", "--original", "b.dat", "--victims", 50, "--seed", 1)
    both = found(capfd, *command)
    assert both["linked rows"]["numbers"]["people"] == 50
    assert found(capfd, *command)["linked rows"] == both["linked rows"]
    numbers = both[NAME]["numbers"]
    assert numbers["r1_if_both_rows_are_known_expected"] > numbers["r1_by_the_first_expected"]
    # Two draws that share a seed would be one: each row would be linked for certain.
    assert both["linked rows"]["numbers"]["linked_right_share"] < 1
    rows = found(capfd, "faked-one", "--other", "faked-two")["rows in both"]["numbers"]
    assert rows["real_of_rows_left_share"] > rows["real_of_all_rows_share"]
    assert 0 < rows["fake_transactions_removed_share"] <= 1


def test_what_cannot_be_played_together_is_refused(capfd: Captured, people: Path) -> None:
    publish(capfd, "anatomy", people, *QUASI, "-l", 3, "-o", "anatomy")
    publish(capfd, "k-anonymity", people, *QUASI, "-k", 5, "-o", "recoded")
    assert shoal(capfd, "generate", "people", "--rows", 500, "--seed", 2, "-o", "others.csv")[0] == 0
    publish(capfd, "anatomy", "others.csv", *QUASI, "-l", 3, "-o", "others")
    assert shoal(capfd, "generate", "sample", "baskets", "-o", "b.dat")[0] == 0
    for method, options in {
        "mask": ("--keep-prob", 0.9),
        "disassociate": ("-k", 5, "-m", 2),
        "diffpart": ("--epsilon", 1),
    }.items():
        publish(capfd, method, "b.dat", *options, "--even-if-empty", "-o", method)
    made = ("generate", "hierarchy", "b.dat", "--items", "--kind", "neighbours", "--fanout", 3, "-o", "made.csv")
    assert shoal(capfd, *made)[0] == 0
    options = ("--hierarchy", "made.csv", "-k", 5, "-m", 2, "-o", "generalize")
    publish(capfd, "km-generalization", "b.dat", *options)
    assert "recoded is a release by bottom-up, and anatomy one by anatomy" in refused(
        capfd, "anatomy", "--other", "recoded"
    )
    assert "the other release is of another table: it has 500 rows, and the first 600" in refused(
        capfd, "anatomy", "--other", "others"
    )
    assert "nowhere" in refused(capfd, "anatomy", "--other", "nowhere")
    assert "give one" in refused(capfd, "mask", "--other", "mask", "--other", "mask")
    assert "give one" in refused(capfd, "disassociate", "--other", "mask", "--other", "mask")
    assert "mask is a release by mask, and disassociate one by" in refused(capfd, "disassociate", "--other", "mask")
    assert "a release of generalized baskets: no attack compares two such releases" in refused(
        capfd, "generalize", "--other", "generalize"
    )
    assert "of two releases the epsilons add up" in refused(capfd, "diffpart", "--other", "diffpart")
    assert "--victims is not about a randomized release without --other" in refused(capfd, "mask", "--victims", 5)
    assert "victims is 0" in refused(capfd, "mask", "--other", "mask", "--victims", 0)


def test_the_same_in_python(capfd: Captured, people: Path) -> None:
    publish(capfd, "anatomy", people, *QUASI, "-l", 3, "-o", "one")
    publish(capfd, "anatomy", people, *QUASI, "-l", 3, "-o", "two")
    one = library.attack("one", library.Evidence(others="two"))[NAME].numbers
    assert library.attack("one", library.Evidence(others=(library.read_release("two"),)))[NAME].numbers == one
    assert library.attack("one", library.Evidence(others=(Path("two"), "two")))[NAME].numbers["releases"] == 3


# Shares with one value after two and three releases, least and most: of the whole data and of the sample.
PINNED = {
    ("anatomy", False): ((0.5, 0.57), (0.77, 0.89)),
    ("anatomy", True): ((0.44, 0.64), (0.75, 0.95)),
    ("injector", False): ((0.39, 0.47), (0.66, 0.79)),
    ("injector", True): ((0.15, 0.32), (0.29, 0.46)),
}


@pytest.mark.parametrize("method", ["anatomy", "injector"])
def test_adult_published_two_and_three_times(
    capfd: Captured, adult_folder: Path, on_sample: bool, tmp_path: Path, method: str
) -> None:
    """53 and 86 %, 43 and 70 %, by the values that groups have in common; more by striking out."""
    by_two, by_three = PINNED[method, on_sample]
    columns = ["--column-names", ",".join(ADULT_COLUMNS), "--missing", "drop"]
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex"]
    rules = [f"--hierarchy={name}={adult_folder / 'hierarchies' / f'{name}.csv'}" for name in quasi]
    options = ["--quasi", ",".join(quasi), "--sensitive", "occupation", "-l", 3, *columns]
    for out in "abc":
        more = rules if method == "injector" else []
        publish(capfd, method, adult_folder / "adult.data", *options, *more, "-o", tmp_path / out)
    others = ["--other", tmp_path / "b"]
    two = found(capfd, tmp_path / "a", *others)[NAME]["numbers"]["descriptions"][0]
    three = found(capfd, tmp_path / "a", *others, "--other", tmp_path / "c")[NAME]["numbers"]["descriptions"][0]
    assert by_two[0] < two["one_value_by_common_values_share"] < by_two[1]
    assert by_three[0] < three["one_value_by_common_values_share"] < by_three[1]
    assert two["one_value_share"] > two["one_value_by_common_values_share"] + 0.1
    assert three["one_value_share"] > (0.8 if on_sample else 0.85)
    assert two["one_value_by_one_release"] == 0
