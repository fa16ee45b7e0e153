"""Total loss and empty promises from outside: refused with advice, or published with an option and said first."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path

import pytest

import shoal as api
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
NOT_PUBLISHED = (
    "Nothing was published; --even-if-empty publishes such a release anyway, and every report about it begins with "
    "this warning."
)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bills: 1,337 amounts in 1,338 rows; five people; baskets in which no item is frequent."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(1)
    cents = chance.sample(range(112_187, 6_377_043), 1337)
    amounts = [cent / 100 for cent in [*cents, cents[0]]]
    rows = [f"{chance.randint(18, 64)},{chance.choice('fm')},{amount}" for amount in amounts]
    Path("bills.csv").write_text("\n".join(["age,sex,charges", *rows]))
    Path("people.csv").write_text("age,sex,ill\n20,f,flu\n30,m,flu\n40,f,cold\n50,m,cold\n60,f,flu\n")
    Path("rare.dat").write_text("".join(f"a{place} b{place}\n" for place in range(8)))
    Path("items.csv").write_text("".join(f"{name}{place};*\n" for name in "ab" for place in range(8)))


BILLS = ("bills.csv", "--quasi", "age,sex", "--sensitive", "charges")
COARSER = "Publish coarser values of charges instead of 1,337 different ones from 1,"
REFUSED = {
    "disassociate": (
        ["rare.dat", "-k", 2, "-m", 2],
        "error: total loss: all 16 items of 8 records are in term chunks only, so the release shows neither how often "
        "an item occurs in a cluster nor which items occur together. Try coarser items: there are 16 for 8 records.",
    ),
    "disassociate --cover-safe": (
        ["rare.dat", "-k", 3, "-m", 2, "--cover-safe", "--sensitive", "a0", "-l", 2],
        "Try a smaller -k than 3; leaving out --cover-safe; fewer sensitive items than 1, or an -l below 2; or coarser "
        "items: there are 16 for 8 records.",
    ),
    "disassociate --vertical best": (
        ["rare.dat", "-k", 2, "-m", 2, "--vertical", "best"],
        "total loss: all 16 items of 8 records are in term chunks only",
    ),
    "km-generalization": (
        ["rare.dat", "--hierarchy", "items.csv", "-k", 3, "-m", 2],
        "error: total loss: all 8 published rows are the same (*), so nothing distinguishes one record from another. A "
        "few rare items can cause this if only the root is above them. Try a hierarchy with more "
        "levels, or one that joins rare items with rare ones (shoal generate hierarchy --items --kind frequency); a "
        "smaller -k than 3; a smaller -m than 2; fewer of the 16 items, without the rarest; or another method "
        "(shoal compare).",
    ),
    "diffpart": (
        ["rare.dat", "--epsilon", ".001", "--seed", 1],
        "error: total loss: no basket is published. No basket was frequent enough. Try an --epsilon above 0.001, or a "
        "hierarchy of fewer than 16 items. This try has spent its epsilon. Another one spends its own in addition.",
    ),
    "k-anonymity": (
        ["people.csv", "--quasi", "age,sex", "--sensitive", "ill", "-k", 3],
        "error: total loss: all 5 published rows are one group (age: *, sex: *), so no quasi-identifier distinguishes "
        "one row from another. Try more rows: two groups of k = 3 need 6, and 5 are published, which k = 2 allows.",
    ),
    "k-anonymity --strategy mondrian": (
        ["people.csv", "--quasi", "age,sex", "-k", 5, "--strategy", "mondrian"],
        "two groups of k = 5 need 10, and 5 are published, which k = 2 allows.",
    ),
    "anatomy": (
        [*BILLS, "-l", 4],
        "error: empty promise: 1,336 of 1,338 rows (99.9 %) have a value of charges that no other row has: any 4 of "
        "these rows have 4 different values, and each value, published exactly, belongs to one person. " + COARSER,
    ),
    "injector": ([*BILLS, "-l", 4], "error: empty promise: 1,336 of 1,338 rows (99.9 %) have a value of charges"),
    "k-anonymity --hide": (
        [*BILLS, "-k", 4, "--hide", "greedy"],
        "error: empty promise: 1,336 of 1,338 rows (99.9 %) show a value of charges that no other row shows: no "
        "association with it is frequent enough to be hidden, and each value, published exactly, belongs to one "
        "person. " + COARSER,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_every_method_refuses_with_advice_and_publishes_only_when_asked(name: str, capfd: Captured) -> None:
    given, told = REFUSED[name]
    method, *options = name.split()
    if options == ["--hide"]:
        options = []
    command = ["publish", method, *given, *(o for o in options if o not in given), "-o", "release"]
    code, out, refused = shoal(capfd, *command)
    assert code == 3, refused
    assert told in refused
    assert refused.rstrip().endswith(NOT_PUBLISHED)
    assert not Path("release").exists()

    code, out, err = shoal(capfd, *command, "--even-if-empty", "--report", "report.html", "--public", "--json")
    assert code == 0, err
    (empty,) = json.loads(out)["empty"]
    said = f"{empty['kind']}: {empty['words']}"
    assert f"error: {said}. " in refused
    assert f"warning: {said}" in err
    assert json.loads(Path("release/manifest.json").read_text())["empty"] == [said]
    code, out, _ = shoal(capfd, "verify", "release")
    assert code == 0
    assert out.splitlines()[0] == said
    report = api.report("release")
    assert report.lead.startswith(f"{said[:1].upper()}{said[1:]}. ")
    assert (report.keys[0].label.lower(), report.keys[0].tone) == (empty["kind"], "bad")
    assert report.keys[1].label == "Verdict"
    assert report.keys[1].tone != "good"
    assert not report.alarms
    code, _, err = shoal(capfd, "report", "release", "--public", "-o", "again.html")
    assert code == 0, err
    assert "does not keep its promise" not in err


def test_rounded_as_advised_the_amounts_are_published(capfd: Captured) -> None:
    code, _, err = shoal(capfd, "publish", "anatomy", *BILLS, "-l", 4, "-o", "release")
    assert code == 3
    step = float(err.partition("multiples of ")[2].partition(" before")[0].replace(",", ""))
    left = int(err.partition("before publishing, ")[2].partition(" different ones are left")[0].replace(",", ""))
    alone = int(err.partition("are left, and ")[2].partition(" of 1,338")[0])
    head, *rows = Path("bills.csv").read_text().splitlines()
    rounded = [float(row.rpartition(",")[2]) // step * step for row in rows]
    assert (len(set(rounded)), sum(rounded.count(one) == 1 for one in rounded)) == (left, alone)
    lines = [f"{row.rpartition(',')[0]},{value:g}" for row, value in zip(rows, rounded, strict=True)]
    Path("bills.csv").write_text("\n".join([head, *lines]))
    code, _out, err = shoal(capfd, "publish", "anatomy", *BILLS, "-l", 4, "-o", "release")
    assert code == 0, err
    assert "empty" not in shoal(capfd, "verify", "release")[1].splitlines()[0]


def test_a_plan_keeps_the_option_and_apply_takes_it(capfd: Captured) -> None:
    given = ["rare.dat", "-k", 2, "-m", 2]
    command = ["publish", "disassociate", *given, "--even-if-empty", "-o", "one", "--save-plan", "plan.toml"]
    assert shoal(capfd, *command)[0] == 0
    text = Path("plan.toml").read_text()
    assert tomllib.loads(text)["choices"]["even-if-empty"] is True
    assert shoal(capfd, "apply", "plan.toml", "rare.dat", "-o", "two")[0] == 0
    Path("plan.toml").write_text(text.replace("even-if-empty = true\n", ""))
    assert shoal(capfd, "apply", "plan.toml", "rare.dat", "-o", "three")[0] == 3
    assert shoal(capfd, "apply", "plan.toml", "rare.dat", "-o", "three", "--even-if-empty")[0] == 0


def test_in_python_the_option_has_the_same_name() -> None:
    release = api.disassociate(api.read("rare.dat"), k=2, m=2)
    with pytest.raises(api.errors.EmptyRelease, match="coarser items: there are 16 for 8 records") as refused:
        release.write("release")
    assert (refused.value.kind, refused.value.exit_code) == ("total loss", 3)
    assert release.write("release", even_if_empty=True).holds


def test_a_sweep_and_a_comparison_say_total_loss_and_go_on(capfd: Captured) -> None:
    Path("pairs.dat").write_text("a b\n" * 4 + "c d\n" * 4)
    code, out, err = shoal(
        capfd, "sweep", "pairs.dat", "--method", "disassociate", "-k", "2,6", "-m", 2, "-o", "swept", "--json"
    )
    assert code == 0, err
    kept, lost = (point["outcome"] for point in json.loads(out)["points"])
    assert (kept["state"], lost["state"]) == ("done", "total loss")
    assert lost["reason"].startswith("all 4 items of 8 records are in term chunks only")
    code, out, _ = shoal(capfd, "compare", "rare.dat", "--methods", "disassociate,fakes", "-k", 2, "-o", "compared")
    assert code == 0
    assert "total loss: all 16 items of 8 records are in term chunks only" in " ".join(out.split())


def test_nothing_that_is_empty_is_advised(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "advise", "rare.dat", "--against", "identity", "--exact-items", "-k", 2, "--json")
    found = json.loads(out)
    states = {judged["method"]: judged["state"] for judged in found["judged"]}
    assert states["disassociate"] == "total loss"
    assert found["proposed"] is None or found["proposed"]["method"] not in ("disassociate", "dls"), err
    assert code in (0, 3)
