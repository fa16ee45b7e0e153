"""The table of risks: its numbers counted again from the files and the original, and none of the original in public."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import shoal
from shoal import pipeline
from shoal.audit.attack.finding import Attacks, Finding
from shoal.audit.left_out import LeftOut
from shoal.data.table import Table
from shoal.io.release_folder import read_release
from shoal.measure.risk.share import percent
from shoal.report.page import Chart, Grid, Key, Listed, Report, Section, Words
from shoal.report.risks import risk_section
from shoal.study.methods import METHODS
from tests.builders import disassociated
from tests.oracles import reconstruction_probabilities, table_risk

GENERALIZED = ["bottom-up", "bottom-up-hidden", "mondrian", "mondrian-hidden"]
HEADS = ("risk", "original", "release", "how it is known")


def risks(report: Report) -> Section:
    return next(one for one in report.sections if one.name == "risk")


def lines(report: Report) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heads and the rows of the table of risks."""
    (grid,) = [block for block in risks(report).blocks if isinstance(block, Grid)]
    return grid.heads, list(grid.rows)


def told(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, str]]:
    """The number of the original and that of the release."""
    return [(row[1], row[2]) for row in rows]


def shown(*chances: Fraction | float) -> tuple[str, ...]:
    return tuple(percent(float(chance)) for chance in chances)


def groups_in(rows: list[dict[str, Any]], keys: Sequence[str], value: str) -> list[list[Any]]:
    return table_risk.groups_of([tuple(row[key] for key in keys) for row in rows], [row[value] for row in rows])


@pytest.mark.parametrize("method", GENERALIZED)
def test_risks_of_generalized_tables_are_those_of_their_groups(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, Table]]
) -> None:
    folder, original = released(method)
    after = [row for row in pq.read_table(folder / "rows.parquet").to_pylist() if row["group"] is not None]
    before = original.to_arrow().to_pylist()
    heads, rows = lines(reported(method))
    assert heads == HEADS
    was = table_risk.picking(groups_in(before, ["age", "sex"], "illness"), 3)
    now = table_risk.picking(groups_in(after, ["group"], "illness"), 3)
    assert told(rows[:3]) == [shown(*pair) for pair in zip(was, now, strict=True)]
    named = table_risk.naming(groups_in(before, ["age", "sex"], "illness"))
    left = table_risk.naming(groups_in(after, ["group"], "illness"))
    assert told(rows[3:]) == [shown(*pair) for pair in zip(named, left, strict=True)]
    assert now[0] <= Fraction(1, 3)
    assert now[2] == 0
    key = reported(method).keys[1]
    assert key == Key("To pick a person's row, over all rows", f"{percent(float(was[1]))} → {percent(float(now[1]))}")


@pytest.mark.parametrize("method", ["anatomy", "injector"])
def test_risks_of_bucketized_tables_are_those_of_their_buckets(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, Table]]
) -> None:
    folder, original = released(method)
    buckets: dict[int, list[str]] = {}
    for row in pq.read_table(folder / "sensitive.parquet").to_pylist():
        buckets.setdefault(row["group"], []).extend([row["illness"]] * row["count"])
    was = table_risk.naming(groups_in(original.to_arrow().to_pylist(), ["age", "sex"], "illness"))
    now = table_risk.naming(list(buckets.values()))
    heads, rows = lines(reported(method))
    assert heads == HEADS
    assert told(rows) == [shown(*pair) for pair in zip(was, now, strict=True)]
    _, outside = lines(reported(method, True))
    assert [row[1] for row in outside] == list(shown(*now))
    assert reported(method, True).keys[1].value == percent(float(now[1]))


