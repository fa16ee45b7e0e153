"""A method that is only listed is published, verified, compared, swept, advised, reported and documented.

Everything that the rest of Shoal knows of it is the entry below.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import shoal
from shoal import methods
from shoal.cli.main import run
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.methods import METHODS, Method, Risk
from shoal.parameters import PARAMETERS, Parameter
from shoal.release.disassociated import Disassociated
from shoal.run import Run
from tests.docs.pages import DOCS
from tests.running.commands import shoal as run_shoal

HERE = "tests.contract.test_new_method"


def with_a_margin(data: Transactions, *, k: int, margin: int, run: Run) -> Disassociated:
    """Disassociation against those who know one item, with a k that is greater than what was asked for."""
    return shoal.disassociate(data, k + margin, 1, run=run)


def picked(_original: object, settings: Mapping[str, Any]) -> float:
    return 1 / (settings["k"] + settings["margin"])


MARGIN = Parameter(
    "margin",
    "whole",
    1,
    "How much greater k is than promised.",
    unit="records",
    least=0,
    most=100,
    stronger="more",
    grid=(0, 2, 4),
)
WITH_A_MARGIN = Method(
    "with-a-margin",
    shape="disassociated",
    makes="disassociation",
    publish=f"{HERE}:with_a_margin",
    parameters=("k", "margin"),
    promised="k^m, k = {k} + {margin}, m = 1",
    serves=frozenset({"identity", "exact values", "nothing invented"}),
    risks=(Risk("identity", ("margin",), "1 / (k + margin): to pick a person's record", f"{HERE}:picked"),),
    summary="Baskets: disassociation with a margin.",
)


@pytest.fixture(autouse=True)
def baskets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(PARAMETERS, MARGIN.name, MARGIN)
    monkeypatch.setitem(METHODS, WITH_A_MARGIN.name, WITH_A_MARGIN)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "baskets.dat"
    path.write_text("bread milk\nbread milk tea\nbread tea\nmilk tea\n" * 12)
    return path


def test_it_is_published_verified_and_reported_from_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    command = "publish with-a-margin baskets.dat -k 3 --margin 2 -o release --save-plan plan.toml --report report.html"
    code, out, err = run_shoal(capfd, *command.split())
    assert code == 0, err
    assert "at least 5 records contain the set" in " ".join(out.split())
    assert "with-a-margin" in Path("report.html").read_text()
    assert run(["verify", "release", "--original", "baskets.dat"]) == 0
    assert run(["report", "release", "--public", "-o", "public.html"]) == 0
    assert "margin = 2" in Path("plan.toml").read_text()
    assert run(["apply", "plan.toml", "baskets.dat", "-o", "applied", "-q"]) == 0
    assert shoal.read_release("applied").promises == shoal.read_release("release").promises


def test_what_it_does_not_take_is_refused_before_a_file_is_read(capfd: pytest.CaptureFixture[str]) -> None:
    for words, said in (("--margin 101", "margin is 101"), ("", "'-k'"), ("--epsilon 1", "--epsilon")):
        k = "" if said == "'-k'" else "-k 3"
        code, _, err = run_shoal(capfd, *f"publish with-a-margin nowhere.dat {k} {words} -o release".split())
        assert code == 2
        assert said in err


def test_it_is_published_from_python(baskets: Path) -> None:
    release = methods.publish("with-a-margin", shoal.read(baskets), k=3, margin=2)
    assert [promise.k for promise in release.promises] == [5]
    with pytest.raises(InputError, match="does not take margn \\(did you mean 'margin'"):
        methods.publish("with-a-margin", shoal.read(baskets), margn=2)
    with pytest.raises(InputError, match="margin is -1"):
        methods.publish("with-a-margin", shoal.read(baskets), margin=-1)


def test_it_is_compared_and_reported(baskets: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = "compare baskets.dat --methods with-a-margin -k 3 --margin 2 --report report.html -o study --json"
    code, out, err = run_shoal(capfd, *words.split())
    assert code == 0, err
    outcome = json.loads(out)["outcomes"][0]
    assert (outcome["method"], outcome["state"], outcome["verified"]) == ("with-a-margin", "done", True)
    assert outcome["promise"] == "k^m, k = 3 + 2, m = 1"
    assert "with-a-margin" in Path("report.html").read_text()
    assert "with-a-margin" in [job.label for job in shoal_jobs(baskets)]


def shoal_jobs(baskets: Path) -> list[Any]:
    from shoal.study.compare import about_of, jobs_of

    return jobs_of("all", about_of(shoal.read(baskets)), {}, None)


def test_it_is_swept(baskets: Path) -> None:
    found = shoal.sweep(shoal.read(baskets), "with-a-margin", {"k": [2]})
    assert [point.values["margin"] for point in found.points] == [0, 2, 4]
    assert [point.risk for point in found.points] == [1 / 2, 1 / 4, 1 / 6]
    assert all(outcome.verified for outcome in found.outcomes)


def test_it_is_a_candidate_of_advice() -> None:
    from shoal.study.choice import Needs

    assert WITH_A_MARGIN in Needs(("identity",), exact_items=True).served_by("baskets")


def test_it_is_completed_and_helped_with(capfd: pytest.CaptureFixture[str]) -> None:
    assert "with-a-margin" in run_shoal(capfd, "publish", "--help")[1]
    helped = " ".join(run_shoal(capfd, "publish", "with-a-margin", "--help")[1].split())
    assert "How much greater k is than promised. Default: 1." in helped
    assert "shoal publish with-a-margin baskets.dat -k 5 -o release" in helped
    assert "--margin" in run_shoal(capfd, "sweep", "--help")[1]


def test_it_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    from generated_reference import commands_page, methods_page

    assert "## shoal publish with-a-margin" in commands_page()
    assert "`with-a-margin`" in methods_page()
    assert "| `margin` | `--margin` | How much greater k is than promised. | 0 to 100 records | 1 |" in methods_page()


GENERIC = [*Path(shoal.__file__).parent.glob("study/*.py"), *Path(shoal.__file__).parent.glob("cli/study/*.py")]


@pytest.mark.parametrize("path", GENERIC, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_runs_every_method_names_none(path: Path) -> None:
    texts = [one.value for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.Constant)]
    # Some parameters are called as methods are.
    assert not {text for text in texts if isinstance(text, str)} & (set(METHODS) - set(PARAMETERS))


def test_its_form_is_described() -> None:
    schema = WITH_A_MARGIN.schema()
    assert schema["properties"]["margin"]["maximum"] == 100
    assert Draft202012Validator(schema).is_valid({"k": 3, "margin": 2})
    assert not Draft202012Validator(schema).is_valid({"margin": 101})
