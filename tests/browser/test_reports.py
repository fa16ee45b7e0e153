"""Reports as readers see them: in both colour schemes, at a desk and on a phone, and printed."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from shoal.cli.main import run
from shoal.measuring.baskets.errors_by_rank import STARTS, RankError
from shoal.measuring.baskets.item_supports import ItemSupports
from shoal.measuring.baskets.pairs_by_frequency import PairsOfFrequency
from shoal.reporting.charts import histogram
from shoal.reporting.costs import _pairs, _ranks
from shoal.reporting.page import Report, Section
from shoal.reporting.remaining_risk import Line, _chart
from shoal.reporting.top_items import TOP, supports_chart
from tests.browser.checks import charts_not_drawn, faint_marks, problems, tiny_texts
from tests.browser.printing import lost_words, mark_problems, printed, torn_charts
from tests.making.releases_by_commands import make_originals, publish

LONG = "a-name-that-is-much-longer-than-any-axis-has-room-for-and-has-no-blank-to-be-parted-at-" + "x" * 60
STRANGE = ["</svg><script>alert('1')</script>", "أرز بسمتي", "milk & honey", "🥖🥐", LONG, "W" * 40]
COMPARED = "comparison"
SWEPT = "sweep"
PUBLIC = "public: "
STRANGE_BASKETS = "strange names"
FULL = "charts as full as they get"
# One of each shape, and those of a shape that have more to show.
SHAPES = ("disassociate", "km-generalization", "mask", "hybrid", "diffpart", "injector", "k-anonymity")
PAGES = [
    *SHAPES,
    *(f"{PUBLIC}{method}" for method in ("disassociate", "hybrid", "k-anonymity", "diffpart")),
    COMPARED,
    SWEPT,
    STRANGE_BASKETS,
    FULL,
]


def _strange_baskets(path: Path) -> None:
    """Baskets whose items try to break out of what they stand in, or to be cut."""
    lines = []
    for at in range(60):
        chosen = {STRANGE[at % len(STRANGE)], STRANGE[at % 5], f"item {at % 7}"}
        lines.append("\t".join(sorted(chosen)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _full() -> Report:
    """The charts of large data: all ranks, pairs of all frequencies, as many items as are named, and the whole risk."""
    starts = [step * 10**power for power in range(6) for step in (1, 2, 5)]
    pairs = tuple(PairsOfFrequency(at, at if at == 1 else 2 * at - 1, 9, 9 * at, 1.0, 0.5) for at in starts)
    ranks = tuple(RankError(start, 20, 2.0, 2.0) for start in STARTS)
    names = tuple(f"an item of many letters, number {number}" for number in range(TOP))
    numbers = np.arange(TOP, 0, -1) * 1e6
    told = ItemSupports(names, numbers * 0.9, numbers, numbers * 1.1, "no possible original has fewer or more")
    people = tuple(Line(f"{known}", f"people of whom {known} items are known", 1.0, 1.0, "") for known in range(1, 6))
    sizes = histogram("sizes", "Sizes", "Many.", np.arange(1, 1_000_000, 997), x="records per cluster", y="clusters")
    charts = (
        _pairs(pairs, flattered=True),
        _ranks(ranks),
        supports_chart(told, numbers.astype(int)),
        _chart(people, True, "items"),
        sizes,
    )
    return Report("All that fits", "internal", "Charts.", (), (Section("charts", "Charts", charts),))


def _make(kind: str, place: Path) -> Path:
    page = place / "report.html"
    if kind == FULL:
        _full().save(page)
        return page
    make_originals(place)
    baskets = str(place / "baskets.dat")
    if kind == COMPARED:
        words = ["compare", baskets, "--methods", "all", "-o", str(place / "numbers"), "--report", str(page), "-q"]
        assert run(words) == 0
    elif kind == SWEPT:
        grid = ["--keep-prob", ".95,.9,.8", "--fakes", "1,3"]
        words = ["sweep", baskets, "--method", "hybrid", *grid, "-o", str(place / "numbers"), "--seed", "1"]
        assert run([*words, "--report", str(page), "-q"]) == 0
    elif kind == STRANGE_BASKETS:
        _strange_baskets(place / "strange.dat")
        words = ["publish", "disassociate", str(place / "strange.dat"), "--separator", r"\t", "-k", "3", "-m", "2"]
        assert run([*words, "-o", str(place / f"{LONG} release"), "--report", str(page), "-q"]) == 0
    elif kind.startswith(PUBLIC):
        publish(kind.removeprefix(PUBLIC), place, "--report", page, "--public")
    else:
        publish(kind, place, "--report", page)
    return page


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Each kind of report, made once."""
    made: dict[str, Path] = {}

    def report(kind: str) -> Path:
        if kind not in made:
            made[kind] = _make(kind, tmp_path_factory.mktemp("report"))
        return made[kind]

    return report


def _data(page: Path):
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="report-data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.parametrize("kind", PAGES)
def test_a_report_is_fit_to_be_read(kind, reports, look):
    page = reports(kind)
    report = _data(page)
    charts = [
        f"chart-{block['name']}"
        for section in report["sections"]
        for block in section["blocks"]
        if block["kind"] == "chart"
    ]
    assert charts
    for scheme in ("light", "dark"):
        for width in (1280, 390):
            with look(page, scheme=scheme, width=width, unfolded=True) as seen:
                assert problems(seen) == {}, (scheme, width)
                assert charts_not_drawn(seen, charts) == [], (scheme, width)
                assert tiny_texts(seen) == [], (scheme, width)
                assert faint_marks(seen) == [], (scheme, width)
                assert report["mark"] in seen.page.inner_text("header.mark")


@pytest.mark.parametrize(
    "kind", ["disassociate", "k-anonymity", COMPARED, SWEPT, STRANGE_BASKETS, "public: disassociate"]
)
def test_a_printed_report_has_its_mark_on_every_sheet_and_loses_no_word(kind, reports, browser, tmp_path):
    page = reports(kind)
    mark = _data(page)["mark"]
    for scheme in ("light", "dark"):
        pdf = printed(browser, page, tmp_path / f"{scheme}.pdf", scheme)
        assert mark_problems(pdf, mark) == []
        assert lost_words(browser, page, pdf) == []
    assert torn_charts(browser, page, tmp_path / "torn.pdf") == []


def test_the_mark_stays_in_sight_while_a_reader_scrolls(reports, look):
    with look(reports("disassociate"), scheme="light", width=390) as seen:
        seen.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        box = seen.page.locator("header.mark p").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= seen.page.viewport_size["height"]


COLOURS = """[getComputedStyle(document.documentElement).backgroundColor,
  getComputedStyle(document.querySelector("svg text")).fill].join()"""


def test_dark_and_light_differ_on_the_screen_and_paper_is_light(reports, look):
    colours = {}
    for scheme, media in product(("light", "dark"), ("screen", "print")):
        with look(reports("disassociate"), scheme=scheme, width=1280, media=media) as seen:
            colours[scheme, media] = seen.page.evaluate(COLOURS)
    assert colours["dark", "screen"] != colours["light", "screen"]
    assert colours["dark", "print"] == colours["light", "print"] == colours["light", "screen"]