def test_several_sensitive_columns_have_risks_of_their_own(tmp_path: Path) -> None:
    import pyarrow as pa

    rows = [(20 + n % 12, f"illness {n % 4}", f"income {n % 3}") for n in range(48)]
    data = pa.table({name: [row[at] for row in rows] for at, name in enumerate(("age", "illness", "income"))})
    table = Table.from_arrow(data, quasi="age", sensitive=["illness", "income"])
    shoal.k_anonymity(table, 6).write(tmp_path / "release")
    report = shoal.release_report(tmp_path / "release", table)
    after = pq.read_table(tmp_path / "release" / "rows.parquet").to_pylist()
    _, found = lines(report)
    for at, name in ((3, "illness"), (5, "income")):
        assert all(f"the {name} of a person" in row[0] for row in found[at : at + 2])
        was = table_risk.naming(groups_in(data.to_pylist(), ["age"], name))
        now = table_risk.naming(groups_in(after, ["group"], name))
        assert told(found[at : at + 2]) == [shown(*pair) for pair in zip(was, now, strict=True)]


def test_the_risk_of_noisy_counts_is_the_bound_of_epsilon(tmp_path: Path) -> None:
    data = shoal.read([{"tea", "milk"}] * 200 + [{"tea"}] * 200)
    shoal.diffpart(data, epsilon=math.log(3)).write(tmp_path / "release")
    _, rows = lines(shoal.release_report(tmp_path / "release", data))
    assert told(rows) == [("100.0%", "75.0%")]
    heads, rows = lines(shoal.release_report(tmp_path / "release"))
    assert heads == ("risk", "release", "how it is known")
    assert rows[0][1:] == ("75.0%", "bounded by the promise")


@pytest.mark.parametrize("method", ["mask", "fakes", "hybrid"])
def test_risks_of_randomized_rows_are_those_of_bayes(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, object]]
) -> None:
    release = read_release(released(method)[0])
    keep, fakes = Fraction(str(release.promise.keep_prob)), Fraction(str(release.promise.fakes))
    supports = [release.support([word]).estimate for word in release.vocabulary.to_pylist()]
    clipped = [Fraction(min(1.0, max(0.0, support))) for support in supports]
    item = reconstruction_probabilities.mean_round_trip(1, clipped, keep)
    row = 1 / (1 + fakes)
    _, rows = lines(reported(method))
    wanted = [item] if not fakes else [item, row, item * row]
    assert told(rows) == [("100.0%", *shown(chance)) for chance in wanted]


