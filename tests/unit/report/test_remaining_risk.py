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
from shoal.audit.attack.adversary import Adversary
from shoal.audit.attack.finding import Attacks, Finding, quartiles
from shoal.audit.attack.shares import few_left
from shoal.audit.not_tried import LeftOut
from shoal.data.table import Table
from shoal.io.release_folder import read_release
from shoal.measuring.risk.share import percent
from shoal.methods import METHODS
from shoal.release.evidence import Evidence
from shoal.reporting.page import Chart, Grid, Key, Listed, Report, Section, Words
from shoal.reporting.remaining_risk import risk_section
from shoal.run import Run
from shoal.shapes import SHAPES
from tests.making.disassociated_releases import disassociated
from tests.oracles import reconstruction_probabilities, table_risk

GENERALIZED = ["bottom-up", "bottom-up-hidden", "mondrian", "mondrian-hidden"]
HEADS = ("risk", "original", "release", "how it is known")


def risks(report: Report) -> Section:
    return next(one for one in report.sections if one.name == "risk")


def lines(report: Report) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heads and the rows of the table of risks."""
    grid = next(block for block in risks(report).blocks if isinstance(block, Grid))
    return grid.heads, list(grid.rows)


def remembered(report: Report) -> list[Key]:
    """The numbers to remember that are risks: not the verdict, nor what is not promised, cost or size."""
    return [key for key in report.keys if key.label.startswith(("To ", "People for whom"))]


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
    (key,) = remembered(reported(method))
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
    assert remembered(reported(method, True))[0].value == percent(float(now[1]))


def test_several_sensitive_columns_have_risks_of_their_own(tmp_path: Path) -> None:
    import pyarrow as pa

    rows = [(20 + n % 12, f"illness {n % 4}", f"income {n % 3}") for n in range(48)]
    data = pa.table({name: [row[at] for row in rows] for at, name in enumerate(("age", "illness", "income"))})
    table = Table.from_arrow(data, quasi="age", sensitive=["illness", "income"])
    shoal.k_anonymity(table, 6).write(tmp_path / "release")
    report = shoal.report(tmp_path / "release", table)
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
    _, rows = lines(shoal.report(tmp_path / "release", data))
    assert told(rows) == [("100.0%", "75.0%")]
    heads, rows = lines(shoal.report(tmp_path / "release"))
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
    evidence = Evidence(original=original, **tree)
    attacks = pipeline.attack(folder, evidence, Adversary(victims=250), run=Run(chance=0))
    numbers = attacks["known items"].numbers
    worst, random = ([one for one in numbers[kind] if one["people"]] for kind in ("worst_items", "random_items"))
    after = "release" if method == "km-generalization" else "most_favourable_original"
    counted = shoal.risk(original, k=3, m=3)
    _, rows = lines(reported(method))
    assert len(rows) == len(worst) + len(random)
    for row, one in zip(rows, [*worst, *random], strict=True):
        known, share = one["known_items"], one["below_k_in_original_share"]
        is_worst = "the worst" in row[0]
        if is_worst:
            share = counted.known[known - 1].among_few.value
            assert f"of all {len(original)} people" in row[3]
        assert row[1:3] == shown(share, one[f"below_k_in_{after}_share"])
        assert f"{'the worst ' * is_worst}{known} {'random ' * (not is_worst)}item" in row[0]
        having = "" if is_worst else f" with {known} item{'s' * (known > 1)} or more"
        assert f" of {one['people']} people{having} drawn from the original" in row[3]
        wanted = (
            "promised: none except those whose items are in no possible record"
            if method == "dls"
            else "promised: none; "
        )
        assert row[3].startswith(wanted if known <= 2 else "not covered by the promise; ")
        if known <= 2:
            assert row[2] == percent(0.0)


def test_both_adversaries_are_remembered_the_worst_first(reported: Callable[..., Report]) -> None:
    worst, random = remembered(reported("disassociate"))
    assert worst.label.startswith("People for whom the worst 2 items leave fewer than 3 possible records (")
    assert random.label.startswith("People for whom 2 random items leave fewer than 3 possible records (")


def test_what_is_remembered_names_the_people_it_is_a_share_of_and_its_intervals() -> None:
    """Of 10 people drawn 9 have two items: 4 and none of 9, with the intervals of Clopper and Pearson; the worst are
    counted in the original, of everybody."""
    release = disassociated([(3, [["ab"] * 3], "")], 2, 2)
    random = [column(1, [9] * 10, [9] * 10), column(2, [1] * 4 + [9] * 5, [9] * 9)]
    worst = [column(1, [9] * 10, [9] * 10), column(2, [1] * 5 + [9] * 5, [9] * 10)]
    found = Finding("known items", "So.", {"random_items": random, "worst_items": worst})
    data = shoal.read([{"a", "b"}] * 3 + [{"a", "c"}])
    _, keys = risk_section(release, data, shoal.risk(data, k=2, m=3), Attacks((found,)))
    people = "leave fewer than 2 possible records"
    assert [(key.label, key.value) for key in keys] == [
        (
            f"People for whom 2 random items {people} (of 9 people with 2 items or more drawn, 95 % interval 13.7% to "
            "78.8% → 95 % interval 0.0% to 33.6%)",
            "44.4% → 0.0%",
        ),
        (
            f"People for whom the worst 2 items {people} (of all 4 people → of 10 people drawn, 95 % interval 0.0% to "
            "30.8%)",
            "25.0% → 0.0%",
        ),
    ]


def test_candidates_in_the_own_cluster_are_told_beside_the_most_favourable_original(
    reported: Callable[..., Report], released: Callable[..., tuple[Path, Any]]
) -> None:
    folder, original = released("disassociate")
    numbers = pipeline.attack(folder, Evidence(original=original), Adversary(victims=250), run=Run(chance=0))[
        "known items"
    ].numbers
    (grid,) = [
        block
        for block in risks(reported("disassociate")).blocks
        if isinstance(block, Grid) and block.title.startswith("Remaining candidate records")
    ]
    wanted = [one for kind in ("worst_items", "random_items") for one in numbers[kind] if one["people"]]
    assert [row[1] for row in grid.rows] == [f"{one['people']}" for one in wanted]
    for at, where in ((2, "original"), (3, "most_favourable_original"), (4, "own_cluster")):
        told_counts = [f"{one[f'median_in_{where}']}, {one[f'smallest_in_{where}']}" for one in wanted]
        assert [row[at] for row in grid.rows] == told_counts


def test_whoever_has_an_item_of_their_own_is_found_before_and_not_after(tmp_path: Path) -> None:
    data = shoal.read([{f"only {n}", f"also {n}"} for n in range(40)])
    shoal.disassociate(data, k=4, m=2).write(tmp_path / "release", even_if_empty=True)
    report = shoal.report(tmp_path / "release", data)
    _, rows = lines(report)
    assert told(rows)[:2] == [("100.0%", percent(0.0))] * 2
    assert [key.value for key in remembered(report)] == [f"100.0% → {percent(0.0)}"] * 2
    # In public the promise is told, which was verified; there is nothing to see in a chart of nothing.
    outside = shoal.report(tmp_path / "release")
    heads, rows = lines(outside)
    assert heads == ("risk", "release", "how it is known")
    assert [row[1:] for row in rows] == [
        (percent(0.0), "promised: none, for random and for worst-case items; verified from the files")
    ] * 2
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
    applies = SHAPES[METHODS[method].shape].adversary
    given: dict[str, Any] = {"victims": 250, "fill": method.endswith("hidden")}
    adversary = Adversary(**{name: value for name, value in given.items() if name in applies})
    attacks = pipeline.attack(folder, adversary=adversary, run=Run(chance=0 if "seed" in applies else None))
    assert listed[0].sentences == tuple(finding.sentence for finding in attacks.findings)
    notes = [block.text for block in blocks if isinstance(block, Words) and block.text.startswith("Not tried")]
    assert len(notes) == bool(attacks.left_out)
    assert all(f"{one.name} ({one.why})" in notes[0] for one in attacks.left_out)


def test_a_broken_promise_is_said_in_red() -> None:
    release = disassociated([(3, [["ab"] * 3], "")])
    attacks = Attacks(
        (
            Finding("cover", "All is well."),
            Finding("known items", "Somebody was found.", {"random_items": []}, breaks_promise=True),
        ),
        (LeftOut("others", "there are none"),),
    )
    section, keys = risk_section(release, None, None, attacks)
    texts = [(block.kind, block.text) for block in section.blocks if isinstance(block, Words)]
    assert ("bad", "This breaks the promise: known items.") in texts
    assert ("note", "Not tried: others (there are none).") in texts
    assert [block.sentences for block in section.blocks if isinstance(block, Listed)] == [
        ("All is well.", "Somebody was found.")
    ]
    assert len(keys) == 1


def test_a_number_of_known_items_that_nobody_has_is_left_out_and_the_key_is_that_of_the_promise() -> None:
    release = disassociated([(3, [["ab"] * 3], "")], 2, 2)
    rows = [column(known, *counts) for known, *counts in ((1, [], []), (2, [1] * 4 + [9] * 6, [9] * 10), (3, [1], [1]))]
    found = Finding("known items", "So.", {"random_items": rows, "worst_items": []})
    section, keys = risk_section(release, shoal.read([{"a", "b"}]), None, Attacks((found,)))
    grid = next(block for block in section.blocks if isinstance(block, Grid))
    assert [row[1:3] for row in grid.rows] == [shown(0.4, 0.0), shown(1.0, 1.0)]
    label = "People for whom 2 random items leave fewer than 2 possible records"
    drawn = "of 10 people with 2 items or more drawn, 95 % interval 12.2% to 73.8% → 95 % interval 0.0% to 30.8%"
    assert keys == (Key(f"{label} ({drawn})", f"40.0% → {percent(0.0)}"),)


def column(known: int, before: list[int], after: list[int]) -> dict[str, Any]:
    """What came of one adversary with so many known items."""
    found: dict[str, Any] = {"known_items": known, "people": len(before)}
    for name, counts in (("original", before), ("most_favourable_original", after), ("own_cluster", after)):
        found |= few_left(name, counts, 2)
        found |= {f"{part}_in_{name}": value for part, value in quartiles(counts).items()}
    return found
