"""Reports on releases: for every method, in and out of the house, the same for the same, and of nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import DamagedRelease, InputError
from shoal.io.release_folder import read_release
from shoal.methods import METHODS
from shoal.reporting.page import Chart, Grid, Key, Report, Words
from shoal.run import Run
from tests.making.damaged_folders import edit_manifest, put
from tests.making.generalized_baskets import hierarchy_of
from tests.making.releases_with_odd_names import PLAIN, baskets, people, publish_by
from tests.oracles import item_supports, utility
from tests.running.commands import shoal as command

INTERNAL = ["promise", "verdict", "risk", "shape", "cost", "reading", "facts"]


def chart(report: Report, name: str) -> Chart:
    return next(one for one in report.charts if one.name == name)


def grids(report: Report, section: str) -> list[Grid]:
    found = next(one for one in report.sections if one.name == section)
    return [block for block in found.blocks if isinstance(block, Grid)]


@pytest.mark.parametrize("method", METHODS)
def test_a_report_answers_all_questions_in_their_order(method: str, reported: Callable[..., Report]) -> None:
    inside, outside = reported(method), reported(method, True)
    assert [one.name for one in inside.sections] == INTERNAL
    costs = ["cost"] if method in ("mask", "fakes", "hybrid") else []
    assert [one.name for one in outside.sections] == ["promise", "verdict", "risk", "shape", *costs, "reading", "facts"]
    for report in (inside, outside):
        assert report.title == "Report on release"
        assert all(section.blocks for section in report.sections)
        assert 3 <= len(told_keys(report)) <= 5
        assert report.keys[0].label == "Verdict"
        assert report.keys[-1].label == f"Published by {read_method(method)}"
    assert len(told_keys(inside)) > len(told_keys(outside))


def told_keys(report: Report) -> list[Key]:
    """The keys but for risks that the promise does not cover."""
    return [key for key in report.keys if not key.label.startswith("Not covered")]


def read_method(method: str) -> str:
    return {"dls": "disassociation", "disassociate": "disassociation", "disassociate-l": "disassociation"}.get(
        method, method.removesuffix("-hidden")
    )


@pytest.mark.parametrize("method", METHODS)
def test_the_same_release_makes_the_same_bytes(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    folder, original = released(method)
    for public in (False, True):
        again = shoal.report(folder, None if public else original)
        assert again.html() == reported(method, public).html()


def test_another_process_makes_the_same_bytes(
    reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    folder, _ = released("hybrid")
    script = (
        "import hashlib, shoal, sys; from tests.making.releases_with_odd_names import baskets; "
        "print(hashlib.sha256(shoal.report(sys.argv[1], baskets()).html().encode()).hexdigest())"
    )
    place = Path(__file__).parents[3]
    paths = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH")]))
    for seed in ("1", "2"):
        ended = subprocess.run(
            [sys.executable, "-c", script, str(folder)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
            cwd=place,
        )
        assert ended.stdout.strip() == hashlib.sha256(reported("hybrid").html().encode()).hexdigest()


@pytest.mark.parametrize("method", ["disassociate", "anatomy"])
def test_a_public_report_is_the_same_whatever_original_is_named(
    method: str,
    reported: Callable[..., Report],
    released: Callable[..., tuple[Path, Any]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder, _ = released(method)
    for name in ("one.dat", "other.dat"):
        (tmp_path / name).write_text(f"tea {name}\n")
        code, _, err = command(capfd, "report", tmp_path / name, folder, "--public", "-o", tmp_path / f"{name}.html")
        assert code == 0
        assert "is not read" in err
    code, _, _ = command(capfd, "report", folder, "--public", "-o", tmp_path / "none.html")
    assert code == 0
    pages = {(tmp_path / name).read_bytes() for name in ("one.dat.html", "other.dat.html", "none.html")}
    assert pages == {reported(method, True).html().encode()}


def test_an_original_of_the_other_kind_is_refused(released: Callable[..., tuple[Path, Any]]) -> None:
    for method, known in METHODS.items():
        folder, _ = released(method)
        of, given = ("baskets", "a table") if known.about == "baskets" else ("a table", "baskets")
        other = people() if known.about == "baskets" else baskets()
        with pytest.raises(InputError, match=f"a release of {of}, and the original was read as {given}"):
            shoal.report(folder, other)


def test_data_that_are_not_the_original_are_refused(released: Callable[..., tuple[Path, Any]]) -> None:
    folder, original = released("disassociate")
    fewer = Transactions.from_records(list(original)[1:])
    with pytest.raises(InputError, match="this is not the original of this release"):
        shoal.report(folder, fewer)
    folder, _ = released("mondrian")
    with pytest.raises(InputError, match="not the original"):
        shoal.report(folder, people(n=59))


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        shoal.report(tmp_path / "missing")
    with pytest.raises(DamagedRelease):
        shoal.report(tmp_path)


def test_of_a_broken_release_only_that_is_told(tmp_path: Path) -> None:
    original = publish_by("disassociate", tmp_path / "release")
    edit_manifest(tmp_path / "release", put("promises", 0, "k", 30))
    for beside in (None, original):
        report = shoal.report(tmp_path / "release", beside)
        assert [one.name for one in report.sections] == ["promise", "verdict", "facts"]
        assert report.audience == ("public" if beside is None else "internal")
        told = [grid.title for grid in grids(report, "facts")]
        assert ("The original" in told) is (beside is not None)
        assert report.alarms
        assert report.lead.startswith("This release does not keep its promise")
        assert [key.tone for key in report.keys] == ["bad"]
        assert not report.charts
        assert "FAILS" in report.html()


def test_a_release_that_given_rules_break_is_broken_and_not_that_of_another_original(
    released: Callable[..., tuple[Path, Any]],
) -> None:
    folder, original = released("injector")
    rows = original.to_arrow().to_pylist()
    # All that the data bear out: whoever is the only one of an age has no other illness than the one there is.
    ages = Counter(row["age"] for row in rows)
    rules = tuple(
        NegativeRule((Condition("age", str(row["age"]), (str(row["age"]),)),), illness)
        for row in rows
        for illness in "abcd"
        if row["age"] is not None and ages[row["age"]] == 1 and illness != row["illness"]
    )
    assert rules
    for beside in (None, original):
        report = shoal.report(folder, beside, background=Background("illness", rules))
        assert report.alarms
        assert "fail" in report.keys[0].value


@pytest.mark.parametrize(
    ("where", "given"), [("release", "."), ("", "release/"), ("", "./release"), ("charts", "../release")]
)
def test_a_release_is_called_by_its_folder_however_it_is_given(
    where: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_by("disassociate", tmp_path / "release")
    (tmp_path / "charts").mkdir()
    monkeypatch.chdir(tmp_path / where)
    report = shoal.report(given)
    assert report.title == "Report on release"
    assert "shoal verify release" in report.html()


def test_an_original_whose_name_is_no_text_is_told_as_far_as_it_is(
    tmp_path: Path, released: Callable[..., tuple[Path, Any]]
) -> None:
    folder, original = released("disassociate")
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.dat"))
    file.write_text("tea")
    shoal.report(folder, original, source=file).save(tmp_path / "page.html")
    assert "\N{REPLACEMENT CHARACTER}.dat" in (tmp_path / "page.html").read_text()


def test_the_most_frequent_items_stand_beside_what_the_release_tells(
    reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    folder, original = released("disassociate")
    found = chart(reported("disassociate"), "top-items")
    rows = list(original)
    ranked = utility.ranked(rows)
    assert [one["item"] for one in found.records] == ranked
    assert [one["before"] for one in found.records] == [sum(item in row for row in rows) for item in ranked]
    release = read_release(folder)
    for one in found.records:
        support = release.support([one["item"]])
        assert (one["low"], one["told"], one["high"]) == pytest.approx(
            (support.least, support.expected, support.most), abs=0.01
        )
    outside = chart(reported("disassociate", True), "top-items")
    told = [one["told"] for one in outside.records]
    assert told == sorted(told, reverse=True)
    assert outside.title == "Records with the 8 most frequent items"
    off = [abs(one["told"] - one["before"]) / one["before"] for one in found.records]
    assert f"is off by {np.mean(off):.1%} on average, at most by {max(off):.1%} (" in found.says
    for one in (found, outside):
        assert one.says.startswith("The grey bar: no possible original has fewer or more.")
        assert one.says.endswith(f"Values from the release: expected, if {release.support(['a']).model}.")


def test_of_many_items_the_first_fifteen_are_shown(tmp_path: Path) -> None:
    data = shoal.read([{f"{n:02}" for n in range(at % 20 + 1)} for at in range(60)])
    shoal.disassociate(data, k=3, m=2).write(tmp_path / "release")
    found = chart(shoal.report(tmp_path / "release", data), "top-items")
    assert [one["item"] for one in found.records] == [f"{n:02}" for n in range(15)]


@pytest.mark.parametrize("method", METHODS)
def test_costs_are_the_metrics(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    folder, original = released(method)
    release, report = read_release(folder), reported(method)
    if METHODS[method].about == "baskets":
        from shoal.data.item_hierarchies import neighbours

        tree = {"hierarchy": neighbours(original.words)} if method == "km-generalization" else {}
        metrics = shoal.measure(original, release, run=Run(chance=0), **tree, common=True)
        # Noise that adds to a support counts as kept, so that randomized releases are remembered by their errors.
        key = "re 0-20" if method in ("mask", "fakes", "hybrid") else "pairs kept"
    else:
        quasi = {"quasi": ["age", "sex"], "sensitive": "illness"}
        metrics, key = shoal.measure(original, release, run=Run(chance=0), **quasi), "query error"
    (grid,) = grids(report, "cost")
    told = {row[0]: row[1] for row in grid.rows}
    assert told == {metric.label: metric.shown for metric in metrics if metric.value is not None}
    left = {metric.label for metric in metrics if metric.value is None}
    notes = [
        block.text for block in report.blocks if isinstance(block, Words) and block.text.startswith("Not measured")
    ]
    assert all(any(label in note for note in notes) for label in left)
    wanted = next(metric for metric in metrics if metric.label == key and metric.value is not None)
    cost = told_keys(report)[-2]
    assert cost.value == wanted.shown
    named = {"re 0-20": "relative error of pairs of the 20 most frequent items"}.get(key, key)
    assert cost.label.startswith(f"{named}: {wanted.direction}")
    meanings = [metric.meaning for metric in metrics if metric.value is not None]
    for row, meaning, above in zip(grid.rows, meanings, [None, *meanings], strict=False):
        assert row[-1] == ("the same, for this one" if meaning == above else meaning)


def test_pairs_that_are_kept_are_drawn_by_their_classes(
    reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    found = chart(reported("disassociate"), "pairs-kept")
    _, original = released("disassociate")
    classes = item_supports.pair_classes(list(original))
    groups = list(dict.fromkeys(one["group"] for one in found.records))
    assert [int(str(group).partition("-")[0]) for group in groups] == list(classes)
    assert {one["series"] for one in found.records} == {"expected", "certain"}
    assert [one["pairs"] for one in found.records][::2] == [len(counts) for counts in classes.values()]
    for expected, certain in zip(found.records[::2], found.records[1::2], strict=True):
        assert 0 <= certain["value"] <= expected["value"] + 1e-9 <= 1 + 1e-9
    plain = chart(reported("diffpart"), "pairs-kept")
    assert {one["series"] for one in plain.records} == {"told"}


def test_a_table_without_a_sensitive_column_costs_what_was_generalized(tmp_path: Path) -> None:
    table = Table.from_arrow(people().to_arrow().select(["age", "sex"]), quasi=["age", "sex"])
    release = shoal.k_anonymity(table, 3)
    release.write(tmp_path / "release")
    report = shoal.report(tmp_path / "release", table)
    (grid,) = grids(report, "cost")
    told = {row[0]: row[1] for row in grid.rows}
    assert told["NCP"] == shoal.measure(None, release)["NCP"].shown
    assert "average class size" in told
    _, risk, cost, _ = told_keys(report)
    assert risk.label == "To pick a person's row, over all rows"
    assert (cost.label, cost.value) == ("NCP: lower is better, 0 to 1", told["NCP"])


def test_a_hierarchy_is_used_where_it_is_given(tmp_path: Path) -> None:
    paths = {item: (item, "x" if item in "abc" else "y", "*") for item in PLAIN}
    tree, data = hierarchy_of(paths), baskets()
    shoal.km_generalization(data, k=3, m=2, hierarchy=tree).write(tmp_path / "release")
    report = shoal.report(tmp_path / "release", data, hierarchy=tree)
    (grid,) = grids(report, "cost")
    assert "tKd-ML2" in [row[0] for row in grid.rows]
    assert json.dumps(report.as_dict(), allow_nan=False)


@pytest.mark.parametrize("method", METHODS)
def test_shapes_are_counted_in_the_files(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    release = read_release(released(method)[0])
    report = reported(method, True)
    histograms = {
        one.name: sum(record["number"] for record in one.records) for one in report.charts if one.bars == "number"
    }
    wanted = {
        "cluster-sizes": lambda: int(release.is_leaf.sum()),
        "term-chunks": lambda: int(release.is_leaf.sum()),
        "class-sizes": lambda: len(release.group_sizes),
        "row-lengths": lambda: len(release.lengths),
        "item-groups": lambda: int(release.is_held.sum()),
    }
    assert histograms
    for name, number in histograms.items():
        assert number == wanted[name]()
    shape = next(one for one in report.sections if one.name == "shape")
    assert isinstance(shape.blocks[0], Words)
    for name, count in release.counts.items():
        told = {"ones": "items in all rows"}.get(name, name.replace("_", " "))
        assert f"{count:,} {told}" in shape.blocks[0].text
