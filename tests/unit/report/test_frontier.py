"""The frontier of randomization: where a release is, and which settings are beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.measuring.randomization.frontier import Circumstances, privacy_frontier
from shoal.measuring.randomization.privacy import randomization_privacy, release_privacy
from shoal.reporting.drawing import svg_of
from shoal.reporting.frontier import MIN_SUPPORT, THIS, frontier_chart
from shoal.run import Run
from tests.checking.report_html import read_page

DATA = shoal.read([{"tea", "milk"}] * 60 + [{"tea"}] * 50 + [{"jam", "milk", "bread"}] * 40)
RELEASES = {
    "mask": lambda: shoal.mask(DATA, 0.9, run=Run(chance=1)),
    "fakes": lambda: shoal.fakes(DATA, 2.0, run=Run(chance=1)),
    "hybrid": lambda: shoal.hybrid(DATA, 0.8, 1.5, run=Run(chance=1)),
}


@pytest.mark.parametrize("method", RELEASES)
def test_a_release_is_where_its_promise_puts_it(method: str) -> None:
    release = RELEASES[method]()
    chart = frontier_chart(release)
    (here,) = [one for one in chart.records if one["series"] == THIS]
    fakes = release.promise.fakes
    assert (here["keep_prob"], here["fakes"]) == (release.promise.keep_prob, fakes)
    assert here["rows"] == pytest.approx(1 + fakes)
    mean = release_privacy(release).mean_support
    wanted = randomization_privacy(mean_support=mean, keep_prob=release.promise.keep_prob, fakes=fakes)
    assert here["privacy"] == pytest.approx(1 - wanted.both.worst, rel=1e-5)
    assert f"a privacy of {here['privacy']:.2f} in the worst case" in chart.says


@pytest.mark.parametrize("method", RELEASES)
def test_curves_hold_settings_of_one_privacy(method: str) -> None:
    release = RELEASES[method]()
    chart = frontier_chart(release)
    for one in chart.records:
        if one["series"] != THIS:
            assert one["privacy"] == pytest.approx(float(str(one["series"]).removeprefix("privacy ")), abs=1e-5)
    known = {str(one["series"]) for one in chart.records}
    assert known <= {THIS, "privacy 0.7", "privacy 0.8", "privacy 0.9", "privacy 0.95"}
    rows = [one["rows"] for one in chart.records if one["series"] == "privacy 0.9"]
    assert rows == sorted(rows)
    if method == "mask":  # where no row is made up, others with none are compared
        mean = release_privacy(release).mean_support
        found = privacy_frontier(
            mean_support=mean, items=release.n_items, records=release.n_records, min_support=MIN_SUPPORT
        )
        assert {one["fakes"] for one in chart.records} <= {0.0} | {float(f"{s.fakes:.6g}") for s in found.settings}


@pytest.mark.parametrize("method", RELEASES)
def test_settings_take_and_cost_what_the_frontier_says(method: str) -> None:
    release = RELEASES[method]()
    chart, fakes = frontier_chart(release), release.promise.fakes
    given = {
        "mean_support": release_privacy(release).mean_support,
        "items": release.n_items,
        "records": release.n_records,
        "min_support": MIN_SUPPORT,
        "fake_lengths": release.promise.fake_lengths if fakes else (),
    }
    names = ("keep_prob", "fakes", "privacy", "rows", "ones", "error")
    *others, here = chart.records
    this = Circumstances(**{**given, "fake_lengths": release.promise.fake_lengths}).setting(
        release.promise.keep_prob, fakes
    )
    assert [here[name] for name in names] == pytest.approx([getattr(this, name) for name in names], rel=1e-5)
    found = privacy_frontier(**given, targets=(0.7, 0.8, 0.9, 0.95)).settings
    for target in (0.7, 0.8, 0.9, 0.95):
        wanted = [
            [float(f"{getattr(one, name):.6g}") for name in names]
            for one in sorted(found, key=lambda one: one.rows)
            if one.privacy == pytest.approx(target, abs=1e-6)
            and one.rows <= max(10, 1.5 * this.rows)
            and one.error <= max(5, 3 * this.error)
        ]
        told = [[one[name] for name in names] for one in others if one["series"] == f"privacy {target:g}"]
        assert told == wanted
    assert others
    assert f"{here['rows']:.3g} times the rows of its original" in chart.says
    assert f"an expected error of {here['error']:.3g} times the threshold of 0.01" in chart.says


@pytest.mark.parametrize("method", RELEASES)
def test_the_release_is_drawn_among_them(method: str) -> None:
    chart = frontier_chart(RELEASES[method]())
    page = read_page(svg_of(chart))
    points = [one for one in page.all("path") if one.attributes.get("aria-roledescription") == "point"]
    assert any((one.attributes.get("aria-label") or "").endswith(f"series: {THIS}") for one in points)
    assert len(points) == len(chart.records)


def test_a_release_that_is_off_the_map_is_shown_all_the_same(tmp_path: Path) -> None:
    release = shoal.hybrid(DATA, 0.55, 30.0, run=Run(chance=1))
    chart = frontier_chart(release)
    (here,) = [one for one in chart.records if one["series"] == THIS]
    assert here["rows"] == 31
    release.write(tmp_path / "release")
    report = shoal.report(tmp_path / "release")
    assert "frontier" in [one.name for one in report.charts]
    assert report.html()
