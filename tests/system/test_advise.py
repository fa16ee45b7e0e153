"""Advice from outside: a proposal with its reasons, and a command that runs and keeps the promise."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path

import pyarrow.csv
import pytest

from tests.making import study_data
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with baskets, in which commands run."""
    chance = random.Random(9)
    rows = [sorted(set(chance.choices("abcdefgh", [8, 7, 6, 5, 4, 3, 2, 1], k=4))) for _ in range(90)]
    (tmp_path / "my baskets.dat").write_text("\n".join(" ".join(row) for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("house")
def test_advice_ends_with_a_command_that_keeps_the_promise(capfd: Captured) -> None:
    command = ["advise", "my baskets.dat", "--exact-items", "-k", "3", "--seed", "4", "-o", "advice"]
    code, out, err = shoal(capfd, *command)
    assert code == 0, err
    text = " ".join(out.split())
    assert "90 records of 8 different items, all of them used." in text
    assert "km-generalization: does not serve all needs (exact values" in text
    assert "mask: does not serve all needs (identity" in text
    assert "limits of the promise: - no bound on a probability" in text
    line = out.splitlines()[out.splitlines().index("to publish:") + 1]
    words = shlex.split(line)
    assert words[:3] == ["shoal", "publish", "disassociate"]
    assert shoal(capfd, *words[1:])[0] == 0
    code, verified, _ = shoal(capfd, "verify", "release", "--original", "my baskets.dat", "--json")
    assert (code, json.loads(verified)["holds"]) == (0, True)
    # Done before: the same numbers, as JSON, and the proposal is by the numbers that stand beside it.
    code, out, err = shoal(capfd, *command, "--json")
    assert "not repeated: disassociate; dls; diffpart" in err
    found = json.loads(out)
    assert found["command"] == line
    assert (found["proposed"]["method"], found["sweep"]) == ("disassociate", None)
    values = {
        one["method"]: next(m["value"] for m in one["metrics"] if m["name"] == "tKd") for one in found["candidates"]
    }
    assert values["disassociate"] <= values["dls"] + 0.06
    assert values["disassociate"] <= values["diffpart"] + 0.01


def test_of_tables_nothing_is_advised_that_filling_undoes(house: Path, capfd: Captured) -> None:
    pyarrow.csv.write_csv(study_data.people(120).to_arrow(), house / "people.csv")
    columns = ["--quasi", "age,sex", "--sensitive", "illness", "--missing", "drop"]
    command = ["advise", "people.csv", *columns, "--against", "identity,attributes", "--for", "counting", "--seed", "1"]
    code, out, err = shoal(capfd, *command, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert {one["method"]: one["settings"]["hide"] for one in found["candidates"]} == {
        "bottom-up-hidden": "resistant",
        "mondrian-hidden": "resistant",
    }
    assert {point["outcome"]["settings"]["hide"] for point in found["sweep"]["points"]} == {"resistant"}
    words = shlex.split(found["command"])
    assert words[words.index("--hide") + 1] == "resistant"
    assert shoal(capfd, *words[1:])[0] == 0
    code, verified, _ = shoal(capfd, "verify", "release", "--json")
    assert (code, json.loads(verified)["holds"]) == (0, True)


def test_settings_come_from_a_sweep_and_a_sample_that_was_drawn_is_drawn_again(house: Path, capfd: Captured) -> None:
    command = ["advise", "my baskets.dat", "--against", "anything", "--sample", "50", "-o", "advice", "--json"]
    code, out, err = shoal(capfd, *command)
    assert code == 0, err
    found = json.loads(out)
    assert (found["looked_at"], found["of"]) == (50, 90)
    assert [judged["method"] for judged in found["judged"] if judged["state"] == "proposed"] == ["diffpart"]
    tried = [point["values"]["epsilon"] for point in found["sweep"]["points"]]
    assert tried == [4.0, 2.0, 1.0, 0.5]
    assert found["proposed"]["settings"]["epsilon"] in tried
    # Epsilon 1 had been tried as a candidate: three more were run.
    assert len(list((house / "advice" / "results").iterdir())) == 4
    code, again, err = shoal(capfd, *command)
    assert code == 0, err
    assert err.count("not repeated") == 1
    same = json.loads(again)
    assert same["done_before"] == ["diffpart", "diffpart,epsilon=4.0", "diffpart,epsilon=2.0", "diffpart,epsilon=0.5"]
    assert same["proposed"] == found["proposed"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--against", "privacy"], 2, "against is 'privacy': it must be some of identity, attributes, anything"),
        (["-k", "1"], 2, "k is 1: it must be a whole number from 2 on"),
        (["--against", "anything", "-k", "5"], 2, "k is only used by disassociate"),
        (["--sensitive", "a"], 2, "sensitive items are only used against attributes"),
        (["--against", "anything", "--quasi", "age"], 3, "no method for tables serves all of these needs"),
        (["--quasi", "age", "--against", "attributes"], 2, "no column is sensitive: name the columns"),
        (["--quasi", "age"], 2, "judged for mining by rules about a sensitive column"),
        (["--quasi", "age", "--format", "fimi"], 2, "--format is only for baskets"),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_read(
    options: list[str], code: int, said: str, capfd: Captured
) -> None:
    ended, _, err = shoal(capfd, "advise", "not-there.dat", *options)
    assert (ended, said in " ".join(err.split())) == (code, True), err
