"""``shoal attack``: what it prints, what it leaves out and why, and when it says no."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.audit.attack.disassociated.every_attack import attack
from shoal.audit.attack.disassociated.people import leaves_of_items
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.release_folder import write_release
from shoal.promises import NoCertainLinks
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.running.commands import shoal


def written(folder: Path, release: Disassociated) -> Path:
    """A release on disk that nobody verified."""
    folder.mkdir()
    write_release(release, folder)
    return folder


def by_name(out: str) -> dict[str, Any]:
    return {finding["name"]: finding for finding in json.loads(out)["findings"]}


def test_with_the_original_everything_but_the_second_release_is_tried(
    capfd: pytest.CaptureFixture[str], release: Path, baskets: Path
) -> None:
    code, out, err = shoal(capfd, "attack", release, "--original", baskets, "--seed", 1, "--struck", 0.2)
    assert (code, err.replace("\n", "")) == (0, "")
    flowing = " ".join(out.split())
    assert out.splitlines()[0].startswith("none of ")
    assert "For every set of up to 2 items that a record may hold, some possible original has k = 3 records" in flowing
    for name in (
        "possible originals",
        "known items",
        "known people",
        "cover",
        "cover inside chunks",
        "order",
        "backwards",
    ):
        assert f"\n{name}: " in out
    assert (
        "In the original, an adversary who knows 2 random items of a person finds fewer than k = 3 candidates for"
        in flowing
    )
    assert "and one who knows the worst 2 items for" in flowing
    assert "in their own cluster" in flowing
    assert "Of 5 people whose whole records are known" in flowing
    assert "which the promise does not cover" in flowing
    assert "left out: second release: it needs another release of the same people (--other RELEASE)" in out
    for line in out.splitlines():
        assert len(line) <= 100 or "  " in line


def test_without_the_original_nobody_is_looked_for(capfd: pytest.CaptureFixture[str], release: Path) -> None:
    code, out, _ = shoal(capfd, "attack", release)
    assert code == 0
    assert "left out: known items: it needs the data that the release was made from (--original FILE)" in out
    assert "left out: known people: it needs the data" in out
    assert "\ncover: " in out
    assert "\norder: " in out


def test_the_same_seed_draws_the_same_people(capfd: pytest.CaptureFixture[str], release: Path, baskets: Path) -> None:
    command = ["attack", release, "--original", baskets, "--victims", 5, "--json", "--struck", 0.3]
    once, again, other = (shoal(capfd, *command, "--seed", seed)[1] for seed in (1, 1, 2))
    assert once == again
    assert once != other
    columns = by_name(once)["known items"]["numbers"]["random_items"]
    assert [column["known_items"] for column in columns] == [1, 2, 3, 4]
    assert [column["covered_by_the_promise"] for column in columns] == [True, True, False, False]
    assert columns[0]["people"] == 5


def test_the_adversary_may_know_more(capfd: pytest.CaptureFixture[str], release: Path, baskets: Path) -> None:
    code, out, _ = shoal(capfd, "attack", release, "--original", baskets, "--knows", 3, "--json", "--struck", 0)
    assert code == 0
    columns = by_name(out)["known items"]["numbers"]["random_items"]
    assert [column["known_items"] for column in columns] == [1, 2, 3, 4, 5]
    beyond = by_name(out)["possible originals beyond the promise"]
    assert beyond["numbers"]["known_items"] == 3
    assert "The promise does not cover more than m = 2 known items" in beyond["sentence"]
    left_out = {entry["name"]: entry["why"] for entry in json.loads(out)["left_out"]}
    assert "too small for a single person" in left_out["known people"]


def test_a_second_release(capfd: pytest.CaptureFixture[str], release: Path, baskets: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    assert shoal(capfd, "publish", "disassociate", baskets, "-k", 4, "-m", 1, "-o", second)[0] == 0
    for options in ([], ["--original", baskets]):
        code, out, _ = shoal(capfd, "attack", release, "--other", second, "--json", *options)
        assert code == 0
        finding = by_name(out)["second release"]
        assert "The promise does not cover a second release" in finding["sentence"]
        assert [column["known_items"] for column in finding["numbers"]["candidates"]] == [1, 2]


def test_a_trace_places_everybody(capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path) -> None:
    release, trace = tmp_path / "traced", tmp_path / "trace"
    publish = ("publish", "disassociate", baskets, "-k", 3, "-m", 2, "--max-cluster-size", 6, "--keep-trace")
    assert shoal(capfd, *publish, trace, "-o", release)[0] == 0
    asked = ("--original", baskets, "--seed", 1, "--json", "--trace")
    code, out, err = shoal(capfd, "attack", release, *asked, trace)
    assert (code, err) == (0, "")
    found = by_name(out)
    assert found["known items"]["numbers"]["sets_not_in_the_own_cluster"] == 0
    manifest = json.loads((release / "manifest.json").read_text())
    assert found["order"]["numbers"]["records_placed_by_the_trace"] == manifest["counts"]["records"]
    # The people are those that are drawn without a trace.
    _, without, _ = shoal(capfd, "attack", release, *asked[:-1])
    for place in ("original", "most_favourable_original"):
        name = f"median_in_{place}"
        assert [column[name] for column in found["known items"]["numbers"]["random_items"]] == [
            column[name] for column in by_name(without)["known items"]["numbers"]["random_items"]
        ]


def test_a_trace_that_says_nothing_about_this_attack_is_refused(
    capfd: pytest.CaptureFixture[str], release: Path, baskets: Path, tmp_path: Path
) -> None:
    publish = ("publish", "disassociate", baskets, "-k", 4, "-m", 1, "-o", tmp_path / "other", "--keep-trace")
    assert shoal(capfd, *publish, tmp_path / "trace")[0] == 0
    assert shoal(capfd, "publish", "mask", baskets, "--keep-prob", ".9", "-o", tmp_path / "masked")[0] == 0
    original = ("--original", baskets)
    for folder, more, trace, said in (
        (release, original, tmp_path / "trace", "the trace is of another release"),
        (release, original, baskets, "is no trace"),
        (release, original, tmp_path / "nowhere", "no such file"),
        (release, (), tmp_path / "trace", "--trace is about the records of the original: give --original FILE, too"),
        (tmp_path / "masked", original, tmp_path / "trace", "--trace is not about a randomized release: leave it out"),
    ):
        code, out, err = shoal(capfd, "attack", folder, *more, "--trace", trace)
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())


def test_a_release_that_breaks_its_promise_makes_the_command_say_no(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    planted = disassociated([(5, [["ab", "a", "a", "b", "b"]], "")], k=2, m=2)
    baskets = tmp_path / "baskets.dat"
    baskets.write_text("a b\na\na\nb\nb\n")
    folder = written(tmp_path / "planted", planted)
    code, out, _ = shoal(capfd, "attack", folder, "--original", baskets)
    assert code == 1
    assert "BREAKS THE PROMISE  possible originals: " in out
    assert "BREAKS THE PROMISE  known items: " in out
    assert "2 of 6 findings break the promise" in out
    assert shoal(capfd, "attack", folder)[0] == 1  # nobody needs the original to see it
    assert "{a, b}" in out
    assert json.loads(shoal(capfd, "attack", folder, "--original", baskets, "--json")[1])["breaks_promise"] is True


def test_an_order_that_is_not_the_sorted_one_makes_the_command_say_no(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = written(tmp_path / "planted", disassociated([(4, [["b", "b", "a", "a"]], "")], sort=False))
    code, out, _ = shoal(capfd, "attack", folder)
    assert code == 1
    assert "BREAKS THE PROMISE  order: The order inside chunks is not the sorted one" in " ".join(out.split("\n"))


def test_joint_clusters(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    inner = ([(3, [["a"] * 3], "x"), (3, [["b"] * 3], "y")], [["cd", "cd", "c"]])
    folder = written(tmp_path / "joint", disassociated([([inner, (3, [["d"] * 3], "x")], [["c"] * 2])], k=2, m=2))
    baskets = tmp_path / "baskets.dat"
    baskets.write_text("a c d\na c d x\na\nb\nb c\nb y\nd c\nd c x\nd\n")
    code, out, err = shoal(capfd, "attack", folder, "--original", baskets, "--struck", 0.3, "--other", folder)
    assert code == 0, out + err
    assert "second release: " in out


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [("--knows", 0, "at least one item"), ("--victims", 0, "at least one person"), ("--struck", 2, "from 0 to 1")],
)
def test_numbers_out_of_range(
    capfd: pytest.CaptureFixture[str], release: Path, option: str, value: float, says: str
) -> None:
    code, _, err = shoal(capfd, "attack", release, option, value)
    assert code == 2
    assert says in err


def test_what_is_no_release_is_an_input_error(capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    code, _, err = shoal(capfd, "attack", tmp_path / "nowhere")
    assert code == 2
    assert err.startswith("error: ")
    (release / "subrecords.parquet").write_bytes(b"")
    assert shoal(capfd, "attack", release)[0] == 1  # it is one, and damaged
    # Sound files, but no disassociation: more subrecords than records.
    folder = written(tmp_path / "odd", disassociated([(1, [["a", "a"]], "")]))
    code, _, err = shoal(capfd, "attack", folder)
    assert code == 2
    assert "Verify it first" in err


def test_an_original_of_other_items_is_said_to_be_one(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.dat"
    other.write_text("hammer\nnail\n")
    code, out, _ = shoal(capfd, "attack", release, "--original", other)
    assert code == 0
    assert "left out: known items: no record of the original holds an item of the release" in out


def test_releases_with_sensitive_items_are_not_run_backwards() -> None:
    release = disassociated([(4, [["a"] * 4], "bh")], sensitive=["h"])
    found = attack(release, generator=np.random.default_rng(1), publish=lambda _: release)
    assert {entry.name for entry in found.left_out} == {"known items", "known people", "second release", "backwards"}
    with pytest.raises(KeyError):
        found["backwards"]
    assert found["cover"].numbers["clusters"] == 1


def test_the_report_in_python() -> None:
    release = disassociated([(4, [["a"] * 4], "b")])
    original = Transactions.from_records([{"a"}, {"a"}, {"a"}, {"a", "b"}])
    stages: list[str] = []
    found = attack(
        release,
        generator=np.random.default_rng(1),
        original=original,
        run=Run(progress=lambda stage, _done, _total: stages.append(stage)),
    )
    assert not found.breaks_promise
    assert str(found).startswith("none of ")
    assert set(stages) >= {"known items", "cover", "order"}
    assert json.loads(json.dumps(found.as_dict()))["breaks_promise"] is False
    with pytest.raises(InputError):
        attack(release, generator=np.random.default_rng(1), knows=0)


def test_too_few_candidates_beyond_m_break_nothing() -> None:
    release = disassociated([(5, [["ab", "a", "a", "b", "b"]], "")], k=2, m=1)
    found = attack(release, generator=np.random.default_rng(1), knows=2)
    assert not found.breaks_promise
    assert found["possible originals beyond the promise"].numbers["root_clusters_with_too_few_candidates"] == 1
    assert "{a, b}" in found["possible originals beyond the promise"].sentence


def test_a_release_of_nothing_breaks_its_promise() -> None:
    found = attack(disassociated([(3, [["a", "a"]], "")], k=2, m=1), generator=np.random.default_rng(1))
    assert found.breaks_promise
    assert "no possible original at all" in found["possible originals"].sentence


def test_what_was_struck_out_leaves_attacks_out_that_look_for_whole_records() -> None:
    release = replace(
        disassociated([(4, [["a"] * 3, ["bc", "bc", "b", "c"]], "x")], dropped=Dropped(linking_instances=1)),
        links=NoCertainLinks(),
    )
    original = Transactions.from_records([set("abc"), set("abc"), set("abx"), set("ac")])
    generator = np.random.default_rng(1)
    found = attack(release, generator=generator, original=original, other=release, publish=lambda _: release)
    why = {entry.name: entry.why for entry in found.left_out}
    assert set(why) == {"known people", "second release", "backwards"}
    assert "items were suppressed in single records" in why["known people"]
    assert "records_looked_for" not in found["order"].numbers
    assert not found.breaks_promise


def test_joints_nested_too_deeply_for_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaves_of_items, "MOST_ENTRIES", 3)
    joint = ([(2, [["a", "a"]], "x"), (2, [["b", "b"]], "y")], [["ca", "ca"]])
    found = attack(
        disassociated([joint]),
        generator=np.random.default_rng(1),
        original=Transactions.from_records([set("ac"), set("ax"), set("bc"), set("by")]),
        struck=0.5,
    )
    why = {entry.name: entry.why for entry in found.left_out}
    assert {"known people", "cover", "order"} <= set(why)
    assert "nested too deeply" in why["cover"]
    assert not found["known items"].breaks_promise
