"""``--save-plan`` and ``shoal apply``: choices that are kept, and what is said of people in two releases."""

from __future__ import annotations

import json
import tomllib
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as api
from shoal.cli.commands import COMMANDS, Commands, Group
from shoal.cli.options import HIERARCHY_KINDS
from shoal.cli.publish.apply import _planned
from shoal.cli.publish.plans import COLUMN_FILE, plan_text, read_plan
from shoal.cli.publish.publishing import Choice, not_in_plans
from shoal.generate import bundled
from tests.making.disassociated_releases import disassociated
from tests.running.commands import Ran, shoal

Captured = pytest.CaptureFixture[str]
ALONE = "the promise is about this release alone"
OPTIONS = ("-k", 3, "-m", 2)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, baskets: Path) -> None:
    assert baskets.parent == tmp_path
    monkeypatch.chdir(tmp_path)
    people = bundled.path("people").read_text().splitlines(keepends=True)
    Path("people.csv").write_text("".join(people[:300]))


def save(capfd: Captured, *arguments: object, out: str = "one", plan: str = "plan.toml") -> Ran:
    ran = shoal(capfd, "publish", *arguments, "-o", out, "--save-plan", plan)
    assert ran[0] == 0, ran
    return ran


def written(text: str) -> None:
    Path("plan.toml").write_text(text, encoding="utf-8")


