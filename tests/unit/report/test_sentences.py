"""What reports say in words is what was computed: risks before, attacks beside the original, what charts come to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.audit.attack.adversary import Adversary
from shoal.io.release_folder import read_release
from shoal.measuring.baskets.item_supports import published_supports
from shoal.measuring.risk.share import percent
from shoal.measuring.risk.tables import table_risk
from shoal.methods import METHODS
from shoal.release.evidence import Evidence
from shoal.reporting.page import Chart, Grid, Listed, Report, Section, Words
from shoal.run import Run

Reported = Callable[..., Report]
Released = Callable[..., tuple[Path, Any]]


def section(report: Report, name: str) -> Section:
    return next(one for one in report.sections if one.name == name)


def chart(report: Report, name: str) -> Chart:
    return next(one for one in report.charts if one.name == name)


def words(found: Section) -> list[str]:
    return [block.text for block in found.blocks if isinstance(block, Words)]


@pytest.mark.parametrize("method", METHODS)
def test_the_risk_before_is_that_of_the_original_by_the_numbers_of_the_promise(
    method: str, reported: Reported, released: Released
) -> None:
    folder, original = released(method)
    release = read_release(folder)
    k, m = getattr(release.promise, "k", 5), getattr(release.promise, "m", 2)
    if METHODS[method].about == "baskets":
        before = str(shoal.risk(original, k=k, m=m + 1, run=Run(chance=0)))
    else:
        before = str(table_risk(original, k, quasi=["age", "sex"]))
    assert words(section(reported(method), "risk"))[0] == f"Before publishing: {before}"
    assert not [text for text in words(section(reported(method, True), "risk")) if text.startswith("Before")]


@pytest.mark.parametrize("method", ["disassociate", "mask", "fakes", "hybrid", "anatomy", "injector"])
def test_attacks_are_mounted_beside_the_original(method: str, reported: Reported, released: Released) -> None:
    folder, original = released(method)
    adversary = Adversary(victims=250 if method == "disassociate" else None)
    chance = None if method in ("anatomy", "injector") else 0
    for known, public in ((original, False), (None, True)):
        found = shoal.attack(folder, Evidence(original=known), adversary, run=Run(chance=chance))
        listed = [block for block in section(reported(method, public), "risk").blocks if isinstance(block, Listed)]
        assert listed[0].sentences == tuple(one.sentence for one in found.findings)


@pytest.mark.parametrize("method", METHODS)
def test_the_chart_of_risks_names_the_largest_that_is_left(method: str, reported: Reported) -> None:
    report = reported(method)
    (table,) = [one for one in section(report, "risk").blocks if isinstance(one, Grid) and one.heads[0] == "risk"]
    drawn = chart(report, "risk")
    after = [one for one in drawn.records if one["series"] == "release"]
    worst = max(float(one["value"] or 0) for one in after)
    told = [f"{row[2]}, from {row[1]}: {row[0]}." for row in table.rows if row[2] == percent(worst)]
    assert drawn.says in [f"The largest remaining risk is {text}" for text in told]
    colours = drawn.spec["layer"][0]["encoding"]["color"]["scale"]
    assert colours == {"domain": ["original", "release"], "range": ["$before", "$after"]}


def test_of_whom_people_were_drawn_is_said(reported: Reported) -> None:
    for public, drawn in ((False, "drawn from the original"), (True, "verified from the files")):
        blocks = section(reported("disassociate", public), "risk").blocks
        (table,) = [one for one in blocks if isinstance(one, Grid) and not one.title]
        assert all(drawn in row[-1] for row in table.rows)


def test_how_far_supports_are_off_is_that_of_the_item_that_is_furthest(reported: Reported) -> None:
    drawn = chart(reported("disassociate"), "top-items")
    off = [abs(one["told"] - one["before"]) / max(one["before"], 1) for one in drawn.records]
    worst = drawn.records[int(np.argmax(off))]
    assert f"at most by {max(off):.1%} ({worst['item']}: {worst['before']:,} records" in drawn.says


def test_the_first_and_the_last_of_the_most_frequent_items_are_told(reported: Reported, released: Released) -> None:
    told = published_supports(read_release(released("disassociate")[0])).most_frequent(15)
    says = chart(reported("disassociate", True), "top-items").says
    first, last = ((told.names[at], f"{told.told[at]:,.0f}") for at in (0, -1))
    assert (
        f"more. In the release, {first[0]} is in {first[1]} records, {last[0]} in {last[1]}. "
        "Values from the release: expected, if" in says
    )


def test_names_that_stand_for_one_item_are_counted(reported: Reported, released: Released) -> None:
    release = read_release(released("km-generalization")[0])
    single = int((release.tree.leaves[release.is_held] == 1).sum())
    assert chart(reported("km-generalization"), "item-groups").says.startswith(f"{single:,} of ")


def test_the_column_that_lost_most_is_named(reported: Reported) -> None:
    drawn = chart(reported("bottom-up"), "ncp")
    most = max(drawn.records, key=lambda one: float(one["value"] or 0))
    assert drawn.says == f"{most['column']} has most: {most['value']:.1%}."


def test_a_report_as_data_has_what_its_charts_are_drawn_from(reported: Reported) -> None:
    report = reported("disassociate")
    blocks = [block for one in report.as_dict()["sections"] for block in one["blocks"] if block["kind"] == "chart"]
    assert [block["spec"].keys() for block in blocks] == [drawn.spec.keys() for drawn in report.charts]
