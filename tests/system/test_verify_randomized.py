"""Verifying and attacking randomized releases from outside."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import shoal as library
from shoal.errors import InputError
from shoal.run import Run
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def baskets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    chance = random.Random(3)
    items = [f"item{number}" for number in range(30)]
    lines = []
    for _ in range(1_500):
        held = {items[min(int(chance.expovariate(0.2)), 29)] for _ in range(chance.randint(1, 6))}
        lines.append(" ".join(sorted(held)))
    (tmp_path / "baskets.dat").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "baskets.dat"


def publish(capfd: Captured, *options: object) -> None:
    assert shoal(capfd, "publish", *options, "-o", "release")[0] == 0


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        (["mask", "baskets.dat", "--keep-prob", 0.9], "flip rate"),
        (["fakes", "baskets.dat", "--fakes", 1.5], "fake transactions"),
        (["hybrid", "baskets.dat", "--keep-prob", 0.9, "--fakes", 1], "flip rate, fake transactions"),
    ],
    ids=["mask", "fakes", "hybrid"],
)
def test_verify_with_and_without_the_original(
    capfd: Captured, baskets: Path, options: list[object], left_out: str
) -> None:
    publish(capfd, *options)
    code, out, _ = shoal(capfd, "verify", "release")
    assert code == 0
    assert out.splitlines()[0].endswith(f"so the promise is not confirmed: {left_out}")
    assert "a false alarm in less than one of ten billion releases" in out
    code, out, _ = shoal(capfd, "verify", "release", "--original", baskets, "--json")
    found = json.loads(out)
    assert (code, found["holds"], found["confirmed"], found["not_checked"]) == (0, True, True, [])
    lines = baskets.read_text().splitlines()
    every = " ".join(sorted({item for line in lines for item in line.split()}))  # the items are the same
    Path("other.dat").write_text("\n".join([every, *("item29 item28 item27" for _ in lines[1:])]))
    code, out, _ = shoal(capfd, "verify", "release", "--original", "other.dat")
    assert code == 1
    assert "FAILS   frequencies in the original: " in out
    assert " are expected: the chance of so " in out
    Path("fewer.dat").write_text("\n".join(lines[1:]))
    code, out, _ = shoal(capfd, "verify", "release", "--original", "fewer.dat")
    assert code == 1
    assert "it states 1,500 records, and the original has 1,499" in out
    code, _, err = shoal(capfd, "verify", "release", "--hierarchy", "a=b.csv")
    assert (code, "--hierarchy is not about a randomized release" in err) == (2, True)


def test_a_seed_is_left_out(capfd: Captured, baskets: Path) -> None:
    publish(capfd, "mask", baskets, "--keep-prob", 0.9, "--seed", 1)
    code, out, _ = shoal(capfd, "verify", "release", "--original", baskets)
    assert code == 0
    assert out.splitlines()[0].endswith("the promise is not confirmed: chance")
    assert "so this release must not be published" in " ".join(out.split())


def test_attack_made_up_rows(capfd: Captured, baskets: Path) -> None:
    publish(capfd, "fakes", baskets, "--fakes", 2)
    code, out, _ = shoal(capfd, "attack", "release", "--original", baskets, "--json")
    found = json.loads(out)
    assert (code, found["breaks_promise"]) == (0, False)
    numbers = found["findings"][0]["numbers"]
    assert [entry["real_rows_kept_share"] for entry in numbers["with_filter"]] == [0.99, 0.95, 0.9, 0.8]
    assert numbers["worst_case_privacy_without_filter"] == pytest.approx(2 / 3)
    assert found["left_out"][0]["name"] == "single items"
    code, out, _ = shoal(capfd, "attack", "release")
    assert (code, "it needs the data (--original FILE)" in out) == (0, True)


def test_attack_flipped_rows(capfd: Captured, baskets: Path) -> None:
    """Rows of the folder cannot be told apart: a seed draws the same others again."""
    publish(capfd, "hybrid", baskets, "--keep-prob", 0.9, "--fakes", 1, "--fake-length", "1-4", "--max-basket", 4)
    outputs = [
        shoal(capfd, "attack", "release", "--original", baskets, "--seed", seed, "--json")[1] for seed in (1, 1, 2)
    ]
    assert outputs[0] == outputs[1] != outputs[2]
    found = json.loads(outputs[0])
    assert [finding["name"] for finding in found["findings"]] == ["likelihood filter", "single items"]
    assert all("newly randomized" in finding["sentence"] for finding in found["findings"])
    code, out, _ = shoal(capfd, "attack", "release", "--original", baskets)
    assert code == 0
    assert out.startswith("none of 2 findings breaks the promise")


@pytest.mark.parametrize("option", [["--knows", 3], ["--victims", 5], ["--struck", 0.1], ["--fill"]])
def test_options_about_other_releases_are_refused(capfd: Captured, baskets: Path, option: list[object]) -> None:
    publish(capfd, "mask", baskets, "--keep-prob", 0.9)
    code, _, err = shoal(capfd, "attack", "release", *option)
    assert code == 2
    assert f"{option[0]} is not about a r" in err


def test_the_same_in_python(capfd: Captured, baskets: Path) -> None:
    publish(capfd, "mask", baskets, "--keep-prob", 0.9)
    data = library.read(baskets)
    assert library.verify("release", library.Evidence(original=data)).confirmed
    found = library.attack("release", library.Evidence(original=data), run=Run(chance=1))
    assert 0 < found["single items"].numbers["r1_measured"] < 1
    with pytest.raises(InputError, match="no attack on such a release without another one uses knows"):
        library.attack("release", adversary=library.Adversary(knows=2))
    with pytest.raises(InputError, match="not made from this original"):
        library.attack("release", library.Evidence(original=library.read(baskets, separator="x")))
