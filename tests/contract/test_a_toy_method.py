"""A toy method of tables, whose parameters are a number without an upper end and a word, is a method like any other.

It is known from the two entries below alone; tests/contract/test_new_method.py has one of baskets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import methods
from shoal.cli.main import run
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.methods import METHODS, Method, Risk
from shoal.parameters import PARAMETERS, Parameter
from shoal.release.generalized import Generalized
from shoal.run import Run
from shoal.study.choice import Needs
from tests.docs.pages import DOCS
from tests.running.commands import shoal as run_shoal

HERE = "tests.contract.test_a_toy_method"


def toy(
    data: Table,
    *,
    crowd: float,
    way: str,
    hierarchies: Mapping[str, Hierarchy],
    run: Run,
) -> Generalized:
    """K-anonymity, k being the next whole number."""
    strategy: Any = {"up": "bottom-up", "down": "mondrian"}[way]
    return shoal.k_anonymity(data, int(-(-crowd // 1)), strategy=strategy, hierarchies=hierarchies, run=run)


def picked(_original: object, settings: Mapping[str, Any]) -> float:
    return 1 / -(-settings["crowd"] // 1)


CROWD = Parameter(
    "crowd",
    "number",
    2.5,
    "How many rows agree.",
    least=1,
    above_least=True,
    required=True,
    stronger="more",
    grid=(1.5, 3.5),
)
WAY = Parameter("way", "word", "up", "Where it begins.", choices=("up", "down"), grid=("up", "down"))
TOY = Method(
    "toy",
    shape="generalized",
    makes="bottom-up",
    publish=f"{HERE}:toy",
    parameters=("crowd", "way"),
    promised="at least {crowd:g} rows agree ({way})",
    serves=frozenset({"identity", "nothing invented"}),
    risks=(Risk("identity", ("crowd",), "1 / crowd: to pick a person's row", f"{HERE}:picked"),),
    summary="A table: a toy.",
    hierarchy="any",
)
READ = "--quasi age,sex --sensitive illness"


@pytest.fixture(autouse=True)
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    for one in (CROWD, WAY):
        monkeypatch.setitem(PARAMETERS, one.name, one)
    monkeypatch.setitem(METHODS, TOY.name, TOY)
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i % 9},{'mf'[i % 2]},{('flu', 'cold', 'asthma')[i % 3]}" for i in range(36)]
    Path("people.csv").write_text("\n".join(["age,sex,illness", *rows, ""]))
    return shoal.read_table("people.csv", quasi=["age", "sex"], sensitive=["illness"])


def test_it_is_published_verified_reported_and_applied(capfd: pytest.CaptureFixture[str]) -> None:
    words = f"publish toy people.csv {READ} --crowd 3.5 --way down -o release --save-plan plan.toml --report page.html"
    code, _, err = run_shoal(capfd, *words.split())
    assert code == 0, err
    assert run(["verify", "release", "--original", "people.csv"]) == 0
    assert run(["report", "release", "--public", "-o", "public.html"]) == 0
    assert run(["apply", "plan.toml", "people.csv", "-o", "applied", "-q"]) == 0
    again, first = shoal.read_release("applied"), shoal.read_release("release")
    assert again.promises == first.promises
    assert [getattr(promise, "k", None) for promise in first.promises] == [4]
    assert "toy" in Path("page.html").read_text()


def test_it_is_published_from_python(people: Table) -> None:
    release = methods.publish("toy", people, crowd=10.0)
    assert release.counts["rows"] == 36
    assert shoal.measure(people, release, run=Run(chance=1))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"crowd": 1}, "crowd is 1: it must be a number above 1$"),
        ({"crowd": 0.5}, "crowd is 0.5: it must be a number from 1"),
        ({"crowd": 1e13}, "crowd is 10000000000000.0: it must be a number from 1 to 1,000"),
        ({"crowd": 2, "way": "dwn"}, "way is 'dwn' \\(did you mean 'down'"),
    ],
    ids=str,
)
def test_values_out_of_range_are_refused(given: dict[str, Any], said: str, people: Table) -> None:
    with pytest.raises(InputError, match=said):
        methods.publish("toy", people, **given)


def test_it_is_compared_from_the_command_line_and_from_python(people: Table, capfd: pytest.CaptureFixture[str]) -> None:
    words = f"compare people.csv {READ} --methods toy --crowd 2.5 --way down --report page.html -o study --json"
    code, out, err = run_shoal(capfd, *words.split())
    assert code == 0, err
    outcome = json.loads(out)["outcomes"][0]
    assert (outcome["method"], outcome["state"], outcome["verified"]) == ("toy", "done", True)
    assert outcome["promise"] == "at least 2.5 rows agree (down)"
    assert "toy" in Path("page.html").read_text()
    assert [outcome.state for outcome in shoal.compare(people, methods=["toy"]).outcomes] == ["done"]


def test_numbers_and_words_of_it_are_swept(capfd: pytest.CaptureFixture[str]) -> None:
    words = f"sweep people.csv {READ} --method toy --crowd 1.5,3.5 --way up,down --report page.html -o study --json"
    code, out, err = run_shoal(capfd, *words.split())
    assert code == 0, err
    points = json.loads(out)["points"]
    assert sorted((point["values"]["way"], point["values"]["crowd"], point["risk"]) for point in points) == [
        ("down", 1.5, 0.5),
        ("down", 3.5, 0.25),
        ("up", 1.5, 0.5),
        ("up", 3.5, 0.25),
    ]


def test_it_is_advised_completed_helped_with_and_documented(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert TOY in Needs(("identity",)).served_by("tables")
    from shoal.cli.completion import answer

    for typed, found in (
        (["publish", "to"], "toy"),
        (["publish", "toy", "people.csv", "--cr"], "--crowd"),
        (["publish", "toy", "people.csv", "--way", "d"], "down"),
        (["compare", "people.csv", "--methods", "to"], "toy"),
    ):
        answer(typed, "bash")
        assert found in capfd.readouterr().out.split(), typed
    assert "How many rows agree." in run_shoal(capfd, "publish", "toy", "--help")[1]
    helped = " ".join(run_shoal(capfd, "sweep", "--help")[1].split())
    assert "Default: 1.5,3.5." in helped  # what its risk is made of; the rest stays as it is
    assert "Default: up." in helped
    monkeypatch.syspath_prepend(str(DOCS))
    from generated_reference import commands_page, methods_page

    assert "## shoal publish toy" in commands_page()
    assert "| `crowd` | `--crowd` | How many rows agree. | above 1 | 2.5 |" in methods_page()
