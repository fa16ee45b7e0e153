"""``shoal measure``: what it prints is what the Python function returns; wrong input is one clear message."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import shoal as library
from shoal.cli.main import run
from shoal.run import Run
from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]
QUICK = ("--reconstructions", "2", "--seed", "1")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "items.csv"
    path.write_text("bread;food;*\nmilk;drink;*\ntea;drink;*\ncaviar;food;*\nhiv;illness;*\n", encoding="utf-8")
    return path


def test_json_is_what_python_returns(capfd: Captured, baskets: Path, release: Path, tree: Path) -> None:
    options = ["--top", "7", "--range", "0-4", "--range", "2-5", "--hierarchy", tree, *QUICK, "--json"]
    code, out, err = shoal(capfd, "measure", baskets, release, *options)
    assert (code, err) == (0, "")
    found = library.measure(
        library.read(baskets),
        library.read_release(release),
        top=7,
        ranges=[(0, 4), (2, 5)],
        reconstructions=2,
        hierarchy=library.read_hierarchy(tree),
        run=Run(chance=1),
    )
    assert json.loads(out) == found.as_dict()


def test_the_table_is_the_value_as_text(capfd: Captured, baskets: Path, release: Path) -> None:
    code, out, err = shoal(capfd, "measure", baskets, release, *QUICK)
    assert (code, err) == (0, "")
    expected = library.measure(
        library.read(baskets), library.read_release(release), reconstructions=2, run=Run(chance=1)
    )
    assert out == f"{expected}\n"
    assert "27 records, k = 3, m = 2; top 1,000 itemsets, 2 reconstructions" in out
    for label in ("tKd-a more than 2 items", "re 0-20", "re-r2 100-120", "re-closed 200-220", "tlost", "items kept"):
        assert f"\n{label} " in out


def test_the_original_may_come_in_any_format_and_from_standard_input(baskets: Path, release: Path) -> None:
    rows = [line.split() for line in baskets.read_text(encoding="utf-8").splitlines()]
    long = "who,what\n" + "".join(f"{number},{item}\n" for number, row in enumerate(rows) for item in row)
    done = outside("measure", "-", release, "--long", "who,what", *QUICK, "--json", input=long)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records"] == 27


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--range", "0-1"], "the end of a range is 1: it must be a whole number from 2 on"),
        (["--range", "20"], "--range is '20': give two ranks separated by a dash, as in --range 0-20"),
        (["--range", "a-b"], "--range is 'a-b'"),
        (["--range", "0-5", "--range", "0-5"], "a range of ranks is given twice"),
        (["--top", "0"], "top is 0: it must be a whole number from 1"),
        (["--reconstructions", "0"], "reconstructions is 0: it must be a whole number from 1 on"),
        (["--seed", "-1"], "seed is -1"),
        (["--complete"], "--complete is about a hierarchy"),
        (["--hierarchy", "missing.csv"], "missing.csv"),
    ],
    ids=str,
)
def test_options_out_of_range_are_one_message(
    capfd: Captured, baskets: Path, release: Path, options: list[str], said: str
) -> None:
    code, out, err = shoal(capfd, "measure", baskets, release, *options)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_other_data_than_the_original_are_refused(
    capfd: Captured, tmp_path: Path, baskets: Path, release: Path
) -> None:
    other = tmp_path / "other.dat"
    other.write_text(baskets.read_text(encoding="utf-8") + "bread beer\n", encoding="utf-8")
    code, out, err = shoal(capfd, "measure", other, release)
    assert (code, out) == (2, "")
    assert "this is not the original of this release" in err
    assert "the original has 28 records, the release 27" in err
    assert "in the original, but not in the release (1): 'beer'" in err


def test_a_folder_that_is_no_release_and_a_file_that_is_not_there(
    capfd: Captured, tmp_path: Path, baskets: Path, release: Path
) -> None:
    for arguments in ((baskets, tmp_path), (tmp_path / "nothing.dat", release)):
        code, out, err = shoal(capfd, "measure", *arguments)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")


def test_items_that_a_hierarchy_misses_are_listed_or_completed(
    capfd: Captured, baskets: Path, release: Path, tree: Path
) -> None:
    tree.write_text("bread;food;*\nmilk;drink;*\n", encoding="utf-8")
    code, _, err = shoal(capfd, "measure", baskets, release, "--hierarchy", tree, *QUICK)
    assert code == 2
    assert "without a place (3): 'caviar', 'hiv', 'tea'" in err
    code, out, _ = shoal(capfd, "measure", baskets, release, "--hierarchy", tree, "--complete", *QUICK)
    assert code == 0
    assert "\ntKd-ML2 " in out


def test_a_real_release_keeps_most_of_its_frequent_itemsets(
    capfd: Captured, tmp_path: Path, real_file: Callable[[str], Path], on_sample: bool
) -> None:
    source = real_file("msweb/msweb.dat")
    folder = tmp_path / "release"
    assert run(["publish", "disassociate", str(source), "-k", "5", "-m", "2", "-o", str(folder)]) == 0
    code, out, _ = shoal(capfd, "measure", source, folder, "--seed", "1", "--json")
    assert code == 0
    found = {f"{metric['name']} {metric['part']}".strip(): metric["value"] for metric in json.loads(out)["metrics"]}
    lost, apart = (0.3, 0.03) if on_sample else (0.12, 0.01)  # of one record in 15 less is frequent
    assert found["tKd"] < lost < found["tKd-a"]
    assert found["re-closed 0-20"] < lost < found["re-a 0-20"]
    assert found["re-r10 0-20"] == pytest.approx(found["re-closed 0-20"], abs=apart)
    assert found["records kept"] == found["items kept"] == 1


def test_anr_and_are_need_the_trace_that_publishing_kept(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    release, trace = tmp_path / "other", tmp_path / "trace"
    publish = ["publish", "disassociate", baskets, "-k", "3", "-m", "2", "--max-cluster-size", "6", "-o", release]
    code, out, _ = shoal(capfd, *publish, "--keep-trace", trace)
    assert code == 0
    assert f"the trace is in {trace}, as sensitive as the original" in " ".join(out.split())
    assert trace.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in release.iterdir() if "trace" in path.name) == []
    code, out, err = shoal(capfd, "measure", baskets, release, *QUICK, "--json")
    assert (code, err) == (0, "")
    metrics = {metric["name"]: metric for metric in json.loads(out)["metrics"]}
    assert metrics["ANR"]["value"] is None
    assert "publish with --keep-trace FILE, and measure with --trace FILE" in metrics["ANR"]["reason"]
    assert metrics["pair instances kept"]["value"] > 0
    code, out, _ = shoal(capfd, "measure", baskets, release, *QUICK, "--json", "--trace", trace)
    metrics = {metric["name"]: metric for metric in json.loads(out)["metrics"]}
    assert (code, metrics["ANR"]["reason"]) == (0, "")
    assert 0 < metrics["ANR"]["value"] <= 1
    found = library.measure(library.read(baskets), release, reconstructions=2, run=Run(chance=1), trace=trace)
    assert found["ANR"].value == metrics["ANR"]["value"]


def test_a_wrong_trace_is_refused(capfd: Captured, baskets: Path, release: Path, tmp_path: Path) -> None:
    other = ["publish", "disassociate", baskets, "-k", "3", "-m", "2", "-o", tmp_path / "other"]
    assert shoal(capfd, *other, "--max-cluster-size", "6", "--keep-trace", tmp_path / "trace")[0] == 0
    for file, said in (
        (tmp_path / "trace", "the trace is of another release"),
        (baskets, "is no trace"),
        (tmp_path / "missing", "missing"),
    ):
        code, out, err = shoal(capfd, "measure", baskets, release, *QUICK, "--trace", file)
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())
    code, out, err = shoal(capfd, "measure", baskets, release, "--common", "--trace", tmp_path / "trace")
    assert (code, out) == (2, "")
    assert "--trace is not about metrics that all releases of baskets have: leave it out" in err


def test_where_a_trace_cannot_be_nothing_is_published(capfd: Captured, baskets: Path, release: Path) -> None:
    out = release.parent / "another"
    there = release.parent / "there"
    there.write_text("mine")
    (release.parent / "folder").mkdir()
    (release.parent / "link").symlink_to(release)
    (release.parent / "dangling").symlink_to(release.parent / "nowhere" / "trace")
    publish = ["publish", "disassociate", baskets, "-k", "3", "-m", "2", "-o", out, "--keep-trace"]
    for place, said in (
        (release / "trace", "inside of the release"),
        (out / "trace", "inside of the release"),
        (there, "exists already; choose another name, or --force to replace it (--keep-trace)"),
        (release.parent / "nowhere" / "trace", "there is no folder"),
        (release.parent / "dangling", "there is no folder"),
        (release.parent / "link" / "trace", "inside of the release"),
        ("-", "--keep-trace is -, which is not a place for a trace: name a file"),
    ):
        code, told, err = shoal(capfd, *publish, place)
        assert (code, told) == (2, "")
        assert said in " ".join(err.split())
        assert not out.exists()
    assert there.read_text() == "mine"
    for place, more, said in (
        (release.parent / "folder", [], "is no regular file"),
        (Path(os.devnull), [], "is no regular file"),
        (baskets, [], f"--keep-trace {baskets} would replace the data"),
        (there, ["--save-plan", there], "would replace the output of --save-plan"),
    ):
        code, told, err = shoal(capfd, *publish, place, "--force", *more)
        assert (code, told) == (2, "")
        assert said in " ".join(err.split())
        assert not out.exists()
    assert shoal(capfd, *publish, there, "--force")[0] == 0
    assert json.loads(there.read_text())["format"] == "shoal trace"


def test_a_plan_keeps_no_trace_unless_it_is_applied_so(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    trace, plan, out = tmp_path / "trace", tmp_path / "plan.toml", tmp_path / "planned"
    options = ["-k", "3", "-m", "2", "--max-cluster-size", "6", "-o", out, "--save-plan", plan, "--keep-trace", trace]
    assert shoal(capfd, "publish", "disassociate", baskets, *options)[0] == 0
    assert "trace" not in plan.read_text()
    assert shoal(capfd, "apply", plan, baskets, "-o", tmp_path / "applied")[0] == 0
    kept = ["-o", tmp_path / "again", "--keep-trace", tmp_path / "kept", "--json"]
    code, told, _ = shoal(capfd, "apply", plan, baskets, *kept)
    assert (code, json.loads(told)["trace"]) == (0, str(tmp_path / "kept"))
    assert (tmp_path / "kept").read_bytes() == trace.read_bytes()
