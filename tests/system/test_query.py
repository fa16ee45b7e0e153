"""``shoal query`` from outside: what it prints, and what it refuses."""

import json

import pytest

from shoal import pipeline
from shoal.cli.main import run
from shoal.release.manifest import Dropped
from tests.builders import disassociated


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nodes = [(5, [[("tea",)] * 4, [("milk", "salt, fine")] * 3 + [("milk",)]], ["x", "y"])]
    pipeline.write(disassociated(nodes, k=3, m=2), "release")
    return "release"


def answers(capfd, *command):
    assert run(["query", *command, "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_a_query_is_answered_as_a_table(capfd, release):
    assert run(["query", release, "tea, milk"]) == 0
    out = capfd.readouterr().out
    assert "of 5 records" in out
    row = next(line for line in out.splitlines() if "tea, milk" in line)
    assert row.split()[-4:] == ["3.2", "0.4", "3", "4"]
    assert "left out" not in out


def test_several_queries_none_of_and_names_with_commas(capfd, release):
    said = answers(capfd, release, "tea, milk", '"salt, fine", tea', "--none-of", "x")
    assert said["records"] == 5
    first, second = said["supports"]
    assert first["all_of"] == ["tea", "milk"]
    assert first["none_of"] == ["x"]
    assert first["expected"] == pytest.approx(5 * 4 / 5 * 4 / 5 * 4 / 5)
    assert second["all_of"] == ["salt, fine", "tea"]
    (only,) = answers(capfd, release, "--none-of", "tea")["supports"]
    assert (only["all_of"], only["least"], only["most"]) == ([], 1, 1)
    assert only["expected"] == pytest.approx(1)


def test_term_items_may_be_uniform(capfd, release):
    once, uniform = (answers(capfd, release, "x", "--term-items", how)["supports"][0] for how in ("once", "uniform"))
    assert (once["expected"], uniform["expected"]) == (1.0, 1.5)
    assert (once["least"], once["most"]) == (uniform["least"], uniform["most"]) == (1, 2)


def test_what_was_left_out_is_said(capfd, release):
    nodes = [(5, [[("tea",)] * 4], ["x", "y"])]
    pipeline.write(disassociated(nodes, k=3, m=2, dropped=Dropped(linking_instances=7)), release, force=True)
    assert run(["query", release, "tea"]) == 0
    assert "left out 7 occurrences" in " ".join(capfd.readouterr().out.split())


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["release"], "nothing is asked"),
        (["release", "teas"], "not in the release: 'teas' (did you mean 'tea'?) (of 5 items)"),
        (["release", "tea,,milk"], "'tea,,milk' has an empty item"),
        (["release", "tea", "--none-of", "tea"], "'tea' is asked to be there and not to be there"),
        (["nowhere", "tea"], "nowhere"),
    ],
)
@pytest.mark.usefixtures("release")
def test_a_mistake_is_named(capfd, command, message):
    assert run(["query", *command]) == 2
    out, err = capfd.readouterr()
    assert message in " ".join(err.split())
    assert out == ""
