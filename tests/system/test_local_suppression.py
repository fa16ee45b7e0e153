"""``--vertical dls`` and ``best`` from outside: every command works on such a release, and says what is missing."""

import json

import pytest

from shoal.cli.main import run

pytestmark = pytest.mark.usefixtures("folder")
FIGURE_3 = "a d e f\na c f\nc e f\na c d f\nc d e\na d\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.dat").write_text(FIGURE_3)
    return tmp_path


def publish(*options):
    command = ["publish", "disassociate", "baskets.dat", "-k", "2", "-m", "2", "--max-cluster-size", "9"]
    return run([*command, *options])


def test_publishing_says_how_much_was_suppressed_and_promises_less(capfd, folder):
    assert publish("--vertical", "dls", "-o", "release") == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "suppressed 1 occurrence of items in single records" in out
    assert "occurs at least 2 times or never" in out
    manifest = json.loads((folder / "release" / "manifest.json").read_text())
    assert manifest["left_out"]["suppressed_instances"] == 1
    assert [promise["kind"] for promise in manifest["promises"]] == ["SuppressedKm"]


def test_a_manifest_that_promises_more_than_its_words_is_found_out(folder):
    assert publish("--vertical", "dls", "-o", "release") == 0
    path = folder / "release" / "manifest.json"
    path.write_text(path.read_text().replace('"SuppressedKm"', '"KmAnonymity"'))
    assert run(["verify", "release"]) == 1


@pytest.mark.parametrize("vertical", ["dls", "best"])
@pytest.mark.parametrize(
    "command",
    [
        ["verify", "release", "--original", "baskets.dat"],
        ["show", "release"],
        ["export", "release", "--to", "jsonl", "-o", "rows.jsonl"],
        ["query", "release", "a, d"],
        ["mine", "release", "--min-support", "2"],
        ["reconstruct", "release", "-o", "again.dat"],
        ["measure", "baskets.dat", "release"],
        ["attack", "release", "--original", "baskets.dat"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_works_on_the_release(capfd, vertical, command):
    assert publish("--vertical", vertical, "-o", "release") == 0
    capfd.readouterr()
    assert run(command) == 0, capfd.readouterr()


def test_a_query_says_that_occurrences_were_left_out(capfd):
    assert publish("--vertical", "dls", "-o", "release") == 0
    assert run(["query", "release", "a", "--json"]) == 0
    printed = capfd.readouterr().out
    assert json.loads(printed[printed.index("{") :])["occurrences_left_out"] == 1


def test_an_attack_leaves_out_what_makes_no_sense_and_counts_sets_that_are_gone(capfd):
    assert publish("--vertical", "dls", "-o", "release") == 0
    capfd.readouterr()
    assert run(["attack", "release", "--original", "baskets.dat", "--victims", "6", "--seed", "1", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    left_out = {entry["attack"] if "attack" in entry else entry["name"] for entry in found["left_out"]}
    assert {"known people", "backwards"} <= left_out
    assert not any(finding.get("breaks_promise") for finding in found["findings"])


def test_it_works_with_everything_else():
    assert publish("--vertical", "dls", "--cover-safe", "-o", "safe") == 0
    assert run(["verify", "safe", "--original", "baskets.dat"]) == 0
    assert publish("--vertical", "best", "--sensitive", "e", "-l", "2", "-o", "sensitive") == 0
    assert run(["verify", "sensitive", "--original", "baskets.dat"]) == 0


def test_an_unknown_way_is_refused(capfd):
    assert publish("--vertical", "worst", "-o", "release") == 2
    assert "greedy" in capfd.readouterr().err
