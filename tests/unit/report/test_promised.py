"""What a report says of promises, and of whether they are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.audit.not_tried import LeftOut
from shoal.audit.residual import Residual
from shoal.audit.verdict import Check, Figure, Verdict
from shoal.io.release_folder import DO_NOT_PUBLISH, read_release
from shoal.methods import METHODS
from shoal.pipeline import verify
from shoal.release.evidence import Evidence
from shoal.reporting.page import Grid, Listed, Report, Section, Words
from shoal.reporting.promised import residual_keys, verdict_key, verdict_section
from shoal.run import Run
from tests.making.damaged_folders import edit_manifest, put, rewrite
from tests.making.releases_with_odd_names import publish_by

HOLDS = Check("rows", "every row is fine", 1234, True)
FAILS = Check("order", "rows are ordered", 2, False, "row 7 comes before row 3")
LEFT = LeftOut("noise", "it needs the data")


def section(report: Report, name: str) -> Section:
    return next(one for one in report.sections if one.name == name)


def words(found: Section, kind: str | None = None) -> list[str]:
    return [block.text for block in found.blocks if isinstance(block, Words) and kind in (None, block.kind)]


def grid(found: Section, title: str) -> Grid:
    return next(block for block in found.blocks if isinstance(block, Grid) and block.title == title)


@pytest.mark.parametrize("public", [False, True], ids=["internal", "public"])
@pytest.mark.parametrize("method", METHODS)
def test_all_promises_are_there_in_their_own_words_and_all_that_they_leave_out(
    method: str, public: bool, reported: Callable[..., Report], released: Callable[..., tuple[Path, object]]
) -> None:
    found = section(reported(method, public), "promise")
    release = read_release(released(method)[0])
    assert release.promises
    assert reported(method, public).lead == " ".join(["Promised:", *(promise.words for promise in release.promises)])
    assert words(found) == [*(promise.words for promise in release.promises), "Limits of the promise:"]
    (listed,) = [block for block in found.blocks if isinstance(block, Listed)]
    wanted = [entry for promise in release.promises for entry in promise.not_promised]
    assert set(listed.sentences) == set(wanted)
    assert len(set(listed.sentences)) == len(listed.sentences) > 0


@pytest.mark.parametrize("method", METHODS)
def test_every_check_of_the_verdict_is_there(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, object]]
) -> None:
    verdict = verify(released(method)[0])
    report = reported(method, True)
    found = section(report, "verdict")
    checked = grid(found, "What was checked")
    assert list(checked.rows) == [(one.name, "holds", f"{one.checked:,}", one.what) for one in verdict.checks]
    assert len(verdict.checks) > 3
    assert words(found)[0].lower() == f"{verdict.head}.".lower()
    left = [block for block in found.blocks if isinstance(block, Grid) and block.title == "What was not checked"]
    assert [row for block in left for row in block.rows] == [(one.name, one.why) for one in verdict.left_out]
    label, value = verdict_key(verdict).label, verdict_key(verdict).value
    assert report.keys[0].label == label
    assert report.keys[0].value.startswith(value)
    assert not report.alarms


def test_beside_the_original_more_is_checked(reported: Callable[..., Report]) -> None:
    inside, outside = (section(reported("hybrid", public), "verdict") for public in (False, True))
    assert len(grid(inside, "What was checked").rows) > len(grid(outside, "What was checked").rows)
    assert "What was not checked" in [block.title for block in outside.blocks if isinstance(block, Grid)]


def test_a_release_that_was_tampered_with_fails_with_its_witness(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    original = publish_by("disassociate", folder)

    # The first and the last subrecord stand in each other's chunk.
    def swap(table: pa.Table) -> pa.Table:
        places = [len(table) - 1, *range(1, len(table) - 1), 0]
        return table.set_column(1, table.schema.field("items"), table["items"].take(places))

    rewrite(folder, "subrecords.parquet", swap)
    for beside in (None, original):
        report = shoal.report(folder, beside)
        verdict = verify(folder, Evidence(original=beside))
        assert verdict.failures
        found = section(report, "verdict")
        wanted = [f"{check.name}: {check.witness}" for check in verdict.failures]
        assert words(found, "bad")[1:] == wanted
        assert all(check.witness for check in verdict.failures)
        outcomes = {row[0]: row[1] for row in grid(found, "What was checked").rows}
        assert {name for name, outcome in outcomes.items() if outcome == "FAILS"} == {
            check.name for check in verdict.failures
        }
        assert report.alarms
        assert (report.keys[0].tone, report.keys[0].value) == (
            "bad",
            f"{len(verdict.failures)} of {len(verdict.checks)} checks fail",
        )
        assert wanted[0] in report.as_dict()["sections"][1]["blocks"][1]["text"]


def test_what_must_not_be_published_is_marked(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    data = shoal.read([{"tea", "milk"}] * 20 + [{"tea"}] * 20)
    shoal.mask(data, 0.9, run=Run(chance=1)).write(folder)
    seeded = words(section(shoal.report(folder), "promise"), "bad")
    assert len(seeded) == 1
    assert "random choices were made with a seed" in seeded[0]
    several = tmp_path / "several"
    publish_by("disassociate", several)
    assert words(section(shoal.report(several), "promise"), "bad") == []
    edit_manifest(several, put(DO_NOT_PUBLISH, "it is one of several"))
    (said,) = words(section(shoal.report(several), "promise"), "bad")
    assert said.startswith("Do not publish this: it is one of several releases")


@pytest.mark.parametrize(
    ("verdict", "value", "tone", "mood"),
    [
        (Verdict((HOLDS, HOLDS)), "all 2 checks hold", "good", "good"),
        (Verdict((HOLDS,), (LEFT,)), "1 checks hold, 1 left out", "plain", "note"),
        (Verdict((HOLDS, FAILS), (LEFT,)), "1 of 2 checks fail", "bad", "bad"),
    ],
)
def test_the_verdict_in_a_few_words(verdict: Verdict, value: str, tone: str, mood: str) -> None:
    key = verdict_key(verdict)
    assert (key.label, key.value, key.tone) == ("Verdict", value, tone)
    found = verdict_section(verdict)
    assert isinstance(found.blocks[0], Words)
    assert found.blocks[0].kind == mood
    assert grid(found, "What was checked").folded
    assert grid(found, "What was checked").rows[0] == ("rows", "holds", "1,234", "every row is fine")


def test_figures_are_told_beside_the_checks() -> None:
    figures = (Figure("t-closeness", "income", 0.123456, "the largest distance"),)
    found = verdict_section(Verdict((HOLDS,), figures=figures))
    assert grid(found, "Other figures, not part of the verdict").rows == (
        ("t-closeness", "income", "0.1235", "the largest distance"),
    )


CERTAIN = Residual(0.87, "clusters", "have a certain link")
SMALL = Residual(0.01, "people", "are found")


@pytest.mark.parametrize(
    ("residuals", "value", "tone", "mood", "tones"),
    [
        ((), "all 2 checks hold", "good", "good", []),
        ((SMALL,), "all 2 checks hold", "good", "good", ["plain"]),
        ((CERTAIN, SMALL), "all 2 checks hold; a severe risk remains", "plain", "plain", ["warn"]),
        ((CERTAIN, CERTAIN), "all 2 checks hold; 2 severe risks remain", "plain", "plain", ["warn", "warn"]),
    ],
)
def test_a_green_verdict_never_stands_above_a_severe_risk(
    residuals: tuple[Residual, ...], value: str, tone: str, mood: str, tones: list[str]
) -> None:
    verdict = Verdict((HOLDS, HOLDS))
    key = verdict_key(verdict, residuals)
    assert (key.value, key.tone) == (value, tone)
    keys = residual_keys(residuals)
    assert [one.tone for one in keys] == tones
    if residuals:
        assert (keys[0].label, keys[0].value) == (
            f"Not covered: {residuals[0].of} that {residuals[0].words}",
            residuals[0].shown,
        )
    found = verdict_section(verdict, residuals)
    assert isinstance(found.blocks[0], Words)
    assert found.blocks[0].kind == mood
    listed = [block.sentences for block in found.blocks if isinstance(block, Listed)]
    assert listed == ([tuple(f"{one}." for one in residuals)] if residuals else [])


@pytest.mark.parametrize("public", [False, True], ids=["internal", "public"])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_not_promised_stands_beside_the_verdict_by_severity(
    method: str, public: bool, reported: Callable[..., Report]
) -> None:
    report = reported(method, public)
    shares = [float(key.value.split()[-2]) for key in report.keys if key.label.startswith("Not covered")]
    assert shares == sorted(shares, reverse=True)
    assert [key.label.startswith("Not covered") for key in report.keys[1 : 1 + len(shares)]] == [True] * len(shares)
    assert (report.keys[0].tone == "good") <= (not any(key.tone == "warn" for key in report.keys))
    if method in ("disassociate", "disassociate-l"):
        assert any("for certain" in key.label for key in report.keys)
