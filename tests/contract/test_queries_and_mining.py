"""Releases of every shape are queried and mined through the same doors, which give what the commands print."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.cli.main import run
from shoal.release import Release
from shoal.shapes import SHAPES
from tests.making.release_folders import RELEASES

ONE_OF_EACH = {
    "disassociated": "disassociated",
    "randomized": "mask",
    "generalized_baskets": "generalized baskets",
    "noisy_baskets": "noisy baskets",
    "bucketized": "anatomy",
    "generalized": "bottom-up",
}
OPTIONS: dict[str, Any] = {"none_of": (), "of": "age", "term_items": "once"}


@cache
def released(shape: str) -> Release:
    release: Release = RELEASES[ONE_OF_EACH[shape]]()
    return release


def question(release: Release) -> tuple[Any, str]:
    """A query of a release, in Python and on the command line."""
    if SHAPES[release.shape].data == "table":
        return "age >= 30", "age >= 30"
    item = an_item(release)
    return {item}, f'"{item}"'


def an_item(release: Any) -> str:
    if release.shape in ("disassociated", "randomized"):
        return str(release.vocabulary[0])
    code = (release.nodes if release.shape == "generalized_baskets" else release.items)[0]
    return str(release.tree.labels[code])


def test_there_is_one_of_each_shape() -> None:
    assert set(ONE_OF_EACH) == set(SHAPES)
    assert all(released(shape).shape == shape for shape in SHAPES)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_query_gives_what_the_command_prints(shape: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    release = released(shape)
    release.write(tmp_path / "release")
    query, text = question(release)
    answers = release.query([query])
    assert run(["query", str(tmp_path / "release"), text, "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == answers.as_dict()
    assert len(answers) == len(list(answers)) == 1
    assert vars(release.query(query if isinstance(query, str) else [*query])[0]) == vars(answers[0])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_queries_works_or_is_refused(shape: str, option: str) -> None:
    release = released(shape)
    given = {option: OPTIONS[option]}
    if option in SHAPES[shape].asks:
        assert len(release.query([question(release)[0]], **given)) == 1
    else:
        with pytest.raises(shoal.InputError, match=f"{option} does not apply to {SHAPES[shape].called}"):
            release.query([question(release)[0]], **given)


MINED: dict[str, Any] = {
    "term_items": "once",
    "estimator": "matrix",
    "grow_from": "upper",
    "max_candidates": 50,
    "print_thresholds": True,
    "kind": "closed",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rules", [False, True])
def test_mining_gives_what_the_command_prints(
    shape: str, rules: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    release = released(shape)
    release.write(tmp_path / "release")
    more = ["--rules"] if rules else []
    code = run(["mine", str(tmp_path / "release"), "--min-support", ".03", "--json", *more])
    if SHAPES[shape].mine is None:
        assert code == 2
        with pytest.raises(shoal.InputError, match=f"found in baskets, and this is {SHAPES[shape].called}"):
            release.mine(0.03, rules=rules)
        return
    assert code == 0
    told = json.loads(capfd.readouterr().out)
    found = release.mine(0.03, rules=rules)
    assert len(found) == len(told["rules" if rules else "itemsets"] if found.said else told) > 0
    assert found.said.items() <= (told if isinstance(told, dict) else {}).items()


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if SHAPES[shape].mine])
@pytest.mark.parametrize("option", MINED)
def test_an_option_of_mining_works_or_is_refused(shape: str, option: str) -> None:
    release = RELEASES["fakes"]() if option == "print_thresholds" and shape == "randomized" else released(shape)
    given = {option: MINED[option]}
    if option in SHAPES[shape].mines:
        assert len(release.mine(0.03, **given)) > 0
    else:
        with pytest.raises(shoal.InputError, match=f"{SHAPES[shape].called}: leave"):
            release.mine(0.03, **given)


@pytest.mark.parametrize("home", ["analyse", "cli/query", "cli/mine", "cli/info", "cli/risk.py", "cli/privacy.py"])
def test_no_code_asks_which_class_a_release_is(home: str) -> None:
    classes = "|".join(shape.release.partition(":")[2] for shape in SHAPES.values())
    asks = re.compile(rf"isinstance\([^)]*\b({classes})\b")
    place = Path(shoal.__file__).parent / home
    files = [place] if place.is_file() else [*place.rglob("*.py")]
    assert files
    assert [file.name for file in files if asks.search(file.read_text(encoding="utf-8"))] == []