@pytest.mark.parametrize("method", ["disassociate", "dls", "disassociate-l", "km-generalization"])
def test_people_of_whom_little_is_known_are_as_many_as_the_attack_found(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    folder, original = released(method)
    from shoal.data.item_hierarchies import neighbours

    tree = {"hierarchy": neighbours(original.words)} if method == "km-generalization" else {}
    attacks = pipeline.attack(folder, original=original, victims=250, seed=0, **tree)
    numbers = attacks["known items"].numbers
    found = numbers.get("candidates", numbers.get("rows_that_remain"))
    _, rows = lines(reported(method))
    assert len(rows) == sum(bool(one["victims"]) for one in found)
    for row, one in zip(rows, [one for one in found if one["victims"]], strict=True):
        before, after = one.get("below_k_before"), one.get("below_k_after", one.get("below_k"))
        assert row[1:3] == shown(before / one["victims"], after / one["victims"])
        assert f"{one['known_items']} known item" in row[0]
        wanted = (
            "promised: none but those whose items are in no possible record" if method == "dls" else "promised: none; "
        )
        assert row[3].startswith(wanted if one["known_items"] <= 2 else "not covered by the promise; ")
        if one["known_items"] <= 2:
            assert row[2] == percent(0.0)


def test_whoever_has_an_item_of_their_own_is_found_before_and_not_after(tmp_path: Path) -> None:
    data = shoal.read([{f"only {n}", f"also {n}"} for n in range(40)])
    shoal.disassociate(data, k=4, m=2).write(tmp_path / "release")
    report = shoal.release_report(tmp_path / "release", data)
    _, rows = lines(report)
    assert told(rows) == [("100.0%", percent(0.0))] * 2
    assert report.keys[1].value == f"100.0% → {percent(0.0)}"
    # In public the promise is told, which was verified; there is nothing to see in a chart of nothing.
    outside = shoal.release_report(tmp_path / "release")
    heads, rows = lines(outside)
    assert heads == ("risk", "release", "how it is known")
    assert [row[1:] for row in rows] == [(percent(0.0), "promised: none; verified from the files")] * 2
    assert not any(chart.name == "risk" for chart in outside.charts)


@pytest.mark.parametrize("method", METHODS)
def test_a_public_report_tells_nothing_of_the_original(method: str, reported: Callable[..., Report]) -> None:
    report = reported(method, True)
    heads, rows = lines(report)
    assert heads == ("risk", "release", "how it is known")
    assert rows
    for block in report.blocks:
        if isinstance(block, Grid):
            assert "original" not in block.heads
            assert block.title != "The original"
        if isinstance(block, Chart):
            assert "before" not in block.columns
            assert all("before" not in record for record in block.records)
            assert all(record.get("series") != "original" for record in block.records)
        if isinstance(block, Words):
            assert not block.text.startswith("Before publishing")


@pytest.mark.parametrize("method", METHODS)
def test_the_chart_shows_what_the_table_says(method: str, reported: Callable[..., Report]) -> None:
    for public in (False, True):
        report = reported(method, public)
        _, rows = lines(report)
        series = ["release"] if public else ["original", "release"]
        wanted = [(row[0], name, row[1 + at]) for row in rows for at, name in enumerate(series)]
        charts = [chart for chart in report.charts if chart.name == "risk"]
        for chart in charts:
            assert [(one["risk"], one["series"], percent(one["value"])) for one in chart.records] == wanted
            assert chart.spec["layer"][0]["encoding"]["color"].get("field", "") == ("series" if not public else "")
        assert len(charts) == any(number not in ("-", percent(0.0)) for *_, number in wanted)


@pytest.mark.parametrize("method", METHODS)
def test_every_finding_of_an_attack_is_told(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    blocks = risks(reported(method, True)).blocks
    listed = [block for block in blocks if isinstance(block, Listed)]
    if method == "diffpart":
        assert not listed
        return
    folder, _ = released(method)
    fill = {"fill": True} if method.endswith("hidden") else {}
    victims = {"victims": 250} if method in ("disassociate", "dls", "disassociate-l", "km-generalization") else {}
    attacks = pipeline.attack(folder, seed=0, **victims, **fill) if not fill else pipeline.attack(folder, **fill)
    assert listed[0].sentences == tuple(finding.sentence for finding in attacks.findings)
    notes = [block.text for block in blocks if isinstance(block, Words) and block.text.startswith("Not tried")]
    assert len(notes) == bool(attacks.left_out)
    assert all(f"{one.name} ({one.why})" in notes[0] for one in attacks.left_out)


def test_a_broken_promise_is_said_in_red() -> None:
    release = disassociated([(3, [["ab"] * 3], "")])
    attacks = Attacks(
        (
            Finding("cover", "All is well."),
            Finding("known items", "Somebody was found.", {"candidates": []}, breaks_promise=True),
        ),
        (LeftOut("others", "there are none"),),
    )
    section, key = risk_section(release, None, None, attacks)
    texts = [(block.kind, block.text) for block in section.blocks if isinstance(block, Words)]
    assert ("bad", "This breaks the promise: known items.") in texts
    assert ("note", "Not tried: others (there are none).") in texts
    assert [block.sentences for block in section.blocks if isinstance(block, Listed)] == [
        ("All is well.", "Somebody was found.")
    ]
    assert key is not None


def test_a_number_of_known_items_that_nobody_has_is_left_out_and_the_key_is_that_of_the_promise() -> None:
    release = disassociated([(3, [["ab"] * 3], "")], 2, 2)
    rows = [
        {"known_items": 1, "victims": 0, "below_k_before": 0, "below_k_after": 0},
        {"known_items": 2, "victims": 10, "below_k_before": 4, "below_k_after": 0},
        {"known_items": 3, "victims": 10, "below_k_before": 8, "below_k_after": 5},
    ]
    section, key = risk_section(
        release, shoal.read([{"a", "b"}]), None, Attacks((Finding("known items", "So.", {"candidates": rows}),))
    )
    (grid,) = [block for block in section.blocks if isinstance(block, Grid)]
    assert [row[1:3] for row in grid.rows] == [shown(0.4, 0.0), shown(0.8, 0.5)]
    assert key == Key("People whom 2 known items leave fewer than 2 records to choose from", f"40.0% → {percent(0.0)}")
