"""``shoal query`` from outside: what it prints, and what it refuses."""

import json

import pytest

from shoal import pipeline
from shoal.cli.main import run
from shoal.release.manifest import Dropped
from tests.making.disassociated_releases import disassociated


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
    assert row.split()[-4:] == ["3", "4", "3.2", "0.4"]
    assert "left out" not in out


def test_several_queries_none_of_and_names_with_commas(capfd, release):
    said = answers(capfd, release, "tea, milk", '"salt, fine", tea', "--none-of", "x")
    assert said["records"] == 5
    first, second = said["supports"]
    assert first["all_of"] == ["tea", "milk"]
    assert first["none_of"] == ["x"]
    assert first["expected"] == pytest.approx(5 * 4 / 5 * 4 / 5 * 3.5 / 5)  # x is in one or two records
    assert second["all_of"] == ["salt, fine", "tea"]
    (only,) = answers(capfd, release, "--none-of", "tea")["supports"]
    assert (only["all_of"], only["least"], only["most"]) == ([], 1, 1)
    assert only["expected"] == pytest.approx(1)


def test_term_items_are_uniform_unless_they_are_once_and_the_answer_names_its_model(capfd, release):
    default = answers(capfd, release, "x")
    once, uniform = (answers(capfd, release, "x", "--term-items", how) for how in ("once", "uniform"))
    assert default == uniform
    assert (once["term_items"], uniform["term_items"]) == ("once", "uniform")
    assert once["expected_if"].endswith("each term-chunk item is in one record of its cluster")
    assert uniform["expected_if"].endswith("is in 1 to 2 records of its cluster, every number as likely")
    (once,), (uniform,) = once["supports"], uniform["supports"]
    assert (once["expected"], once["deviation"]) == (1.0, 0.0)
    assert (uniform["expected"], uniform["deviation"]) == (1.5, 0.5)
    assert (once["least"], once["most"]) == (uniform["least"], uniform["most"]) == (1, 2)
    assert list(uniform) == ["all_of", "none_of", "least", "most", "expected", "deviation"]


@pytest.mark.parametrize(
    ("options", "model", "other"),
    [
        ([], "each term-chunk item is in 1 to 2 records of its cluster", "--term-items once comes nearer"),
        (["--term-items", "once"], "each term-chunk item is in one record", "--term-items uniform assumes that"),
    ],
)
def test_what_is_certain_comes_before_the_model(capfd, release, options, model, other):
    assert run(["query", release, "x", *options]) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert said.index("at least at most expected deviation") < said.index("Certain: every possible original")
    assert said.index("Certain") < said.index(f"Expected and deviation hold if chunks are placed at random and {model}")
    assert other in said


def test_where_term_chunks_hide_nothing_no_other_model_is_offered(capfd, tmp_path):
    pipeline.write(disassociated([(5, [[("tea",)] * 5], ["x", "y"])], k=2, m=2), tmp_path / "two")
    assert run(["query", str(tmp_path / "two"), "x"]) == 0
    assert "--term-items" not in capfd.readouterr().out


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
