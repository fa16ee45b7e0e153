"""Generalized baskets from outside: publishing, verifying, attacking, and what a newcomer gets wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal as library
from shoal.run import Run
from tests.making.km_generalized_baskets import rows_of
from tests.oracles import km_generalization as oracle
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
BASKETS = ["beer milk", "wine milk", "beer", "wine", "rum bread", "milk rum", "soap", "soap beer", "soap wine"]
TREE = "beer;alcohol;*\nwine;alcohol;*\nrum;alcohol;*\nmilk;food;*\nbread;food;*\nsoap;other;*\n"


@pytest.fixture
def baskets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("baskets.dat").write_text("\n".join(BASKETS))
    Path("items.csv").write_text(TREE)
    return Path("baskets.dat")


PUBLISH = ["publish", "km-generalization", "baskets.dat", "-k", 2, "-m", 2, "-o", "release"]
WITH = ["--hierarchy", "items.csv"]


def test_publish_verify_and_attack(capfd: Captured, baskets: Path) -> None:
    code, out, err = shoal(capfd, *PUBLISH, *WITH)
    assert (code, err) == (0, "")
    assert out.startswith("published 9 rows of 3 different items in release, verified from disk")
    assert "1 of them is an item itself, the others represent up to 3 of 6 items" in out
    assert "NCP of the release: 0.3" in out
    release = library.read_release("release")
    assert oracle.holds(rows_of(release), 2, 2)
    code, out, _ = shoal(capfd, "verify", "release")
    assert (code, out.splitlines()[0]) == (0, "all 8 checks hold")
    code, out, _ = shoal(capfd, "verify", "release", "--original", baskets, *WITH)
    assert (code, out.splitlines()[0]) == (0, "all 12 checks hold")
    code, out, _ = shoal(capfd, "verify", "release", "--original", baskets)
    assert code == 0
    assert "the promise is not confirmed: rows of the original" in out
    code, out, _ = shoal(capfd, "attack", "release", "--original", baskets, *WITH, "--seed", 1, "--json")
    found = json.loads(out)
    assert (code, found["breaks_promise"]) == (0, False)
    assert [finding["name"] for finding in found["findings"]] == ["known items", "certain items"]
    code, out, _ = shoal(capfd, "attack", "release", "--knows", 1, "--victims", 4)
    assert code == 0
    assert "Of 4 people drawn from the release" in out


@pytest.mark.usefixtures("baskets")
def test_nothing_or_everything_generalized_is_said(capfd: Captured) -> None:
    code, _, err = shoal(capfd, *PUBLISH, *WITH, "-k", "8")
    assert (code, "all 9 published rows are the same (*)" in err, "--kind frequency" in err) == (3, True, True)
    _, out, _ = shoal(capfd, *PUBLISH, *WITH, "-k", "8", "--even-if-empty")
    assert "* represents all 6 items: rows carry no information" in out
    Path("baskets.dat").write_text("beer\n" * 5)
    _, out, _ = shoal(capfd, *PUBLISH, *WITH, "--force")
    assert "all of them are items themselves: nothing had to be generalized" in out


def test_another_original_or_hierarchy_is_told(capfd: Captured, baskets: Path) -> None:
    assert shoal(capfd, *PUBLISH, *WITH)[0] == 0
    Path("other.dat").write_text("\n".join([*BASKETS[:-1], "soap milk"]))
    code, out, _ = shoal(capfd, "verify", "release", "--original", "other.dat", *WITH)
    assert (code, "1 of 12 checks fail" in out) == (1, True)
    Path("other.csv").write_text(TREE.replace("rum;alcohol", "rum;food"))
    code, out, _ = shoal(capfd, "verify", "release", "--original", baskets, "--hierarchy", "other.csv")
    assert (code, "alcohol represents 3 items in the release, and 2 there" in out) == (1, True)
    code, _, err = shoal(capfd, "attack", "release", "--original", "other.dat", *WITH)
    assert (code, "not made from this original" in err) == (2, True)


def test_as_json_forced_and_whole_and_the_same_in_python(capfd: Captured, baskets: Path) -> None:
    code, out, _ = shoal(capfd, *PUBLISH, *WITH, "--publish-hierarchy", "--json")
    found = json.loads(out)
    assert (code, found["confirmed"], found["counts"]["rows"]) == (0, True, 9)
    assert 0.3 < found["ncp_of_published_items"] < 0.5
    assert shoal(capfd, *PUBLISH, *WITH)[0] == 2
    assert shoal(capfd, *PUBLISH, *WITH, "--force")[0] == 0
    data = library.read(baskets)
    tree = library.read_hierarchy("items.csv", column=data.words)
    library.km_generalization(data, 2, 2, hierarchy=tree).write("again")
    for name in ("manifest.json", "rows.parquet", "hierarchy.parquet"):
        assert Path("again", name).read_bytes() == Path("release", name).read_bytes()
    evidence = library.Evidence(original=data, hierarchy=tree)
    assert library.verify("again", evidence).confirmed
    assert library.attack("again", evidence, run=Run(chance=1))["known items"].numbers


def test_a_hierarchy_is_made_and_can_be_written_edited_and_used_to_verify(capfd: Captured, baskets: Path) -> None:
    code, _, err = shoal(capfd, *PUBLISH, "--fanout", 3)
    assert code == 0
    assert "no hierarchy given: 3 items that are neighbours in alphabetical order are joined" in err
    made = ["generate", "hierarchy", baskets, "--items", "--fanout", 3, "-o", "made.csv"]
    code, _, err = shoal(capfd, *made, "--kind", "neighbours")
    assert (code, err) == (0, "wrote 6 values in 3 levels to made.csv\n")
    code, out, _ = shoal(capfd, "verify", "release", "--original", baskets, "--hierarchy", "made.csv")
    assert (code, out.splitlines()[0]) == (0, "all 12 checks hold")
    code, _, err = shoal(capfd, *made, "--kind", "frequency", "--force")
    assert code == 0
    assert "do not give it to shoal publish diffpart" in err
    assert shoal(capfd, *PUBLISH, "--hierarchy", "made.csv", "--force")[0] == 0


MISTAKES = {
    "items are missing": (
        [*WITH],
        {"items.csv": TREE.replace("rum;alcohol;*\n", "")},
        ["'items.csv' does not fit", "without a place (1): 'rum'", "--complete"],
    ),
    "two parents": (
        [*WITH],
        {"items.csv": TREE + "gin;alcohol;other;*\n"},
        ["items.csv", "ragged levels"],
    ),
    "an item in two places": (
        [*WITH],
        {"items.csv": TREE + "rum;food;*\n"},
        ["two paths (1): 'rum' to alcohol > * (line 3) and to food > * (line 7)"],
    ),
    "no such file": (["--hierarchy", "itmes.csv"], {}, ["itmes.csv"]),
    "baskets for a hierarchy": (["--hierarchy", "baskets.dat"], {}, ["hierarchy 'baskets.dat' does not fit"]),
    "a column": (["--hierarchy", "item=items.csv"], {}, ["item=items.csv"]),
    "complete without": (["--complete"], {}, ["--complete applies to hierarchies"]),
    "fanout beside": ([*WITH, "--fanout", 3], {}, ["--fanout applies to a hierarchy built"]),
    "fanout too small": (["--fanout", 1], {}, ["fanout is 1"]),
    "k too small": ([*WITH, "-k", 1], {}, ["k is 1: it must be a whole number from 2 on"]),
}


@pytest.mark.parametrize(("options", "files", "words"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.usefixtures("baskets")
def test_mistakes_are_told(capfd: Captured, options, files, words) -> None:
    for name, text in files.items():
        Path(name).write_text(text)
    code, out, err = shoal(capfd, *PUBLISH, *options)
    assert (code, out) == (2, "")
    told = " ".join(err.split())
    for word in words:
        assert word in told
    assert not Path("release").exists()


def test_what_cannot_be_and_what_can_be_mended(capfd: Captured, baskets: Path) -> None:
    code, _, err = shoal(capfd, *PUBLISH, *WITH, "-k", 10)
    assert (code, "9 records cannot hide one among 10" in err) == (3, True)
    Path("items.csv").write_text(TREE.replace("rum;alcohol;*\n", ""))
    assert shoal(capfd, *PUBLISH, *WITH, "--complete")[0] == 0
    given = ["verify", "release", "--original", baskets, *WITH]
    assert shoal(capfd, *given)[0] == 2
    assert shoal(capfd, *given, "--complete")[0] == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["verify", "release", *WITH], "give --original FILE, too"),
        (["attack", "release", *WITH], "give --original FILE, too"),
        (["verify", "release", "--original", "baskets.dat", *WITH, *WITH], "has one hierarchy"),
        (["verify", "release", "--original", "baskets.dat", "--hierarchy", "age=a.csv"], "--hierarchy items.csv"),
        (["verify", "release", "--original", "baskets.dat", "--complete"], "add --hierarchy FILE"),
        (["attack", "release", "--original", "baskets.dat"], "--hierarchy FILE"),
        (["attack", "release", "--other", "release"], "no attack compares two such releases"),
        (["attack", "release", "--struck", 0.1], "--struck is not about"),
        (["attack", "release", "--fill"], "--fill is not about"),
        (["verify", "release", "--rules", "items.csv"], "--rules is not about"),
        (["verify", "tree", "--original", "baskets.dat", *WITH], "--hierarchy is not about"),
        (["generate", "hierarchy", "baskets.dat", "--items", "--kind", "ranges", "-o", "x"], "neighbours or frequency"),
        (["generate", "hierarchy", "baskets.dat", "--kind", "neighbours", "-o", "x"], "--items"),
        (["generate", "hierarchy", "t.csv", "--column", "a", "--kind", "neighbours", "-o", "x"], "add --items"),
        (
            ["generate", "hierarchy", "t.csv", "--column", "a", "--kind", "ranges", "--fanout", 2, "-o", "x"],
            "add --items",
        ),
    ],
)
def test_options_that_do_not_go_together(capfd: Captured, baskets: Path, command, words) -> None:
    assert shoal(capfd, *PUBLISH, *WITH)[0] == 0
    assert shoal(capfd, "publish", "disassociate", baskets, "-k", 2, "-m", 2, "-o", "tree")[0] == 0
    code, _, err = shoal(capfd, *command)
    assert (code, words in " ".join(err.split())) == (2, True), err