def files(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_a_plan_holds_the_method_and_what_was_given_and_nothing_of_the_data(capfd: Captured) -> None:
    _, out, _ = save(
        capfd, "disassociate", "baskets.dat", *OPTIONS, "--sensitive", "hiv", "-l", 2, "--drop-rare", "--threads", 1
    )
    assert "the plan is saved in plan.toml" in out
    text = Path("plan.toml").read_text()
    assert tomllib.loads(text) == {
        "shoal-plan": 1,
        "method": "disassociate",
        "choices": {"k": 3, "m": 2, "sensitive": ["hiv"], "l": 2, "drop-rare": True},
    }
    assert "\n# How many candidate records must remain.\nk = 3\n" in text
    assert not any(secret in text for secret in ("baskets.dat", "caviar", "27", "threads"))


@pytest.mark.parametrize(
    "method",
    [
        ["disassociate", "baskets.dat", *OPTIONS, "--vertical", "best", "--refine-rounds", 1],
        ["km-generalization", "baskets.dat", *OPTIONS, "--fanout", 3],
        ["k-anonymity", "people.csv", "--quasi", "age,sex", "-k", 5, "--max-suppressed", ".05", "--no-take-back"],
    ],
    ids=lambda method: method[0],
)
def test_applied_to_the_same_data_a_plan_makes_the_same_release(capfd: Captured, method: list[object]) -> None:
    save(capfd, *method)
    code, out, err = shoal(capfd, "apply", "plan.toml", method[1], "-o", "two")
    assert code == 0, err
    assert "verified from disk" in out
    assert files("one") == files("two")
    assert api.verify("two").holds


@pytest.mark.parametrize(
    ("method", "plan"),
    [
        (["mask", "baskets.dat", "--keep-prob", ".9"], {"keep-prob": 0.9}),
        (["fakes", "baskets.dat", "--fakes", 1, "--fake-length", "1-3"], {"fakes": 1.0, "fake-length": "1-3"}),
        (["hybrid", "baskets.dat", "--keep-prob", ".9", "--fakes", 1], {"keep-prob": 0.9, "fakes": 1.0}),
        (["diffpart", "baskets.dat", "--epsilon", "2"], {"epsilon": 2.0}),
        (
            ["anatomy", "people.csv", "--quasi", "age,sex", "--sensitive", "diagnosis", "-l", 2],
            {"quasi": "age,sex", "sensitive": "diagnosis", "l": 2},
        ),
        (
            ["injector", "people.csv", "--quasi", "sex", "--sensitive", "diagnosis", "-l", 2, "--strategy", "balanced"],
            {"quasi": "sex", "sensitive": "diagnosis", "l": 2, "strategy": "balanced"},
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_every_other_method_saves_plans_that_apply(
    capfd: Captured, method: list[object], plan: dict[str, object]
) -> None:
    save(capfd, *method, "--seed", 1)
    assert tomllib.loads(Path("plan.toml").read_text())["choices"] == plan  # without the seed
    code, out, err = shoal(capfd, "apply", "plan.toml", method[1], "-o", "two", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["holds"] is True
    assert told["warnings"][0].startswith(ALONE)
    assert ("budgets of differential privacy add up" in " ".join(told["warnings"])) is ("epsilon" in plan)


PUBLISH = COMMANDS["publish"]
assert isinstance(PUBLISH, Group)


def samples(kind: Any, metavar: str | None) -> list[Any]:
    """Values that an option of a kind may have."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)
    if metavar == COLUMN_FILE:
        return [["age=kept/age.csv", "a=b.csv", *(f"{name}={name}" for name in HIERARCHY_KINDS)]]
    known: dict[Any, list[Any]] = {
        bool: [True, False],
        int: [7],
        float: [0.25, 1e-12, 3.0],
        Path: [Path("kept/age.csv")],
        list[str]: [["a", "-b", 'c, "d"=é']],
    }
    return known.get(kind, ["a, -b = 'c' \\ \"é\"", "-x"])


@pytest.mark.parametrize("method", PUBLISH.commands)
def test_every_option_of_every_method_is_what_it_was_when_its_plan_is_applied(method: str) -> None:
    Path("kept").mkdir()
    for name in ("kept/age.csv", "b.csv"):
        Path(name).touch()
    command: Any = Commands(name="publish", known=PUBLISH.commands, silent=PUBLISH.silent).get_command(None, method)
    kept = [one for one in command.params if one.param_type_name == "option" and one.name not in not_in_plans()]
    assert kept
    for parameter in kept:
        kind = command.kinds[parameter.name]
        name = next(text for text in parameter.opts if text.startswith("--")).removeprefix("--")
        for value in samples(kind, parameter.metavar):
            choice = Choice(name, value, parameter.help or "", parameter.metavar or "")
            written(plan_text(method, [choice], Path.cwd()))
            words = list(_planned(read_plan(Path("plan.toml"), PUBLISH.commands), command, set()))
            # What else is missing is no matter here.
            context = command.make_context(method, [*words, "--", "file"], resilient_parsing=True)
            found = context.params[parameter.name]
            if isinstance(value, Path):
                assert Path(found).resolve() == value.resolve()
            else:
                assert (list(found) if isinstance(value, list) else found) == value, name


def test_a_release_that_breaks_its_promise_is_not_published_by_a_plan_either(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(capfd, "disassociate", "baskets.dat", *OPTIONS)
    broken = disassociated([(3, [["ab", "a"]], "")], k=3)
    monkeypatch.setattr("shoal.publish.disassociation.publish_and_trace", lambda *_, **__: (broken, None))
    more = ["--save-plan", "next.toml", "--report", "report.html"]
    for out in ("two", "one"):
        before = files("one")
        code, said, err = shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", out, "--force", *more)
        assert (code, said) == (4, "")
        assert "Nothing was published" in err
        assert f"warning: {ALONE}" in err
        assert files("one") == before
    assert not any(Path(name).exists() for name in ("two", "next.toml", "report.html"))


def test_a_failed_run_saves_no_plan(capfd: Captured) -> None:
    command = ["publish", "disassociate", "baskets.dat", *OPTIONS, "-o", "one", "--save-plan", "plan.toml"]
    assert shoal(capfd, *command, "--sensitive", "hiv", "-l", 1000)[0] in (2, 3)
    assert shoal(capfd, *command, "--sensitive", "nobody", "-l", 2)[0] == 2
    assert not Path("plan.toml").exists()
    assert not Path("one").exists()


def test_a_plan_is_not_overwritten_nor_published(capfd: Captured) -> None:
    written("mine")
    command = ["publish", "disassociate", "baskets.dat", *OPTIONS, "-o", "one"]
    code, _, err = shoal(capfd, *command, "--save-plan", "plan.toml")
    assert code == 2
    assert "plan.toml exists already; choose another name, or --force to replace it" in err
    assert Path("plan.toml").read_text() == "mine"
    for inside in ("one/plan.toml", "nowhere/plan.toml"):
        assert shoal(capfd, *command, "--save-plan", inside)[0] == 2
    assert not Path("one").exists()
    assert shoal(capfd, *command, "--save-plan", "plan.toml", "--force")[0] == 0
    code, _, err = shoal(capfd, *command, "--save-plan", "one/plan.toml", "--force")
    assert code == 2
    assert "would be published with it" in err
    assert api.verify("one").holds


def test_a_plan_that_cannot_be_written_leaves_the_release(capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise api.errors.InputError("cannot write plan.toml: No space left on device")

    monkeypatch.setattr("shoal.cli.publish.plans.atomic_file", full)
    command = ["publish", "disassociate", "baskets.dat", *OPTIONS, "-o", "one", "--save-plan", "plan.toml"]
    code, _, err = shoal(capfd, *command)
    assert code == 2
    assert "the release was published, but no plan was saved" in err
    assert api.verify("one").holds


def test_files_are_found_from_the_folder_of_the_plan(capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kept", "moved"):
        Path(name).mkdir()
    shoal(capfd, "generate", "hierarchy", "people.csv", "--column", "age", "--kind", "ranges", "-o", "kept/age.csv")
    roles = ["--quasi", "age,sex", "-k", 5]
    trees = ["--hierarchy", "age=kept/age.csv", "--hierarchy", "sex=flat"]
    save(capfd, "k-anonymity", "people.csv", *roles, *trees, plan="kept/plan.toml")
    assert tomllib.loads(Path("kept/plan.toml").read_text())["choices"]["hierarchy"] == ["age=age.csv", "sex=flat"]
    Path("kept").rename("elsewhere")
    monkeypatch.chdir("moved")
    assert shoal(capfd, "apply", "../elsewhere/plan.toml", "../people.csv", "-o", "../two")[0] == 0
    monkeypatch.chdir("..")
    assert files("one") == files("two")
    Path("elsewhere/age.csv").unlink()
    code, _, err = shoal(capfd, "apply", "elsewhere/plan.toml", "people.csv", "-o", "three")
    assert code == 2
    assert "elsewhere/plan.toml: hierarchy names age.csv, and there is no elsewhere/age.csv: put it there" in err
    Path("secret.txt").write_text("hiv\n")
    save(capfd, "disassociate", "baskets.dat", *OPTIONS, "--sensitive-from", "secret.txt", "-l", 2, out="four")
    assert tomllib.loads(Path("plan.toml").read_text())["choices"]["sensitive-from"] == "secret.txt"
    assert shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "five")[0] == 0
    assert files("four") == files("five")
    save(
        capfd,
        "disassociate",
        "baskets.dat",
        *OPTIONS,
        "--sensitive-from",
        "secret.txt",
        "-l",
        2,
        out="six",
        plan="moved/plan.toml",
    )
    assert tomllib.loads(Path("moved/plan.toml").read_text())["choices"]["sensitive-from"] == "../secret.txt"
    assert shoal(capfd, "apply", "moved/plan.toml", "baskets.dat", "-o", "seven")[0] == 0
    assert files("four") == files("seven")


def test_where_a_plan_is_and_that_it_has_no_seed_is_said(capfd: Captured) -> None:
    mask = ("mask", "baskets.dat", "--keep-prob", ".9")
    _, out, err = save(capfd, *mask, "--seed", 1)
    assert "the plan is saved in plan.toml, without the seed; other data: shoal apply plan.toml FILE -o FOLDER" in out
    assert "do not publish this release" in err
    _, out, err = save(capfd, *mask, "--json", out="two", plan="two.toml")
    assert json.loads(out)["plan"] == "two.toml"
    assert "warnings" not in json.loads(out)
    assert "seed" not in err


def test_a_release_is_said_to_be_replaced_only_where_one_is(capfd: Captured) -> None:
    save(capfd, "disassociate", "baskets.dat", *OPTIONS)
    _, _, err = shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "new", "--force")
    assert "is replaced" not in err
    code, _, err = shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "new")
    assert code == 2
    assert "is replaced" not in err
    Path("photos").mkdir()
    Path("photos/me.jpg").touch()
    code, _, err = shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "photos", "--force")
    assert code == 2
    assert "is not a release, so --force does not replace it" in err
    assert "is replaced" not in err


def test_a_file_whose_name_begins_like_an_option_is_a_file(capfd: Captured) -> None:
    save(capfd, "disassociate", "baskets.dat", *OPTIONS)
    Path("baskets.dat").rename("-k.dat")
    assert shoal(capfd, "apply", "plan.toml", "-o", "two", "--", "-k.dat")[0] == 0
    assert files("one") == files("two")


def test_how_the_file_is_read_can_be_given_anew(capfd: Captured) -> None:
    Path("commas.csv").write_text(Path("baskets.dat").read_text().replace(" ", ","))
    Path("semicolons.csv").write_text(Path("baskets.dat").read_text().replace(" ", ";"))
    save(capfd, "disassociate", "commas.csv", *OPTIONS, "--format", "delimited", "--separator", ",")
    assert tomllib.loads(Path("plan.toml").read_text())["choices"]["separator"] == ","
    command = ["apply", "plan.toml", "semicolons.csv", "-o", "two", "--separator", ";", "--threads", 1]
    assert shoal(capfd, *command)[0] == 0
    assert files("one") == files("two")
    code, _, err = shoal(capfd, "apply", "plan.toml", "people.csv", "-o", "three", "--missing", "drop")
    assert code == 2
    assert "--missing is not an option of shoal publish disassociate" in err


def test_a_table_that_is_applied_a_plan_of_baskets_to_is_warned_of(capfd: Captured) -> None:
    command = ["publish", "mask", "baskets.dat", "--keep-prob", ".9", "-o", "one", "--save-plan", "plan.toml", "-q"]
    assert shoal(capfd, *command)[0] == 0
    Path("people.csv").write_text("age,sex\n31,f\n32,m\n")
    code, _, err = shoal(capfd, "apply", "plan.toml", "people.csv", "-o", "two", "-q")
    assert code == 0
    assert (
        "warning: people.csv is read as baskets, one record per line. Use --format delimited if that is intended" in err
    )
    code, _, err = shoal(capfd, "apply", "plan.toml", "people.csv", "-o", "three", "-q", "--format", "delimited")
    assert code == 0
    assert "is read as baskets" not in err


def test_people_in_two_releases_are_warned_of_always(capfd: Captured) -> None:
    save(capfd, "disassociate", "baskets.dat", *OPTIONS)
    for quietly in ([], ["-q"]):
        _, _, err = shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "one", "--force", *quietly)
        assert f"warning: {ALONE}" in err
        assert "no promise covers what the two releases show together" in err
        assert "Publish only records of people who are in no earlier release" in err
        assert "the release in one is replaced: anyone who has a copy of it holds both" in err
        assert "budgets" not in err
    save(capfd, "mask", "baskets.dat", "--keep-prob", ".9", "--max-basket", 3, out="private", plan="mask.toml")
    _, _, err = shoal(capfd, "apply", "mask.toml", "baskets.dat", "-o", "again")
    assert "budgets of differential privacy add up" in err
    assert "is replaced" not in err


def test_a_plan_that_was_applied_can_be_saved_again(capfd: Captured) -> None:
    save(capfd, "disassociate", "baskets.dat", *OPTIONS)
    shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "two", "--format", "fimi", "--save-plan", "next.toml")
    choices = tomllib.loads(Path("next.toml").read_text())["choices"]
    assert choices == {"k": 3, "m": 2, "format": "fimi"}


HEAD = 'shoal-plan = 1\nmethod = "disassociate"\n[choices]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("k = ", "plan.toml: is not TOML, and so not a plan"),
        ("method = 'disassociate'", "plan.toml: has no key shoal-plan, so it is not a plan"),
        ("shoal-plan = 'one'", "shoal-plan is 'one': it must be 1"),
        ("shoal-plan = 2", "is a plan of version 2, and this Shoal reads version 1: update Shoal"),
        ("shoal-plan = 1\nmetod = 'mask'", "unknown key 'metod' (did you mean 'method'?)"),
        (
            "shoal-plan = 1\nmethod = 'disasociate'",
            "there is no method 'disasociate' (did you mean 'disassociate'?): method is one of",
        ),
        ("shoal-plan = 1", "there is no method None"),
        ("shoal-plan = 1\nmethod = 'mask'\nchoices = 3", "choices must be a table of options"),
        (
            HEAD + "k = 3\nm = 2\nvertcal = 'best'",
            "'vertcal' is not an option of disassociate (did you mean 'vertical'?)",
        ),
        (HEAD + "k = 3\nm = 2\nvertical = 'bst'", "vertical is 'bst' (did you mean 'best'?): it must be one of greedy"),
        (HEAD + "k = 'three'\nm = 2", "plan.toml: k is 'three': it must be a whole number"),
        (HEAD + "k = true\nm = 2", "plan.toml: k is True: it must be a whole number"),
        (HEAD + "k = 3\nm = 2\ndrop-rare = 1", "drop-rare is 1: it must be true or false"),
        (HEAD + "k = 3\nm = 2\nsensitive = 'hiv'", "sensitive is 'hiv': it must be a list of texts"),
        (HEAD + "k = 3\nm = 2\nseparator = 3", "separator is 3: it must be a text"),
        (HEAD + "k = 3", "plan.toml: Missing option '-m' / '--m'"),
        (HEAD + "k = 3\nm = 2\nrefine-rounds = -1", "plan.toml: Invalid value for '--refine-rounds'"),
        (HEAD + "k = 3\nm = 2\nseed = 1", "'seed' is not an option of disassociate"),
        (
            "shoal-plan = 1\nmethod = 'mask'\n[choices]\nseed = 1",
            "seed is not part of a plan: remove it",  # shoal apply has no --seed
        ),
        ("shoal_plan = 1\nmethod = 'mask'", "has no key shoal-plan, only 'shoal_plan', so it is not a plan"),
        (HEAD + "k = 3\nm = 2\nout = 'x'", "out is not part of a plan: give --out to shoal apply"),
        (HEAD + "k = 3\nm = 2\nsave-plan = 'x'", "save-plan is not part of a plan"),
        (HEAD + "k = 1\nm = 2", "error: k is 1"),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(capfd: Captured, text: str, said: str) -> None:
    written(text)
    code, out, err = shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "one")
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("one").exists()


def test_a_whole_number_is_a_number_where_parts_are_possible(capfd: Captured) -> None:
    written("shoal-plan = 1\nmethod = 'fakes'\n[choices]\nfakes = 2")
    assert shoal(capfd, "apply", "plan.toml", "baskets.dat", "-o", "one")[0] == 0
    assert json.loads(Path("one/manifest.json").read_text())["promises"][0]["fakes"] == 2


def test_files_that_are_no_plans(capfd: Captured) -> None:
    Path("latin.toml").write_bytes(b"# \xe9\n")
    for name, said in (("nowhere.toml", "no such file"), (".", "cannot be read"), ("latin.toml", "is not UTF-8")):
        code, _, err = shoal(capfd, "apply", name, "baskets.dat", "-o", "one")
        assert code == 2
        assert said in err


texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.one_of(
    st.booleans(), st.integers(), st.floats(allow_nan=False), texts, st.lists(texts), st.lists(st.integers())
)


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9-]{0,10}", fullmatch=True), values))
def test_whatever_is_written_is_read_back(chosen: dict[str, object]) -> None:
    choices = [Choice(name, value, "What it is.", "") for name, value in chosen.items()]
    found = tomllib.loads(plan_text("mask", choices, Path()))
    assert found == {"shoal-plan": 1, "method": "mask", "choices": chosen}
